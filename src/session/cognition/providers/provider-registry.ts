// The registry of providers: a new one is a file beside these, its name in PROVIDERS and a line here.
import type { Provider, ProviderName } from "../../../domain/cognition/provider";
import type { ProviderOptions } from "../../../schemas/directive";
import type { LongTermMemory } from "../../../search/long-term-memory";
import { selectCollection } from "../../../store/item-repository";

import { openInline } from "./inline-provider";

/** What a provider may use: the session's own storage, and its tenant's long-term memory. */
export type ProviderServices = {
  sql: SqlStorage;
  memory: Pick<LongTermMemory, "store" | "search" | "indexing">;
  sessionId: string;
};

type Open = (services: ProviderServices, options: ProviderOptions) => Provider;

const REGISTRY: Record<ProviderName, Open> = {
  inline: ({ sql }, options) => openInline(sql, options),
  d1: ({ memory, sessionId }, options) => openD1(memory, sessionId, options),
  vector: ({ memory, sessionId }, options) => openVector(memory, sessionId, options),
};

export function openProvider(
  name: ProviderName,
  services: ProviderServices,
  options: ProviderOptions,
): Provider {
  return REGISTRY[name](services, options);
}

export function openD1(
  { store }: Pick<LongTermMemory, "store">,
  sessionId: string,
  { index }: ProviderOptions,
): Provider {
  const { get, put, delete: remove, searchText } = store.items(selectCollection("d1", sessionId, index));
  return { get, put, query: searchText, delete: remove };
}

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
