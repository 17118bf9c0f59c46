// Where texts of memories are quoted outside of the memories: the sessions whose threads hold tool results with them, and
// the texts of erased memories that sessions still have to remove.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../platform/d1";
import { requestCompaction } from "../compaction";
import type { StoreContext } from "../store-context";

export type Redaction = { id: number; tenant: string; session_id: string; text: string };

export function createQuotationRepository({ db, tenant }: StoreContext) {
  return {
    /** Notes that a session's thread is about to quote these memories. */
    async record(sessionId: string, memoryIds: readonly string[]): Promise<void> {
      if (memoryIds.length === 0) return;
      await runBatch(db, [
        sql`INSERT OR IGNORE INTO quotations (tenant, memory_id, session_id)
          SELECT m.tenant, m.id, ${sessionId} FROM json_each(${JSON.stringify(memoryIds)}) j
            CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value`,
      ]);
    },

    listRedactions: (limit: number) => listRedactions(db, limit, tenant),

    deleteRedactions: (redactions: readonly Redaction[]) => deleteRedactions(db, redactions),
  };
}

/** Lists texts that sessions have to remove, of a tenant or of all tenants. */
export function listRedactions(db: Database, limit: number, tenant?: string): Promise<Redaction[]> {
  return readAll<Redaction>(
    db,
    sql`SELECT id, tenant, session_id, text FROM redactions WHERE ${tenant === undefined ? sql`true` : sql`tenant = ${tenant}`}
      ORDER BY tenant, session_id, id LIMIT ${limit}`,
  );
}

export async function deleteRedactions(db: Database, redactions: readonly Redaction[]): Promise<void> {
  const ids = JSON.stringify(redactions.map(({ id }) => id));
  const which = sql`FROM redactions WHERE id IN (SELECT value FROM json_each(${ids}))`;
  await runBatch(db, [sql`DELETE ${which}`, requestCompaction]);
}

/**
 * Queues the texts of memories that are about to be erased for the sessions that quote them: their own, and those whose
 * threads hold a tool result with them. `ids` is a SELECT of memory ids in parentheses.
 */
export function queueRedactions(tenant: string, ids: SQL): SQL[] {
  const isErased = sql`m.tenant = ${tenant} AND m.id IN ${ids}`;
  const quoting = sql`SELECT m.session_id, m.content, m.rationale FROM memories m
      WHERE ${isErased} AND m.session_id IS NOT NULL
    UNION SELECT q.session_id, m.content, m.rationale FROM quotations q
      CROSS JOIN memories m ON m.tenant = q.tenant AND m.id = q.memory_id
      WHERE q.tenant = ${tenant} AND q.memory_id IN ${ids} AND ${isErased}`;
  return [
    sql`INSERT INTO redactions (tenant, session_id, text)
      SELECT DISTINCT ${tenant}, session_id, text FROM (
        SELECT session_id, content AS text FROM (${quoting})
        UNION SELECT session_id, rationale FROM (${quoting}) WHERE rationale IS NOT NULL)`,
    sql`DELETE FROM quotations WHERE tenant = ${tenant} AND memory_id IN ${ids}`,
  ];
}

/** Deletes what is noted of a session that is erased itself. */
export function deleteSessionQuotations(tenant: string, sessionId: string): SQL[] {
  const ofSession = sql`tenant = ${tenant} AND session_id = ${sessionId}`;
  return [sql`DELETE FROM quotations WHERE ${ofSession}`, sql`DELETE FROM redactions WHERE ${ofSession}`];
}
