// Items of the providers, in D1: by key, by their words, and on the list of the vector index where a collection is
// searched by meaning. Every statement names its tenant and its collection.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../platform/d1";
import { sha256Hex } from "../platform/hash";
import { type Json, parseJson } from "../platform/json";
import { splitIntoChunks } from "../platform/json-chunks";
import type { ProviderItem, ProviderQuery } from "../schemas/directive";
import { toItemText } from "../text/json-text";
import { extractQueryTerms, toIndexText } from "../text/query-terms";
import { computeScopeToken } from "./memories/memory-id";
import { ensureTenant, getSeqRange, nextSeq } from "./statements";
import type { StoreContext } from "./store-context";
import { queueVectors } from "./vectors/vector-queue";

export type ItemRow = {
  seq: number;
  tenant: string;
  collection: string;
  key: string;
  value: string;
  text: string;
  session_id: string | null;
  vector_id: string | null;
  updated_at: string;
};

export type Collection = {
  name: string;
  /** Whose own it is; null when sessions share it. */
  session_id: string | null;
  /** Whether it is searched by meaning. */
  vectors: boolean;
};

export type ItemMatch = { key: string; score: number; value: Json };

/** By name a collection of the tenant, else the session's own. Two providers never share one. */
export function selectCollection(
  provider: "d1" | "vector",
  sessionId: string,
  index: string | undefined,
): Collection {
  const vectors = provider === "vector";
  return index === undefined
    ? { name: `${provider}/session:${sessionId}`, session_id: sessionId, vectors }
    : { name: `${provider}/index:${index}`, session_id: null, vectors };
}

/** An item's id in the vector index. */
export async function computeItemVectorId(tenant: string, collection: string, key: string): Promise<string> {
  return (await sha256Hex(`item\n${tenant}\n${collection}\n${key}`)).slice(0, 32);
}

/** Puts items in, in place of what stood under their keys, in the text index too. */
export async function putItems(
  db: Database,
  tenant: string,
  { name, session_id, vectors }: Collection,
  items: readonly ProviderItem[],
  now: string,
): Promise<void> {
  const last = new Map(items.map(({ key, value }) => [key, value]));
  const rows = await Promise.all(
    [...last].map(async ([key, value]) => {
      const text = toItemText(key, value);
      return {
        key,
        value: JSON.stringify(value),
        text,
        words: toIndexText(`${key} ${text}`.normalize("NFKC")),
        vector_id: vectors ? await computeItemVectorId(tenant, name, key) : null,
      };
    }),
  );
  const scope = computeScopeToken(tenant, "collection", name);
  for (const piece of splitIntoChunks(rows)) {
    const json = JSON.stringify(piece);
    await runBatch(db, [
      ensureTenant(tenant),
      sql`INSERT INTO items (seq, tenant, collection, key, value, text, session_id, vector_id, updated_at)
        SELECT ${nextSeq(tenant, "items")} + key, ${tenant}, ${name}, value ->> '$.key', value ->> '$.value',
          value ->> '$.text', ${session_id}, value ->> '$.vector_id', ${now}
        FROM json_each(${json}) WHERE true
        ON CONFLICT (tenant, collection, key) DO UPDATE
          SET value = excluded.value, text = excluded.text, updated_at = excluded.updated_at`,
      sql`INSERT OR REPLACE INTO items_fts (rowid, scope, text)
        SELECT m.seq, ${scope}, j.value ->> '$.words'
        FROM json_each(${json}) j CROSS JOIN items m
          ON m.tenant = ${tenant} AND m.collection = ${name} AND m.key = j.value ->> '$.key'`,
      ...(vectors
        ? [queueVectors(tenant, "item", sql`SELECT value ->> '$.vector_id' AS id FROM json_each(${json})`)]
        : []),
    ]);
  }
}

/** The items there are, in the order of the keys. */
export async function getItems(
  db: Database,
  tenant: string,
  { name }: Collection,
  keys: readonly string[],
): Promise<ProviderItem[]> {
  const rows = await readAll<Pick<ItemRow, "key" | "value">>(
    db,
    sql`SELECT m.key, m.value FROM json_each(${JSON.stringify([...new Set(keys)])}) j CROSS JOIN items m
        ON m.tenant = ${tenant} AND m.collection = ${name} AND m.key = j.value
      ORDER BY j.key`,
  );
  return rows.map(({ key, value }) => ({ key, value: parseJson<Json>(value) }));
}

