// Writes the text-index entries of copied rows: the text indexes do not store their texts, so that they cannot be copied.
import { sql } from "drizzle-orm";
import {
  type EpisodeRow,
  fromEpisodeRow,
  indexEpisodeRows,
  toEpisodeRow,
} from "../../experience/episodes/episode-mapping";
import { type Database, readAll, runBatch, splitIntoChunks } from "../../kernel/databases/d1";
import { buildMemoryEntry, indexMemoryEntries, selectFollowers } from "../../memories/store/memory-entry";
import { fromMemoryRow, type MemoryRow } from "../../memories/store/memory-mapping";
import { type ItemRow, indexItemRows } from "../../recall/search/item-repository";
import { type MessageCursor, reindexSession } from "../../sessions/reindex-messages";

export const INDEXED_TABLES = ["messages", "memories", "episodes", "items"] as const;
type IndexedTable = (typeof INDEXED_TABLES)[number];

export function isIndexed(table: string): table is IndexedTable {
  return (INDEXED_TABLES as readonly string[]).includes(table);
}

/** Indexes the rows with these numbers, and removes the entries of those that no longer exist. */
export async function indexRows(
  db: Database,
  tenant: string,
  table: IndexedTable,
  seqs: readonly number[],
): Promise<void> {
  const json = JSON.stringify(seqs);
  const [rows] = await runBatch(db, [
    sql`SELECT * FROM ${sql.raw(table)} WHERE seq IN (SELECT value FROM json_each(${json})) ORDER BY seq`,
    sql`DELETE FROM ${sql.raw(`${table}_fts`)} WHERE rowid IN (SELECT value FROM json_each(${json}))
      AND rowid NOT IN (SELECT seq FROM ${sql.raw(table)} WHERE seq IN (SELECT value FROM json_each(${json})))`,
  ]);
  await INDEX_BY_TABLE[table](db, tenant, rows ?? []);
}

type IndexTable = (db: Database, tenant: string, rows: readonly unknown[]) => Promise<void>;

const INDEX_BY_TABLE: Record<IndexedTable, IndexTable> = {
  async messages(db, _tenant, rows) {
    const bySession = Map.groupBy(rows as MessageCursor[], ({ session_id }) => session_id);
    for (const messages of bySession.values())
      await reindexSession(
        db,
        messages.toSorted((a, b) => a.position - b.position),
      );
  },
  async memories(db, tenant, rows) {
    const entries = (rows as MemoryRow[]).map((row) => ({
      id: row.id,
      ...buildMemoryEntry(tenant, fromMemoryRow(row)),
    }));
    for (const chunk of splitIntoChunks(entries)) await runBatch(db, [indexMemoryEntries(tenant, chunk)]);
  },
  async episodes(db, tenant, rows) {
    const entries = await Promise.all(
      (rows as EpisodeRow[]).map((row) => toEpisodeRow(tenant, fromEpisodeRow(row))),
    );
    for (const chunk of splitIntoChunks(entries))
      await runBatch(db, [indexEpisodeRows(tenant, JSON.stringify(chunk))]);
  },
  async items(db, tenant, rows) {
    for (const chunk of splitIntoChunks(rows as ItemRow[]))
      await runBatch(db, [indexItemRows(tenant, chunk)]);
  },
};

/** Returns the numbers of the memories that have one of these memories as their context. */
export async function listFollowers(
  db: Database,
  tenant: string,
  seqs: readonly number[],
): Promise<number[]> {
  const ids = sql`SELECT id FROM memories WHERE seq IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`;
  const rows = await readAll<{ seq: number }>(
    db,
    sql`SELECT seq FROM memories WHERE tenant = ${tenant} AND id IN (${selectFollowers(tenant, ids)})`,
  );
  return rows.map(({ seq }) => seq);
}
