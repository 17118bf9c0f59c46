// Composes the embedder, the vector index and the indexer of a tenant from the environment.

import { getVectorize, hasSeveralIndexes } from "../../kernel/databases/shard-bindings";
import { locateTenant } from "../../kernel/databases/tenant-directory";
import type { Bindings } from "../../kernel/env";
import { failure } from "../../kernel/errors";
import type { VectorKind } from "../../kernel/tables";
import type { Embedder } from "../../models/embedders/embedder";
import { selectEmbedder } from "../../models/embedders/select-embedder";
import { createEmbeddedIndex } from "./embedded-index";
import { type VectorIndex, VectorIndexError, type VectorModel } from "./vector-index";
import { createVectorizeIndex, MAX_TOP_K, type VectorizeOptions } from "./vectorize-index";

// The Vectorize index of a tenant whose database has an index of its own: each call goes to where the tenant is now. What
// an isolate remembers of that may be outdated: whoever reads the database beside compares `epoch` afterwards.

function createPlacedIndex(env: Bindings, options: VectorizeOptions): VectorIndex {
  const { tenant } = options;
  const open = async (): Promise<VectorIndex> => {
    const { shard } = await locateTenant(env, tenant);
    const binding = getVectorize(env, shard);
    if (binding === undefined) throw new VectorIndexError("Vectorize is not bound.");
    return createVectorizeIndex(binding, options);
  };
  return {
    name: "vectorize",
    maxMatches: MAX_TOP_K,
    epoch: async () => (await locateTenant(env, tenant)).epoch,
    upsert: async (...args) => (await open()).upsert(...args),
    isVisible: async (...args) => (await open()).isVisible(...args),
    query: async (...args) => (await open()).query(...args),
    remove: async (...args) => (await open()).remove(...args),
    clear: async () => (await open()).clear(),
  };
}

/** The RPC interface of a tenant's indexer object. */
export type IndexerRpc = {
  /** Schedules an indexing run and returns the milliseconds until it begins. */
  wake(tenant: string): Promise<number>;
  /** Processes the embedding backlog and returns the number of remaining entries. */
  drain(tenant: string): Promise<number>;
  /** Removes vectors and returns the number of those that existed. */
  remove(tenant: string, kind: VectorKind, ids: string[]): Promise<number>;
};

/** The part of the same object that only the erasure of a tenant uses. */
export type ErasableIndexer = IndexerRpc & {
  /** Removes all vectors of the tenant, and then the state of the indexer itself. */
  erase(tenant: string): Promise<void>;
};

export type SemanticServices = { embedder: Embedder; index: VectorIndex };

/** `semantic` is null when no embedder is configured: then only lexical search is available. */
export type VectorServices = { semantic: SemanticServices | null; indexer: IndexerRpc };

export function createVectorServices(env: Bindings, tenant: string): VectorServices {
  return { semantic: createSemanticServices(env, tenant), indexer: getIndexer(env, tenant) };
}

export function createSemanticServices(env: Bindings, tenant: string): SemanticServices | null {
  const model = selectVectorModel(env);
  const embedder = selectEmbedder(env);
  return model === null || embedder === null
    ? null
    : { embedder, index: openVectorIndex(env, tenant, model) };
}

/** Returns the configured embedder and index, null when no embedder is configured. */
export function selectVectorModel(env: Bindings): VectorModel | null {
  const embedder = selectEmbedder(env);
  const index = env.VECTORIZE === undefined ? "embedded" : "vectorize";
  return embedder && { name: embedder.name, dimensions: embedder.dimensions, index };
}

/** Opens a tenant's index of a model, which may differ from the configured one. */
export function openVectorIndex(env: Bindings, tenant: string, { name, index }: VectorModel): VectorIndex {
  const options = { tenant, embedder: name };
  if (index === "embedded") return createEmbeddedIndex(env.VECTOR_INDEX, options);
  if (hasSeveralIndexes(env)) return createPlacedIndex(env, options);
  if (env.VECTORIZE !== undefined) return createVectorizeIndex(env.VECTORIZE, options);
  throw failure(
    "not_configured",
    "The vectors are in Vectorize, which is not bound: add the [[vectorize]] binding again.",
  );
}

export function getIndexer(env: Bindings, tenant: string): ErasableIndexer {
  // The binding is untyped; IndexerObject implements ErasableIndexer.
  return env.INDEXER.getByName(tenant) as unknown as ErasableIndexer;
}
