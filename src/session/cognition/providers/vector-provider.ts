// The vector provider: items in the long-term store, found by meaning. The vector index follows by its list, and a
// query adds what it does not show yet.

import type { Provider } from "../../../domain/cognition/provider";
import type { ProviderOptions } from "../../../schemas/cognition";
import { collectionOf } from "../../../store/items/item-repository";
import type { LongTermStore } from "../../../store/store";

export function openVector(store: LongTermStore, sessionId: string, { index }: ProviderOptions): Provider {
  const items = store.items(collectionOf("vector", sessionId, index));
  return {
    get: items.get,
    query: items.byMeaning,
    async put(given) {
      await items.put(given);
      void store.wakeIndexer();
    },
    async delete(keys) {
      const deleted = await items.delete(keys);
      void store.wakeIndexer();
      return deleted;
    },
  };
}
