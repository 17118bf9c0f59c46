// The embedding backlog, table `vector_queue`: entries whose vectors are outdated. A writer queues them in the batch
// of its change; the indexer removes them when the vector index has been updated.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../platform/d1";
import { VECTOR_KINDS, type VectorKind } from "../../vectors/vector-index";
import type { vectorQueue } from "../tables";

/** Entries that are embedded and written together. */
export const VECTOR_PAGE_SIZE = 32;

/** The newest entries of the backlog, in which a search looks for unindexed rows. */
export const BACKLOG_SEARCH_WINDOW = 2_000;

/** Queues the vectors that `which` selects (a SELECT of ids in the vector index), due at a time. */
export function queueVectors(tenant: string, kind: VectorKind, which: SQL, dueAt = 0): SQL {
  return sql`INSERT OR REPLACE INTO vector_queue (tenant, kind, id, due_at)
    SELECT ${tenant}, ${kind}, id, ${dueAt} FROM (${which}) WHERE true`;
}

export function selectIds(ids: readonly string[]): SQL {
  return sql`SELECT value AS id FROM json_each(${JSON.stringify(ids)})`;
}

export type QueuedVector = Pick<typeof vectorQueue.$inferSelect, "seq" | "id" | "attempts" | "visible_after">;

export function listDueVectors(
  db: Database,
  tenant: string,
  kind: VectorKind,
  { now, limit }: { now: number; limit: number },
): Promise<QueuedVector[]> {
  return readAll<QueuedVector>(
    db,
    sql`SELECT seq, id, attempts, visible_after FROM vector_queue
      WHERE tenant = ${tenant} AND kind = ${kind} AND due_at <= ${now} ORDER BY due_at, seq LIMIT ${limit}`,
  );
}

/**
 * Removes entries by `seq`: an entry that was queued again meanwhile has a new one and stays. Records the time in the same
 * batch, for searches that read the backlog beside the index.
 */
export async function dequeueVectors(db: Database, entries: readonly QueuedVector[]): Promise<void> {
  if (entries.length === 0) return;
  const where = sql`seq IN (${selectSeqs(entries)})`;
  await runBatch(db, [
    sql`UPDATE tenants SET indexed_at = unixepoch('now', 'subsec')
      WHERE tenant IN (SELECT tenant FROM vector_queue WHERE ${where})`,
    sql`DELETE FROM vector_queue WHERE ${where}`,
  ]);
}

/** Builds a SELECT of `ago`, the milliseconds since entries of a tenant last left the backlog; NULL if none did. */
export function selectLastDequeue(tenant: string): SQL {
  return sql`SELECT (unixepoch('now', 'subsec') - indexed_at) * 1000 AS ago FROM tenants WHERE tenant = ${tenant}`;
}

/** Postpones entries, spread over a time: after a failure, or until the index shows the vectors written. */
export async function postponeVectors(
  db: Database,
  entries: readonly QueuedVector[],
  {
    dueAt,
    failed,
    visibleAfter,
    spreadMs = 0,
  }: { dueAt: number; failed: boolean; visibleAfter?: string; spreadMs?: number },
): Promise<void> {
  if (entries.length === 0) return;
  const first = Math.min(...entries.map(({ seq }) => seq));
  await runBatch(db, [
    sql`UPDATE vector_queue SET due_at = ${dueAt} + (seq - ${first}) % ${VECTOR_PAGE_SIZE} * ${Math.ceil(spreadMs / VECTOR_PAGE_SIZE)}, attempts = ${failed ? sql`attempts + 1` : sql`0`},
        visible_after = coalesce(${visibleAfter ?? null}, visible_after)
      WHERE seq IN (${selectSeqs(entries)})`,
  ]);
}

function selectSeqs(entries: readonly QueuedVector[]): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(entries.map(({ seq }) => seq))})`;
}

/** Returns when the next entry of a tenant is due; null if there is none. */
export async function findNextDueTime(db: Database, tenant: string): Promise<number | null> {
  const perKind = VECTOR_KINDS.map(
    (kind) => sql`SELECT min(due_at) AS at FROM vector_queue WHERE tenant = ${tenant} AND kind = ${kind}`,
  );
  const [row] = await readAll<{ due: number | null }>(
    db,
    sql`SELECT min(at) AS due FROM (${sql.join(perKind, sql` UNION ALL `)})`,
  );
  return row?.due ?? null;
}

/** Returns the number of entries of a tenant, or of all tenants if it is null. */
export async function countQueuedVectors(db: Database, tenant: string | null): Promise<number> {
  const where = tenant === null ? sql`true` : sql`tenant = ${tenant}`;
  const [row] = await readAll<{ queued: number }>(
    db,
    sql`SELECT count(*) AS queued FROM vector_queue WHERE ${where}`,
  );
  return row?.queued ?? 0;
}

/** Returns tenants with due entries, whose indexers the cron wakes. */
export async function listTenantsWithDueVectors(db: Database, now: number, limit: number): Promise<string[]> {
  const rows = await readAll<{ tenant: string }>(
    db,
    sql`SELECT DISTINCT tenant FROM vector_queue WHERE due_at <= ${now} LIMIT ${limit}`,
  );
  return rows.map(({ tenant }) => tenant);
}
