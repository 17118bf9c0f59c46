// The list of what the vector index does not show as it is now. Whoever changes a memory or a message puts it on
// the list in the same batch; the indexer takes it off when the index has followed.
import { type SQL, sql } from "drizzle-orm";
import type { VectorKind } from "../vectors/vector-index";
import { batch, type Database, readAll } from "./database";

/** Puts on the list what `which` selects (a SELECT of ids), not to be worked on before a time. */
export function queueVectors(tenant: string, kind: VectorKind, which: SQL, dueAt = 0): SQL {
  return sql`INSERT OR REPLACE INTO vector_queue (tenant, kind, id, due_at)
    SELECT ${tenant}, ${kind}, id, ${dueAt} FROM (${which}) WHERE true`;
}

export function idList(ids: readonly string[]): SQL {
  return sql`SELECT value AS id FROM json_each(${JSON.stringify(ids)})`;
}

export type Queued = { seq: number; id: string; attempts: number; visible_after: string | null };

export function dueVectors(
  db: Database,
  tenant: string,
  kind: VectorKind,
  { now, limit }: { now: number; limit: number },
): Promise<Queued[]> {
  return readAll<Queued>(
    db,
    sql`SELECT seq, id, attempts, visible_after FROM vector_queue
      WHERE tenant = ${tenant} AND kind = ${kind} AND due_at <= ${now} ORDER BY seq LIMIT ${limit}`,
  );
}

/** By `seq`, so that what changed again meanwhile stays on the list. */
export async function dequeueVectors(db: Database, entries: readonly Queued[]): Promise<void> {
  if (entries.length > 0) await batch(db, [sql`DELETE FROM vector_queue WHERE seq IN (${seqs(entries)})`]);
}

/** Tries again later: after a failure, or until the index shows what it has taken. */
export async function postponeVectors(
  db: Database,
  entries: readonly Queued[],
  { dueAt, failed, visibleAfter }: { dueAt: number; failed: boolean; visibleAfter?: string },
): Promise<void> {
  if (entries.length === 0) return;
  await batch(db, [
    sql`UPDATE vector_queue SET due_at = ${dueAt}, attempts = ${failed ? sql`attempts + 1` : sql`0`},
        visible_after = coalesce(${visibleAfter ?? null}, visible_after)
      WHERE seq IN (${seqs(entries)})`,
  ]);
}

function seqs(entries: readonly Queued[]): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(entries.map(({ seq }) => seq))})`;
}

/** When the next entry is due, and how many there are. */
export async function queueState(
  db: Database,
  tenant: string | null,
): Promise<{ next: number | null; waiting: number }> {
  const where = tenant === null ? sql`true` : sql`tenant = ${tenant}`;
  const [row] = await readAll<{ next: number | null; waiting: number }>(
    db,
    sql`SELECT min(due_at) AS next, count(*) AS waiting FROM vector_queue WHERE ${where}`,
  );
  return row ?? { next: null, waiting: 0 };
}

/** Tenants that have something due, for whoever wakes their indexers. */
export async function tenantsWithQueue(db: Database, now: number, limit: number): Promise<string[]> {
  const rows = await readAll<{ tenant: string }>(
    db,
    sql`SELECT DISTINCT tenant FROM vector_queue WHERE due_at <= ${now} LIMIT ${limit}`,
  );
  return rows.map(({ tenant }) => tenant);
}
