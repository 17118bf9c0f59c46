// The inline provider: items in the session's own object, found by their words. Every query scans the store, so its size
// is limited.

import type { Provider, ProviderMatch } from "../../../domain/cognition/provider";
import { COGNITION } from "../../../limits";
import { failure } from "../../../platform/errors";
import { type Json, parseJson } from "../../../platform/json";
import { countUtf8Bytes } from "../../../schemas/common";
import type { ProviderOptions } from "../../../schemas/directive";
import { toItemText } from "../../../text/json-text";
import { scoreWordOverlap } from "../../../text/similarity";

/** `sql` has the table `items (store, key, value)` of the session's schema. `index` names a store of this session. */
export function openInline(sql: SqlStorage, { index: store = "" }: ProviderOptions): Provider {
  const findValue = (key: string): string | undefined =>
    sql
      .exec<{ value: string }>("SELECT value FROM items WHERE store = ? AND key = ?", store, key)
      .toArray()[0]?.value;

  /** Returns the size of the items under other keys. */
  const countOtherBytes = (keys: readonly string[]): number =>
    sql
      .exec<{ bytes: number }>(
        `SELECT coalesce(sum(length(CAST(value AS BLOB))), 0) AS bytes FROM items
         WHERE store = ? AND key NOT IN (SELECT value FROM json_each(?))`,
        store,
        JSON.stringify(keys),
      )
      .one().bytes;

  // No method awaits, so each call is atomic.
  return {
    async get(keys) {
      return [...new Set(keys)].flatMap((key) => {
        const value = findValue(key);
        return value === undefined ? [] : [{ key, value: parseJson<Json>(value) }];
      });
    },

    async put(items) {
      const { n } = sql.exec<{ n: number }>("SELECT count(*) AS n FROM items WHERE store = ?", store).one();
      const added = [...new Set(items.map(({ key }) => key))].filter((key) => findValue(key) === undefined);
      if (n + added.length > COGNITION.inlineItems)
        throw failure(
          "limit_exceeded",
          `An inline store takes at most ${COGNITION.inlineItems} items, this one has ${n} and would get ${added.length} more. Delete some, or use the d1 provider.`,
        );
      const texts = new Map(items.map(({ key, value }) => [key, JSON.stringify(value)]));
      const bytes =
        countOtherBytes([...texts.keys()]) +
        [...texts.values()].reduce((sum, text) => sum + countUtf8Bytes(text), 0);
      if (bytes > COGNITION.inlineBytes)
        throw failure(
          "limit_exceeded",
          `An inline store takes at most ${COGNITION.inlineBytes} bytes, this one would have ${bytes}. Delete some items, or use the d1 provider.`,
        );
      for (const [key, text] of texts)
        sql.exec("INSERT OR REPLACE INTO items (store, key, value) VALUES (?, ?, ?)", store, key, text);
    },

    async query({ text, top_k }) {
      const items = sql
        .exec<{ key: string; value: string }>("SELECT key, value FROM items WHERE store = ?", store)
        .toArray()
        .map(({ key, value }) => {
          const parsed = parseJson<Json>(value);
          return { key, value: parsed, text: `${key} ${toItemText(key, parsed)}` };
        });
      const scores = scoreWordOverlap(
        text,
        items.map((item) => item.text),
      );
      return items
        .map((item, i) => ({ ...item, score: scores[i] ?? 0 }))
        .filter(({ score }) => score > 0)
        .sort(compareMatches)
        .slice(0, top_k)
        .map(({ key, score, value }): ProviderMatch => ({ key, score, value }));
    },

    async delete(keys) {
      let deleted = 0;
      for (const key of new Set(keys))
        deleted += sql
          .exec("DELETE FROM items WHERE store = ? AND key = ? RETURNING key", store, key)
          .toArray().length;
      return deleted;
    },
  };
}

type Scored = { key: string; score: number; text: string };

/** Orders by score; of equal matches the shorter text is the more specific. */
function compareMatches(a: Scored, b: Scored): number {
  return b.score - a.score || a.text.length - b.text.length || (a.key < b.key ? -1 : 1);
}
