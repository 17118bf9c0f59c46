// The d1 provider: items in the long-term store, found by their words.

import type { Provider } from "../../../domain/cognition/provider";
import type { ProviderOptions } from "../../../schemas/cognition";
import { collectionOf } from "../../../store/items/item-repository";
import type { LongTermStore } from "../../../store/store";

export function openD1(store: LongTermStore, sessionId: string, { index }: ProviderOptions): Provider {
  const { get, put, delete: remove, byWords } = store.items(collectionOf("d1", sessionId, index));
  return { get, put, query: byWords, delete: remove };
}