/** Takes items out and counts them. */
export async function deleteItems(
  db: Database,
  tenant: string,
  { name }: Collection,
  keys: readonly string[],
): Promise<number> {
  const which = sql`FROM items WHERE tenant = ${tenant} AND collection = ${name}
    AND key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  const [rows] = await runBatch(db, [sql`SELECT count(*) AS deleted ${which}`, ...drop(tenant, which)]);
  const [counted] = (rows ?? []) as { deleted: number }[];
  return counted?.deleted ?? 0;
}

/** What has any of the query's words; the score is the share that it has, where a rare word counts more. */
export async function searchItemText(
  db: Database,
  tenant: string,
  { name }: Collection,
  { text, top_k }: ProviderQuery,
): Promise<ItemMatch[]> {
  const terms = extractQueryTerms(text);
  if (terms.length === 0) return [];
  const { from, to } = getSeqRange(tenant);
  const within = `scope : "${computeScopeToken(tenant, "collection", name)}" AND text : "`;
  // The weights are those of src/text/word-match.ts. Equal scores in the order of the text index.
  const rows = await readAll<Pick<ItemRow, "key" | "value"> & { score: number }>(
    db,
    sql`WITH asked (term) AS (SELECT value FROM json_each(${JSON.stringify(terms)})),
      hits (term, seq, bm25) AS MATERIALIZED (
        SELECT a.term, f.rowid, f.rank FROM asked a CROSS JOIN items_fts f
        WHERE items_fts MATCH ${within} || a.term || '"' AND f.rowid > ${from} AND f.rowid < ${to}
      ),
      weighed (term, weight) AS MATERIALIZED (
        SELECT a.term, 1 / (1 + ln(max(1, count(h.seq)))) FROM asked a LEFT JOIN hits h ON h.term = a.term GROUP BY a.term
      ),
      best (seq, score, bm25) AS MATERIALIZED (
        SELECT h.seq, sum(w.weight) / (SELECT sum(weight) FROM weighed) AS score, sum(h.bm25) AS bm25
        FROM hits h JOIN weighed w ON w.term = h.term GROUP BY h.seq ORDER BY score DESC, bm25, h.seq LIMIT ${top_k}
      )
      SELECT m.key, m.value, min(1, b.score) AS score FROM best b CROSS JOIN items m ON m.seq = b.seq
      WHERE m.tenant = ${tenant} AND m.collection = ${name} ORDER BY b.score DESC, b.bm25, b.seq`,
  );
  return rows.map(toMatch);
}

/** The items behind hits of the vector index that stand in the collection now, each with its score. */
export async function findScoredItems(
  db: Database,
  tenant: string,
  { name }: Collection,
  scores: ReadonlyMap<string, number>,
  limit: number,
): Promise<ItemMatch[]> {
  if (scores.size === 0) return [];
  const json = JSON.stringify([...scores].map(([id, score]) => ({ id, score })));
  const rows = await readAll<Pick<ItemRow, "key" | "value"> & { score: number }>(
    db,
    sql`SELECT m.key, m.value, j.value ->> '$.score' AS score FROM json_each(${json}) j CROSS JOIN items m
        ON m.tenant = ${tenant} AND m.vector_id = j.value ->> '$.id'
      WHERE m.collection = ${name} ORDER BY score DESC, m.key LIMIT ${limit}`,
  );
  return rows.map(toMatch);
}

function toMatch({ key, value, score }: { key: string; value: string; score: number }): ItemMatch {
  return { key, score, value: parseJson<Json>(value) };
}

/** A SELECT of the ids that a session's own items have in the vector index. */
export function selectSessionItemVectors(tenant: string, sessionId: string): SQL {
  return sql`SELECT vector_id AS id FROM items
    WHERE tenant = ${tenant} AND session_id = ${sessionId} AND vector_id IS NOT NULL`;
}

/** The statements that take a session's own items out of everything but the vector index. */
export function deleteSessionItems(tenant: string, sessionId: string): SQL[] {
  return drop(tenant, sql`FROM items WHERE tenant = ${tenant} AND session_id = ${sessionId}`);
}

/** Whatever vector is left of what goes is without its item: the indexer takes it out. */
function drop(tenant: string, which: SQL): SQL[] {
  return [
    sql`DELETE FROM items_fts WHERE rowid IN (SELECT seq ${which})`,
    queueVectors(tenant, "item", sql`SELECT vector_id AS id ${which} AND vector_id IS NOT NULL`),
    sql`DELETE ${which}`,
  ];
}

/** Creates the repository of one collection. */
export function createItemRepository({ db, tenant, now }: StoreContext, collection: Collection) {
  return {
    get: (keys: readonly string[]) => getItems(db, tenant, collection, keys),
    put: (items: readonly ProviderItem[]) => putItems(db, tenant, collection, items, now()),
    delete: (keys: readonly string[]) => deleteItems(db, tenant, collection, keys),
    searchText: (query: ProviderQuery) => searchItemText(db, tenant, collection, query),
  };
}
