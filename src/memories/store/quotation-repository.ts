// Where texts of memories are quoted outside of the memories: the sessions whose threads hold tool results with them, and
// the queue of what sessions still have to remove of erased memories.

import { type SQL, sql } from "drizzle-orm";
import { requestCompaction } from "../../kernel/databases/compaction";
import { type Database, readAll, runBatch } from "../../kernel/databases/d1";
import { isPlacedHere } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import type { StoreContext } from "../../kernel/store-context";
import type { redactions } from "../../kernel/tables";
import { MINUTE_MS } from "../../kernel/time";

export type QueuedRedaction = Pick<
  typeof redactions.$inferSelect,
  "id" | "session_id" | "memory_id" | "own" | "text"
>;

/** The delay doubles up to this power of two minutes, about four hours: a queued text is never given up. */
const MAX_BACKOFF_POWER = 8;

export function createQuotationRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { writes } = declareMethods(context);

  return {
    /** Notes that a session's thread is about to quote these memories. */
    record: writes(async (sessionId: string, memoryIds: readonly string[]): Promise<void> => {
      if (memoryIds.length === 0) return;
      await runBatch(db, [
        sql`INSERT OR IGNORE INTO quotations (tenant, memory_id, session_id)
          SELECT m.tenant, m.id, ${sessionId} FROM json_each(${JSON.stringify(memoryIds)}) j
            CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value`,
      ]);
    }),
  };
}

/** The queue of a caller's tenant. */
export function createRedactionRepository(context: StoreContext) {
  const { reads, unmasked } = declareMethods(context);
  const { list, remove, postpone } = createRedactionQueue(context.db, context.tenant);
  // Rows are compared with the stored text, which the policy of today may mask.
  return { list: reads(list), remove: unmasked(remove), postpone: unmasked(postpone) };
}

export type RedactionQueue = ReturnType<typeof createRedactionQueue>;

/** Creates the queue of one tenant. */
export function createRedactionQueue(db: Database, tenant: string) {
  return {
    tenant,

    /** Lists what is due, the oldest first. */
    list: (now: number, limit: number): Promise<QueuedRedaction[]> =>
      readAll<QueuedRedaction>(
        db,
        sql`SELECT id, session_id, memory_id, own, text FROM redactions
          WHERE tenant = ${tenant} AND due_at <= ${now} ORDER BY due_at, id LIMIT ${limit}`,
      ),

    async remove(done: readonly QueuedRedaction[]): Promise<void> {
      if (done.length === 0) return;
      await runBatch(db, [sql`DELETE FROM redactions WHERE ${isAmong(tenant, done)}`, requestCompaction]);
    },

    /** Counts a failed attempt and sets the time of the next one, with exponential back-off. */
    async postpone(failed: readonly QueuedRedaction[], now: number): Promise<void> {
      if (failed.length === 0) return;
      await runBatch(db, [
        sql`UPDATE redactions SET attempts = attempts + 1,
            due_at = ${now} + ${MINUTE_MS} * (1 << min(attempts, ${MAX_BACKOFF_POWER}))
          WHERE ${isAmong(tenant, failed)}`,
      ]);
    },
  };
}

/** Compares more than the id: the tenant may have moved since it was read, and each database numbers its own rows. */
function isAmong(tenant: string, queued: readonly QueuedRedaction[]): SQL {
  const json = JSON.stringify(queued);
  return sql`tenant = ${tenant} AND id IN (SELECT value ->> '$.id' FROM json_each(${json}))
    AND EXISTS (SELECT 1 FROM json_each(${json}) WHERE value ->> '$.id' = redactions.id
      AND value ->> '$.session_id' = session_id AND value ->> '$.memory_id' IS memory_id
      AND value ->> '$.own' = own AND value ->> '$.text' = text)`;
}

/** Lists the tenants with due redactions, the one that has waited longest first. */
export async function listTenantsWithDueRedactions(
  db: Database,
  now: number,
  limit: number,
): Promise<string[]> {
  const rows = await readAll<{ tenant: string }>(
    db,
    sql`SELECT tenant FROM redactions r WHERE due_at <= ${now} AND ${isPlacedHere(sql`r.tenant`)}
      GROUP BY tenant ORDER BY min(due_at), min(id) LIMIT ${limit}`,
  );
  return rows.map(({ tenant }) => tenant);
}

/**
 * Queues the redaction of memories that are about to be erased: for their own sessions their texts, for the sessions
 * whose threads hold a tool result with them their ids. `ids` is a SELECT of memory ids in parentheses.
 */
export function queueRedactions(tenant: string, ids: SQL): SQL[] {
  // A short property value, such as a count, a time or the id of a related memory, occurs by chance.
  const isDistinctive = sql`(t.path = '$' OR (length(t.atom) >= 12 AND instr(trim(t.atom), ' ') > 0))`;
  return [
    sql`INSERT INTO redactions (tenant, session_id, memory_id, own, text)
      SELECT m.tenant, m.session_id, m.id, 1, t.atom FROM memories m
        CROSS JOIN json_tree(json_array(m.content, m.rationale, json(m.properties))) t
      WHERE m.tenant = ${tenant} AND m.id IN ${ids} AND m.session_id IS NOT NULL
        AND t.type = 'text' AND ${isDistinctive}
      UNION SELECT m.tenant, m.session_id, m.id, 1, t.atom FROM memories m
        CROSS JOIN memory_versions v ON v.tenant = m.tenant AND v.memory_id = m.id
        CROSS JOIN json_tree(json_array(v.state ->> '$.content', v.state ->> '$.rationale', json(v.state ->> '$.properties'))) t
      WHERE m.tenant = ${tenant} AND m.id IN ${ids} AND m.session_id IS NOT NULL
        AND t.type = 'text' AND ${isDistinctive}`,
    sql`INSERT INTO redactions (tenant, session_id, memory_id, own, text)
      SELECT tenant, session_id, memory_id, 0, '' FROM quotations
      WHERE tenant = ${tenant} AND memory_id IN ${ids}`,
    sql`DELETE FROM quotations WHERE tenant = ${tenant} AND memory_id IN ${ids}`,
  ];
}

/** Deletes what is noted of a session that is erased itself. */
export function deleteSessionQuotations(tenant: string, sessionId: string): SQL[] {
  const ofSession = sql`tenant = ${tenant} AND session_id = ${sessionId}`;
  return [sql`DELETE FROM quotations WHERE ${ofSession}`, sql`DELETE FROM redactions WHERE ${ofSession}`];
}
