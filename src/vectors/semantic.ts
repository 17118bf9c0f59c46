// Everything that recall by meaning needs, for one tenant, as the environment has it.
import type { Embedder } from "../embedding/embedder";
import { embedderOf } from "../embedding/select";
import type { Bindings } from "../env";
import { createEmbeddedIndex } from "./embedded";
import type { VectorIndex, VectorKind } from "./vector-index";
import { createVectorizeIndex } from "./vectorize";

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
  const embedder = embedderOf(env);
  return embedder === null ? null : { embedder, index: indexOf(env, tenant, embedder) };
}

export function indexOf(env: Bindings, tenant: string, { name }: Pick<Embedder, "name">): VectorIndex {
  const options = { tenant, embedder: name };
  return env.VECTORIZE === undefined
    ? createEmbeddedIndex(env.VECTOR_INDEX, options)
    : createVectorizeIndex(env.VECTORIZE, options);
}

/** What the index is, for whoever runs the service. */
export function indexName(env: Bindings): "vectorize" | "embedded" {
  return env.VECTORIZE === undefined ? "embedded" : "vectorize";
}

export function indexerOf(env: Bindings, tenant: string): IndexerRpc {
  // The namespace knows nothing of the object's type; IndexerRpc is what IndexerObject implements.
  return env.INDEXER.getByName(tenant) as unknown as IndexerRpc;
}
