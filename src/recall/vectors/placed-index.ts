// The Vectorize index of a tenant whose database has an index of its own: each call goes to where the tenant is now. What
// an isolate remembers of that may be outdated: whoever reads the database beside compares `epoch` afterwards.

import { getVectorize } from "../../kernel/databases/shard-bindings";
import { locateTenant } from "../../kernel/databases/tenant-directory";
import type { Bindings } from "../../kernel/env";
import { type VectorIndex, VectorIndexError } from "./vector-index";
import { createVectorizeIndex, MAX_TOP_K, type VectorizeOptions } from "./vectorize-index";

export function createPlacedIndex(env: Bindings, options: VectorizeOptions): VectorIndex {
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
