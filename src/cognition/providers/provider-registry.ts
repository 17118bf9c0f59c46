// The registry of providers that directives run on. A new provider takes its name in PROVIDERS and a line here.

import { selectCollection } from "../../recall/search/item-repository";
import type { LongTermMemory } from "../../services/long-term-memory";
import type { ProviderOptions } from "../runtime/thread-schemas";
import { openEphemeral, openInline, type SpaceStore } from "./object-providers";
import type { Provider, ProviderName } from "./provider";

/** The services of a provider: the session's storage and spaces, and its tenant's long-term memory. */
type ProviderServices = {
  sql: SqlStorage;
  spaces: SpaceStore;
  now: () => number;
  memory: Pick<LongTermMemory, "store" | "search" | "indexing">;
  sessionId: string;
};

type Open = (services: ProviderServices, options: ProviderOptions) => Provider;

const REGISTRY: Record<ProviderName, Open> = {
  inline: ({ sql, spaces }, options) => openInline(sql, options, spaces),
  ephemeral: ({ sql, now }, options) => openEphemeral(sql, options, now),
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

/** Opens the d1 provider: items in the long-term store, found by their words. */
function openD1(
  { store }: Pick<LongTermMemory, "store">,
  sessionId: string,
  { index }: ProviderOptions,
): Provider {
  const { get, put, delete: remove, searchText } = store.items(selectCollection("d1", sessionId, index));
  return { get, put: (items) => put(items), query: searchText, delete: remove };
}

/** Opens the vector provider: items in the long-term store, found by similarity, including those not yet indexed. */
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
    async put(added) {
      const { name } = search.requireEmbedder();
      await items.put(added, name);
      void indexing.wake();
    },
    async delete(keys) {
      const deleted = await items.delete(keys);
      void indexing.wake();
      return deleted;
    },
  };
}
