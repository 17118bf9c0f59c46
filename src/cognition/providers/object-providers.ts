// The providers in the session's own object, inline and ephemeral: items in a table, found by their words. Every query
// scans the store, so its size is limited. No function of a store awaits, so each is atomic.

import { countUtf8Bytes } from "../../kernel/common";
import { failure, unwrap } from "../../kernel/errors";
import { type Json, parseJson } from "../../kernel/json";
import { COGNITION } from "../../kernel/limits";
import { toItemText } from "../../language/json-text";
import { scoreWordOverlap } from "../../language/similarity";
import type { ProviderItem, ProviderOptions, ProviderQuery } from "../runtime/thread-schemas";
import type { SpaceContainer } from "../spaces/space-container";
import {
  type EntryAddress,
  listEntries,
  locateEntry,
  planDeletions,
  planPuts,
  readEntry,
} from "../spaces/space-entries";
import type { MemoryPatch } from "../spaces/space-schemas";
import type { Provider, ProviderEntry, ProviderMatch } from "./provider";

/** `expiry` is set for the table with a time to live: expired rows count as deleted. */
type ObjectItemsOptions = {
  table: "items" | "ephemeral_items";
  provider: string;
  store: string;
  expiry?: { now: () => number; ttlMs: number };
};

function openObjectItems(sql: SqlStorage, { table, provider, store, expiry }: ObjectItemsOptions) {
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
function rankEntries(entries: readonly ProviderEntry[], { text, top_k }: ProviderQuery): ProviderMatch[] {
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

/** The spaces of the session. */
export type SpaceStore = {
  listNames: () => ReadonlySet<string>;
  load: (names: readonly string[] | "all") => SpaceContainer;
  /** Changes spaces as one revision of the container. */
  update: (spaces: NonNullable<MemoryPatch["spaces"]>) => void;
  /** Runs work in one transaction. */
  transact: <T>(work: () => T) => T;
};

/**
 * Opens the inline provider: the entries of the session's spaces, and beside them items under keys that name no space.
 * `sql` has the table `items` of the session's schema. `index` names a store of this session, without its spaces.
 */
export function openInline(sql: SqlStorage, { index }: ProviderOptions, spaces: SpaceStore): Provider {
  const items = openObjectItems(sql, { table: "items", provider: "inline", store: index ?? "" });

  /** Returns the entries of spaces that keys name. A key of an item from before its space existed stays readable. */
  function locateAll(keys: readonly string[]): Map<string, EntryAddress> {
    if (index !== undefined) return new Map();
    const names = spaces.listNames();
    return new Map(
      keys.flatMap((key) => {
        const address = locateEntry(key, (name) => names.has(name));
        return address === null ? [] : [[key, address] as const];
      }),
    );
  }

  const loadSpaces = (addresses: Iterable<EntryAddress>) =>
    spaces.load([...new Set([...addresses].map(({ space }) => space))]);

  return {
    async get(keys) {
      const addresses = locateAll(keys);
      const container = loadSpaces(addresses.values());
      return [...new Set(keys)].flatMap((key) => {
        const address = addresses.get(key);
        const value = address === undefined ? undefined : readEntry(container, address);
        if (value === undefined) return items.find(key) ?? [];
        if (!isItemSized({ key, value }))
          throw failure(
            "limit_exceeded",
            `${key} has more than ${COGNITION.itemBytes} bytes as JSON, which no signal carries. Read the space itself.`,
          );
        return { key, value };
      });
    },

    async put(added) {
      const last = [...new Map(added.map((item) => [item.key, item])).values()];
      const addresses = locateAll(last.map(({ key }) => key));
      const { entries = [], others = [] } = Object.groupBy(last, ({ key }) =>
        addresses.has(key) ? "entries" : "others",
      );
      spaces.transact(() => {
        items.put(others);
        storeEntries(entries, addresses);
      });
    },

    async query(query) {
      const entries = index === undefined ? selectSearchable(listEntries(spaces.load("all"))) : [];
      const shown = new Set(entries.map(({ key }) => key));
      return rankEntries([...entries, ...items.list().filter(({ key }) => !shown.has(key))], query);
    },

    async delete(keys) {
      const distinct = [...new Set(keys)];
      const addresses = locateAll(distinct);
      return spaces.transact(() => {
        const container = loadSpaces(addresses.values());
        const stored = [...addresses].filter(([, address]) => readEntry(container, address) !== undefined);
        if (stored.length > 0)
          spaces.update(
            planDeletions(
              container,
              stored.map(([, address]) => address),
            ),
          );
        const inSpaces = new Set(stored.map(([key]) => key));
        return distinct.filter((key) => items.delete(key) || inSpaces.has(key)).length;
      });
    },
  };

  function storeEntries(
    entries: readonly ProviderItem[],
    addresses: ReadonlyMap<string, EntryAddress>,
  ): void {
    if (entries.length === 0) return;
    const addressed = entries.flatMap((item) => {
      const address = addresses.get(item.key);
      return address === undefined ? [] : [{ ...item, address }];
    });
    spaces.update(unwrap(planPuts(loadSpaces(addresses.values()), addressed)));
    for (const { key } of entries) items.delete(key);
  }
}

/** Selects the entries that a query searches, the first ones up to the size of a store: it blocks the object meanwhile. */
function selectSearchable(entries: readonly ProviderEntry[]): ProviderEntry[] {
  let room: number = COGNITION.inlineBytes;
  return entries.filter((entry) => {
    const bytes = measureEntry(entry);
    if (bytes > COGNITION.itemBytes || bytes > room) return false;
    room -= bytes;
    return true;
  });
}

/** Whether an entry is no larger than an item: a signal carries up to a hundred of them. */
function isItemSized(entry: ProviderEntry): boolean {
  return measureEntry(entry) <= COGNITION.itemBytes;
}

function measureEntry({ value }: ProviderEntry): number {
  return countUtf8Bytes(JSON.stringify(value));
}

/**
 * Opens the ephemeral provider, whose items expire: reads omit expired ones, and the session's alarm deletes them.
 * `index` names a store of this session.
 */
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
