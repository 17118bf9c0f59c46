// The items of memory providers, by collection: read by key, searched by text, and queued for the vector index if the
// collection has vectors.

import { type SQL, sql } from "drizzle-orm";
import type { ProviderItem, ProviderQuery } from "../../cognition/runtime/thread-schemas";
import { requestCompaction } from "../../kernel/databases/compaction";
import { type Database, readAll, runBatch, splitIntoChunks } from "../../kernel/databases/d1";
import { ensureTenant, getSeqRange, nextSeq } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import { sha256Hex } from "../../kernel/hash";
import { type Json, parseJson } from "../../kernel/json";
import type { StoreContext } from "../../kernel/store-context";
import type { items } from "../../kernel/tables";
import { toItemText } from "../../language/json-text";
import { extractSearchTerms, toIndexText, toMatchExpression } from "../../language/words/query-terms";
import { computeScopeToken } from "../../memories/store/memory-id";
import { queueVectors } from "../../memories/store/vector-queue";
import { encodeVector } from "../vectors/quantise";

export type ItemRow = typeof items.$inferSelect;

export type Collection = {
  name: string;
  /** The session that owns the collection; null if sessions share it. */
  session_id: string | null;
  /** Whether its items have vectors for semantic search. */
  vectors: boolean;
};

export type ItemMatch = { key: string; score: number; value: Json };

/** Returns the tenant's collection with this name, or without a name the session's own. Providers share none. */
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

/** Returns the id of an item in the vector index. */
export async function computeItemVectorId(tenant: string, collection: string, key: string): Promise<string> {
  return (await sha256Hex(`item\n${tenant}\n${collection}\n${key}`)).slice(0, 32);
}

