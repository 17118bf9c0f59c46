// The embedding backlog, table `vector_queue`: entries whose vectors are outdated. A writer queues them in the batch
// of its change; the indexer removes them when the vector index has been updated.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll } from "../../kernel/databases/d1";
import { isPlacedHere } from "../../kernel/databases/statements";
import { VECTOR_KINDS, type VectorKind, type vectorQueue } from "../../kernel/tables";

/** Entries of a kind that are embedded and written together. */
export const VECTOR_PAGE_SIZE = 32;

/** The newest entries of the backlog, in which a search looks for unindexed rows. */
export const BACKLOG_SEARCH_WINDOW = 2_000;

/**
 * Queues the vectors that `which` selects (a SELECT of ids in the vector index), due at a time. An id that is in the
 * backlog already gets a second, newer entry.
 */
export function queueVectors(tenant: string, kind: VectorKind, which: SQL, dueAt = 0): SQL {
  return sql`INSERT INTO vector_queue (tenant, kind, seq, id, due_at)
    SELECT ${tenant}, ${kind}, ${nextQueueSeq(sql`${tenant}`, kind)} + row_number() OVER (), id, ${dueAt}
    FROM (${which}) WHERE true`;
}

/**
 * Builds an expression for the number before the first free one. It is later than every entry of the kind, so that the
 * indexer recognises an entry that is queued while it works on an earlier one.
 */
export function nextQueueSeq(tenant: SQL, kind: VectorKind): SQL {
  return sql`max(coalesce((SELECT max(seq) FROM vector_queue WHERE tenant = ${tenant} AND kind = ${kind}), 0),
    CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000)`;
}

export function selectIds(ids: readonly string[]): SQL {
  return sql`SELECT value AS id FROM json_each(${JSON.stringify(ids)})`;
}

export type QueuedVector = Pick<typeof vectorQueue.$inferSelect, "seq" | "id" | "attempts" | "visible_after">;

/** Builds a SELECT of the ids in the newest entries of a kind, each with its newest entry; of all if `newest` is -1. */
export function selectBacklog(tenant: string, kind: VectorKind, newest: number): SQL {
  // A bare column is that of the row with the maximum.
  return sql`SELECT id, max(seq) AS seq, attempts, visible_after FROM (
      SELECT id, seq, attempts, visible_after FROM vector_queue
      WHERE tenant = ${tenant} AND kind = ${kind} ORDER BY seq DESC LIMIT ${newest}
    ) GROUP BY id`;
}

/** Records that entries of a tenant leave the backlog, for searches that read it beside the index. In the same batch. */
export function recordDequeue(tenant: string): SQL {
  return sql`UPDATE tenants SET indexed_at = unixepoch('now', 'subsec') WHERE tenant = ${tenant}`;
}

/** Builds a SELECT of `ago`, the milliseconds since entries of a tenant last left the backlog; NULL if none did. */
export function selectLastDequeue(tenant: string): SQL {
  return sql`SELECT (unixepoch('now', 'subsec') - indexed_at) * 1000 AS ago FROM tenants WHERE tenant = ${tenant}`;
}

/** The due entries of a tenant that are worked off together. */
type DuePage = { tenant: string; now: number };

/** Builds a SELECT of the first due entries of a kind, oldest first. */
function selectDuePage({ tenant, now }: DuePage, kind: VectorKind): SQL {
  return sql`SELECT kind, seq, id, attempts, visible_after FROM vector_queue
    WHERE tenant = ${tenant} AND kind = ${kind} AND due_at <= ${now} ORDER BY seq LIMIT ${VECTOR_PAGE_SIZE}`;
}

/** Builds a SELECT of the due entries of all kinds. */
export function selectDueVectors(page: DuePage): SQL {
  const kinds = VECTOR_KINDS.map((kind) => sql`SELECT * FROM (${selectDuePage(page, kind)})`);
  return sql.join(kinds, sql` UNION ALL `);
}

/** Builds a SELECT of the ids of a kind that are due and have not been written to the index. */
export function selectUnwrittenIds(page: DuePage, kind: VectorKind): SQL {
  return sql`SELECT id FROM (${selectDuePage(page, kind)}) WHERE visible_after IS NULL`;
}

/** Builds a SELECT of when the next entry of a tenant is due. Kinds with a full page are left out: they have more. */
export function selectNextDueTime({ tenant, now }: DuePage): SQL {
  const kinds = VECTOR_KINDS.map((kind) => {
    const entries = sql`FROM vector_queue WHERE tenant = ${tenant} AND kind = ${kind}`;
    return sql`SELECT min(due_at) AS at ${entries} AND due_at > ${now}
      AND (SELECT count(*) FROM (SELECT 1 ${entries} AND due_at <= ${now} LIMIT ${VECTOR_PAGE_SIZE})) < ${VECTOR_PAGE_SIZE}`;
  });
  return sql`SELECT min(at) AS due FROM (${sql.join(kinds, sql` UNION ALL `)})`;
}

