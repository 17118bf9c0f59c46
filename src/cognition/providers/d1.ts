// The d1 provider: items in the long-term store, found by their words.
import { collectionOf } from "../../long-term/items";
import type { LongTermStore } from "../../long-term/store";
import type { ProviderOptions } from "../../schemas/cognition";
import type { Provider } from "../provider";

export function openD1(store: LongTermStore, sessionId: string, { index }: ProviderOptions): Provider {
  const { get, put, delete: remove, byWords } = store.items(collectionOf("d1", sessionId, index));
  return { get, put, query: byWords, delete: remove };
}
