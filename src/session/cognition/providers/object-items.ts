// Items in a table of the session's own object, found by their words. Every query scans the store, so its size is
// limited. No function awaits, so each is atomic.
import type { ProviderEntry, ProviderMatch } from "../../../domain/cognition/provider";
import { COGNITION } from "../../../limits";
import { failure } from "../../../platform/errors";
import { type Json, parseJson } from "../../../platform/json";
import { countUtf8Bytes } from "../../../schemas/common";
import type { ProviderItem, ProviderQuery } from "../../../schemas/directive";
import { toItemText } from "../../../text/json-text";
import { scoreWordOverlap } from "../../../text/similarity";

/** `expiry` is set for the table with a time to live: expired rows are as good as deleted. */
export type ObjectItemsOptions = {
  table: "items" | "ephemeral_items";
  provider: string;
  store: string;
  expiry?: { now: () => number; ttlMs: number };
};

export function openObjectItems(sql: SqlStorage, { table, provider, store, expiry }: ObjectItemsOptions) {
  const live = expiry === undefined ? "store = ?" : "store = ? AND expires_at > ?";
  const bind = () => (expiry === undefined ? [store] : [store, expiry.now()]);

  const findValue = (key: string): string | undefined =>
    sql
      .exec<{ value: string }>(`SELECT value FROM ${table} WHERE ${live} AND key = ?`, ...bind(), key)
      .toArray()[0]?.value;

  const insert = (key: string, text: string) =>
    expiry === undefined
      ? sql.exec(`INSERT OR REPLACE INTO ${table} (store, key, value) VALUES (?, ?, ?)`, store, key, text)
      : sql.exec(
          `INSERT OR REPLACE INTO ${table} (store, key, value, expires_at) VALUES (?, ?, ?, ?)`,
          store,
          key,
          text,
          expiry.now() + expiry.ttlMs,
        );

  /** Throws `limit_exceeded` if the store would be too large with items, which replace those under the same keys. */
  function checkStoreSize(texts: ReadonlyMap<string, string>): void {
    const { n, bytes: others } = sql
      .exec<{ n: number; bytes: number }>(
        `SELECT count(*) AS n, coalesce(sum(length(CAST(value AS BLOB))), 0) AS bytes FROM ${table}
         WHERE ${live} AND key NOT IN (SELECT value FROM json_each(?))`,
        ...bind(),
        JSON.stringify([...texts.keys()]),
      )
      .one();
    if (n + texts.size > COGNITION.inlineItems)
      throw failure(
        "limit_exceeded",
        `A store of ${provider} takes at most ${COGNITION.inlineItems} items, this one would have ${n + texts.size}. Delete some, or use the d1 provider.`,
      );
    const bytes = [...texts.values()].reduce((sum, text) => sum + countUtf8Bytes(text), others);
    if (bytes > COGNITION.inlineBytes)
      throw failure(
        "limit_exceeded",
        `A store of ${provider} takes at most ${COGNITION.inlineBytes} bytes, this one would have ${bytes}. Delete some items, or use the d1 provider.`,
      );
  }

  return {
    find(key: string): ProviderEntry | null {
      const value = findValue(key);
      return value === undefined ? null : { key, value: parseJson<Json>(value) };
    },

    list(): ProviderEntry[] {
      return sql
        .exec<{ key: string; value: string }>(`SELECT key, value FROM ${table} WHERE ${live}`, ...bind())
        .toArray()
        .map(({ key, value }) => ({ key, value: parseJson<Json>(value) }));
    },

    put(items: readonly ProviderItem[]): void {
      const texts = new Map(items.map(({ key, value }) => [key, JSON.stringify(value)]));
      checkStoreSize(texts);
      for (const [key, text] of texts) insert(key, text);
    },

    /** Returns whether there was such an item. */
    delete(key: string): boolean {
      const deleted = sql.exec(
        `DELETE FROM ${table} WHERE ${live} AND key = ? RETURNING key`,
        ...bind(),
        key,
      );
      return deleted.toArray().length > 0;
    },
  };
}

/** Returns the entries with words of the query, best first. */
export function rankEntries(
  entries: readonly ProviderEntry[],
  { text, top_k }: ProviderQuery,
): ProviderMatch[] {
  const items = entries.map(({ key, value }) => ({ key, value, text: `${key} ${toItemText(key, value)}` }));
  const scores = scoreWordOverlap(
    text,
    items.map((item) => item.text),
  );
  return items
    .map((item, i) => ({ ...item, score: scores[i] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort(compareMatches)
    .slice(0, top_k)
    .map(({ key, score, value }) => ({ key, score, value }));
}

type Scored = { key: string; score: number; text: string };

/** Orders by score; of equal matches the shorter text is the more specific. */
function compareMatches(a: Scored, b: Scored): number {
  return b.score - a.score || a.text.length - b.text.length || (a.key < b.key ? -1 : 1);
}
