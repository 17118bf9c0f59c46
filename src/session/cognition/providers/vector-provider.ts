// The vector provider: items in the long-term store, found by meaning. The vector index follows by its list, and a
// query adds what it does not show yet.

import type { Provider } from "../../../domain/cognition/provider";
import type { ProviderOptions } from "../../../schemas/directive";
import type { LongTermMemory } from "../../../search/long-term-memory";
import { selectCollection } from "../../../store/item-repository";

export function openVector(
  { store, search, indexing }: Pick<LongTermMemory, "store" | "search" | "indexing">,
  sessionId: string,
  { index }: ProviderOptions,
): Provider {
  const collection = selectCollection("vector", sessionId, index);
  const items = store.items(collection);
  return {
    get: items.get,
    query: (query) => search.searchItems(collection, query),
    async put(given) {
      search.requireEmbedder();
      await items.put(given);
      void indexing.wake();
    },
    async delete(keys) {
      const deleted = await items.delete(keys);
      void indexing.wake();
      return deleted;
    },
  };
}