/** Creates the repository of one collection. */
export function createItemRepository(context: StoreContext, collection: Collection) {
  const { db, tenant, now } = context;
  const { reads, removes, writes } = declareMethods(context);

  const { name, session_id, vectors } = collection;
  return {
    /**
     * Writes items and their text-index entries, replacing those with the same keys. `embedder` names the one that their
     * own embeddings are compared with.
     */
    put: writes(async (given: readonly ProviderItem[], embedder: string | null = null): Promise<void> => {
      const at = now();
      const last = new Map(given.map((item) => [item.key, item]));
      const rows = await Promise.all(
        [...last.values()].map(async ({ key, value, embedding }) => {
          const text = toItemText(key, value);
          return {
            key,
            value: JSON.stringify(value),
            text,
            words: toItemWords(key, text),
            vector_id: vectors ? await computeItemVectorId(tenant, name, key) : null,
            embedding: embedding === undefined ? null : encodeVector(embedding),
          };
        }),
      );
      for (const chunk of splitIntoChunks(rows)) {
        const json = JSON.stringify(chunk);
        await runBatch(db, [
          ensureTenant(tenant),
          sql`INSERT INTO items (seq, tenant, collection, key, value, text, session_id, vector_id, updated_at, embedding, embedder)
            SELECT ${nextSeq(tenant, "items")} + key, ${tenant}, ${name}, value ->> '$.key', value ->> '$.value',
              value ->> '$.text', ${session_id}, value ->> '$.vector_id', ${at}, value ->> '$.embedding',
              iif(value ->> '$.embedding' IS NULL, NULL, ${embedder})
            FROM json_each(${json}) WHERE true
            ON CONFLICT (tenant, collection, key) DO UPDATE
              SET value = excluded.value, text = excluded.text, updated_at = excluded.updated_at,
                embedding = excluded.embedding, embedder = excluded.embedder`,
          sql`INSERT OR REPLACE INTO items_fts (rowid, scope, text)
            SELECT m.seq, ${computeScopeToken(tenant, "collection", name)}, j.value ->> '$.words'
            FROM json_each(${json}) j CROSS JOIN items m
              ON m.tenant = ${tenant} AND m.collection = ${name} AND m.key = j.value ->> '$.key'`,
          ...(vectors
            ? [
                queueVectors(
                  tenant,
                  "item",
                  sql`SELECT value ->> '$.vector_id' AS id FROM json_each(${json})`,
                ),
              ]
            : []),
        ]);
      }
    }),

    /** Returns the items with these keys, in their order. */
    get: reads(async (keys: readonly string[]): Promise<Omit<ItemMatch, "score">[]> => {
      const rows = await readAll<Pick<ItemRow, "key" | "value">>(
        db,
        sql`SELECT m.key, m.value FROM json_each(${JSON.stringify([...new Set(keys)])}) j CROSS JOIN items m
            ON m.tenant = ${tenant} AND m.collection = ${name} AND m.key = j.value
          ORDER BY j.key`,
      );
      return rows.map(({ key, value }) => ({ key, value: parseJson<Json>(value) }));
    }),

    /** Deletes items and returns how many there were. */
    delete: removes(async (keys: readonly string[]): Promise<number> => {
      const which = sql`FROM items WHERE tenant = ${tenant} AND collection = ${name}
        AND key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
      const [rows] = await runBatch(db, [
        sql`SELECT count(*) AS deleted ${which}`,
        ...deleteItems(tenant, which),
      ]);
      const [counted] = (rows ?? []) as { deleted: number }[];
      return counted?.deleted ?? 0;
    }),

    searchText: reads((query: ProviderQuery) => searchItemText(db, tenant, collection, query)),
  };
}

/** Returns what the text index has of an item. */
function toItemWords(key: string, text: string): string {
  return toIndexText(`${key} ${text}`.normalize("NFKC"));
}

/** Returns the entry of an item in the text index. */
export function toItemEntry(
  tenant: string,
  { collection, key, text }: Pick<ItemRow, "collection" | "key" | "text">,
): { scope: string; words: string } {
  return { scope: computeScopeToken(tenant, "collection", collection), words: toItemWords(key, text) };
}

/** Writes the text-index entries of rows that exist, replacing earlier ones. */
export function indexItemRows(
  tenant: string,
  rows: readonly Pick<ItemRow, "seq" | "collection" | "key" | "text">[],
): SQL {
  const entries = rows.map(({ seq, ...item }) => ({ seq, ...toItemEntry(tenant, item) }));
  return sql`INSERT OR REPLACE INTO items_fts (rowid, scope, text)
    SELECT m.seq, j.value ->> '$.scope', j.value ->> '$.words'
    FROM json_each(${JSON.stringify(entries)}) j CROSS JOIN items m ON m.seq = j.value ->> '$.seq'`;
}

/** Finds items with any word of the query. The score is the share of its words, where rare words weigh more. */
export async function searchItemText(
  db: Database,
  tenant: string,
  { name }: Collection,
  { text, top_k }: ProviderQuery,
): Promise<ItemMatch[]> {
  const terms = extractSearchTerms(text).map(toMatchExpression);
  if (terms.length === 0) return [];
  const { from, to } = getSeqRange(tenant);
  const within = `scope : "${computeScopeToken(tenant, "collection", name)}" AND text : `;
  // The weights are those of src/language/similarity.ts. Equal scores are ordered by BM25.
  const rows = await readAll<Pick<ItemRow, "key" | "value"> & { score: number }>(
    db,
    sql`WITH terms (term) AS (SELECT value FROM json_each(${JSON.stringify(terms)})),
      hits (term, seq, bm25) AS MATERIALIZED (
        SELECT a.term, f.rowid, f.rank FROM terms a CROSS JOIN items_fts f
        WHERE items_fts MATCH ${within} || a.term AND f.rowid > ${from} AND f.rowid < ${to}
      ),
      weighed (term, weight) AS MATERIALIZED (
        SELECT a.term, 1 / (1 + ln(max(1, count(h.seq)))) FROM terms a LEFT JOIN hits h ON h.term = a.term GROUP BY a.term
      ),
      best (seq, score, bm25) AS MATERIALIZED (
        SELECT h.seq, sum(w.weight) / (SELECT sum(weight) FROM weighed) AS score, sum(h.bm25) AS bm25
        FROM hits h JOIN weighed w ON w.term = h.term GROUP BY h.seq ORDER BY score DESC, bm25, h.seq LIMIT ${top_k}
      )
      SELECT m.key, m.value, min(1, b.score) AS score FROM best b CROSS JOIN items m ON m.seq = b.seq
      WHERE m.tenant = ${tenant} AND m.collection = ${name} ORDER BY b.score DESC, b.bm25, b.seq`,
  );
  return rows.map(toItemMatch);
}

/** Returns the items of vector-index hits that the collection still has, with their scores. */
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
  return rows.map(toItemMatch);
}

function toItemMatch({ key, value, score }: { key: string; value: string; score: number }): ItemMatch {
  return { key, score, value: parseJson<Json>(value) };
}

/** Selects the vector ids of the items that `which` selects (a FROM clause). */
export function selectItemVectors(which: SQL): SQL {
  return sql`SELECT vector_id AS id ${which} AND vector_id IS NOT NULL`;
}

/** Returns the FROM clause of a session's own items. */
export function fromSessionItems(tenant: string, sessionId: string): SQL {
  return sql`FROM items WHERE tenant = ${tenant} AND session_id = ${sessionId}`;
}

/**
 * Deletes the items that `which` selects (a FROM clause) everywhere but in the vector index. Queues their vectors too:
 * the indexer removes a vector whose item is gone.
 */
export function deleteItems(tenant: string, which: SQL): SQL[] {
  return [
    sql`DELETE FROM items_fts WHERE rowid IN (SELECT seq ${which})`,
    queueVectors(tenant, "item", selectItemVectors(which)),
    sql`DELETE ${which}`,
    requestCompaction,
  ];
}
