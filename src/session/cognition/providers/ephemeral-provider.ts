// The ephemeral provider: items in the session's own object that expire. Reads omit expired items; the session's alarm
// deletes them.
import type { Provider } from "../../../domain/cognition/provider";
import { COGNITION } from "../../../limits";
import type { ProviderOptions } from "../../../schemas/directive";
import { openObjectItems, rankEntries } from "./object-items";

/** `index` names a store of this session. */
export function openEphemeral(
  sql: SqlStorage,
  { index = "", ttl_ms = COGNITION.ephemeralTtlMs }: ProviderOptions,
  now: () => number,
): Provider {
  const items = openObjectItems(sql, {
    table: "ephemeral_items",
    provider: "ephemeral",
    store: index,
    expiry: { now, ttlMs: ttl_ms },
  });
  return {
    get: async (keys) => [...new Set(keys)].flatMap((key) => items.find(key) ?? []),
    put: async (added) => items.put(added),
    query: async (query) => rankEntries(items.list(), query),
    delete: async (keys) => [...new Set(keys)].filter((key) => items.delete(key)).length,
  };
}

/** Inside a transaction: deletes the expired items of all stores. */
export function sweepEphemeral(sql: SqlStorage, now: number): void {
  sql.exec("DELETE FROM ephemeral_items WHERE expires_at <= ?", now);
}
