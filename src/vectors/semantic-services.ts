// Everything that recall by meaning needs, for one tenant, as the environment has it.

import type { Embedder } from "../models/embedders/embedder";
import { selectEmbedder } from "../models/embedders/select-embedder";
import type { Bindings } from "../platform/env";
import { failure } from "../platform/errors";
import { createEmbeddedIndex } from "./embedded/embedded-index";
import type { VectorIndex, VectorKind, VectorModel } from "./vector-index";
import { createVectorizeIndex } from "./vectorize/vectorize-index";

/** What a tenant's indexer object answers to. */
export type IndexerRpc = {
  /** Something is on the list. */
  wake(tenant: string): Promise<void>;
  /** Works the list off before it answers; gives how many entries are left. */
  drain(tenant: string): Promise<number>;
  /** Takes vectors out, and counts those that were there. */
  remove(tenant: string, kind: VectorKind, ids: string[]): Promise<number>;
};

export type Semantic = { embedder: Embedder; index: VectorIndex };

/** `semantic` is null when no embedder is configured: then text is all there is. */
export type Vectors = { semantic: Semantic | null; indexer: IndexerRpc };

export function vectorsOf(env: Bindings, tenant: string): Vectors {
  return { semantic: semanticOf(env, tenant), indexer: indexerOf(env, tenant) };
}

export function semanticOf(env: Bindings, tenant: string): Semantic | null {
  const model = modelOf(env);
  const embedder = selectEmbedder(env);
  return model === null || embedder === null ? null : { embedder, index: indexOf(env, tenant, model) };
}

/** What the service is set to make vectors with, and where it puts them. */
export function modelOf(env: Bindings): VectorModel | null {
  const embedder = selectEmbedder(env);
  const index = env.VECTORIZE === undefined ? "embedded" : "vectorize";
  return embedder && { name: embedder.name, dimensions: embedder.dimensions, index };
}

/** A tenant's index of a model, which need not be the one that the service is set to. */
export function indexOf(env: Bindings, tenant: string, { name, index }: VectorModel): VectorIndex {
  const options = { tenant, embedder: name };
  if (index === "embedded") return createEmbeddedIndex(env.VECTOR_INDEX, options);
  if (env.VECTORIZE !== undefined) return createVectorizeIndex(env.VECTORIZE, options);
  throw failure(
    "not_configured",
    "The vectors are in Vectorize, which is not bound: add [[vectorize]] again.",
  );
}

export function indexerOf(env: Bindings, tenant: string): IndexerRpc {
  // The namespace knows nothing of the object's type; IndexerRpc is what IndexerObject implements.
  return env.INDEXER.getByName(tenant) as unknown as IndexerRpc;
}