/**
 * Removes all entries of ids up to a number, the highest of the page that was read with their rows. An entry that was
 * queued meanwhile has a higher number and stays.
 */
export function dequeueIds(
  tenant: string,
  kind: VectorKind,
  { ids, through }: { ids: readonly string[]; through: number },
): SQL {
  return sql`DELETE FROM vector_queue WHERE tenant = ${tenant} AND kind = ${kind} AND seq <= ${through}
    AND id IN (${selectIds(ids)})`;
}

/** Removes these entries, and no others of the same ids. */
export function dequeueEntries(tenant: string, kind: VectorKind, entries: readonly QueuedVector[]): SQL {
  return sql`DELETE FROM vector_queue WHERE tenant = ${tenant} AND kind = ${kind} AND seq IN (${selectSeqs(entries)})`;
}

function selectSeqs(entries: readonly QueuedVector[]): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(entries.map(({ seq }) => seq))})`;
}

/** Postpones entries, spread over a time: after a failure, or until the index shows the vectors written. */
export function postponeVectors(
  tenant: string,
  kind: VectorKind,
  entries: readonly QueuedVector[],
  {
    dueAt,
    failed,
    visibleAfter,
    spreadMs = 0,
  }: { dueAt: number; failed: boolean; visibleAfter?: string; spreadMs?: number },
): SQL {
  const json = JSON.stringify(entries.map(({ seq }) => seq));
  const step = Math.ceil(spreadMs / VECTOR_PAGE_SIZE);
  return sql`UPDATE vector_queue SET due_at = ${dueAt} + ${step} * (SELECT key FROM json_each(${json}) WHERE value = seq),
      attempts = ${failed ? sql`attempts + 1` : sql`0`}, visible_after = coalesce(${visibleAfter ?? null}, visible_after)
    WHERE tenant = ${tenant} AND kind = ${kind} AND seq IN (${selectSeqs(entries)})`;
}

/** Returns the number of vectors of a tenant that are queued, or of all tenants if it is null. */
export async function countQueuedVectors(db: Database, tenant: string | null): Promise<number> {
  const where = tenant === null ? sql`true` : sql`tenant = ${tenant}`;
  const [row] = await readAll<{ queued: number }>(
    db,
    sql`SELECT count(*) AS queued FROM (SELECT DISTINCT tenant, kind, id FROM vector_queue WHERE ${where})`,
  );
  return row?.queued ?? 0;
}

/** Returns the oldest entries of a kind in the backlog of a tenant, due or not. */
export function listQueuedVectors(
  db: Database,
  tenant: string,
  kind: VectorKind,
  limit: number,
): Promise<QueuedVector[]> {
  return readAll<QueuedVector>(
    db,
    sql`SELECT seq, id, attempts, visible_after FROM vector_queue WHERE tenant = ${tenant} AND kind = ${kind}
      ORDER BY seq LIMIT ${limit}`,
  );
}

/** The oldest entries of each kind that tell whether a tenant has due ones: those of failures are due within minutes. */
const INSPECTED_ENTRIES = 10;

/**
 * Returns tenants of this database with due entries, whose indexers the cron wakes. Reads some entries of each tenant
 * that has any, and not the whole backlog.
 */
export async function listTenantsWithDueVectors(db: Database, now: number, limit: number): Promise<string[]> {
  const isDue = VECTOR_KINDS.map(
    (kind) => sql`EXISTS (SELECT 1 FROM (
      SELECT due_at FROM vector_queue WHERE tenant = queued.tenant AND kind = ${kind} ORDER BY seq LIMIT ${INSPECTED_ENTRIES}
    ) WHERE due_at <= ${now})`,
  );
  const rows = await readAll<{ tenant: string }>(
    db,
    sql`WITH RECURSIVE queued (tenant) AS (
        SELECT min(tenant) FROM vector_queue
        UNION ALL
        SELECT (SELECT min(tenant) FROM vector_queue WHERE tenant > queued.tenant) FROM queued WHERE tenant IS NOT NULL
      )
      SELECT tenant FROM queued WHERE tenant IS NOT NULL AND (${sql.join(isDue, sql` OR `)})
        AND ${isPlacedHere(sql`queued.tenant`)} LIMIT ${limit}`,
  );
  return rows.map(({ tenant }) => tenant);
}

// The tables whose rows have vectors, by kind, and their columns with the id in the vector index.

export const VECTOR_TABLES = {
  memory: { table: "memories", id: "id" },
  episode: { table: "episodes", id: "vector_id" },
  item: { table: "items", id: "vector_id" },
  message: { table: "messages", id: "vector_id" },
} as const satisfies Record<VectorKind, { table: string; id: string }>;
