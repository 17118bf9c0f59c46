// The provider's port: memory behind a name, outside the spaces. Whatever the backend, an item put is found by the
// next query, and one deleted by none: a new provider runs the suite in test/integration/providers.
import type { Json } from "../../platform/json";
import type { ProviderItem, ProviderQuery } from "../../schemas/cognition";

export type ProviderMatch = { key: string; score: number; value: Json };

/** Failures the caller can mend are FailureErrors; anything else is tried again. Every call can be repeated. */
export type Provider = {
  /** The items there are under these keys, in the order of the keys. */
  get(keys: readonly string[]): Promise<ProviderItem[]>;
  put(items: readonly ProviderItem[]): Promise<void>;
  /** Best first; scores from 0 to 1. No match is an empty list. */
  query(query: ProviderQuery): Promise<ProviderMatch[]>;
  /** Takes items out and counts those that were there. */
  delete(keys: readonly string[]): Promise<number>;
};

export const PROVIDERS = ["inline", "d1", "vector"] as const;
export type ProviderName = (typeof PROVIDERS)[number];
