// The d1 provider: items in the long-term store, found by their words.

import type { Provider } from "../../../domain/cognition/provider";
import type { ProviderOptions } from "../../../schemas/directive";
import type { LongTermMemory } from "../../../search/long-term-memory";
import { selectCollection } from "../../../store/item-repository";

export function openD1(
  { store }: Pick<LongTermMemory, "store">,
  sessionId: string,
  { index }: ProviderOptions,
): Provider {
  const { get, put, delete: remove, searchText } = store.items(selectCollection("d1", sessionId, index));
  return { get, put, query: searchText, delete: remove };
}
