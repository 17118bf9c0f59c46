// Handoffs between agents: created once and acknowledged by one agent. Each change is one batch that also records the
// response to its Idempotency-Key, so that a caller who lost the response receives it by sending the call again.

import { type SQL, sql } from "drizzle-orm";
import { requestCompaction } from "../../kernel/databases/compaction";
import { readAll, runBatch } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import { fail, ok, type Result } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import { parseJson } from "../../kernel/json";
import { applyOnce } from "../../kernel/operation-log";
import type { Page, StoreContext } from "../../kernel/store-context";
import type { handoffs } from "../../kernel/tables";
import { canonicalJson } from "../../language/json-text";
import type { Handoff, HandoffCreate, HandoffStatus } from "./handover-schemas";

type HandoffRow = Omit<typeof handoffs.$inferSelect, "tenant">;

type HandoffFilter = {
  to_agent: string | null;
  from_agent: string | null;
  project_id: string | null;
  status: HandoffStatus | null;
};
const FILTERS = ["to_agent", "from_agent", "project_id", "status"] as const satisfies (keyof HandoffFilter)[];

type CreatedHandoff = { handoff: Handoff; created: boolean };

export function createHandoffRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, removes, writes } = declareMethods(context);

  async function find(id: string): Promise<Handoff | null> {
    const [row] = await readAll<HandoffRow>(db, selectHandoffs(sql`tenant = ${tenant} AND id = ${id}`));
    return row === undefined ? null : toHandoff(row);
  }

  return {
    find: reads(find),

    /** Returns handoffs, newest first. */
    list: reads(async (filter: HandoffFilter, { limit, after }: Page): Promise<Handoff[]> => {
      const conditions = [
        sql`tenant = ${tenant}`,
        ...FILTERS.filter((column) => filter[column] !== null).map(
          (column) => sql`${sql.raw(column)} = ${filter[column]}`,
        ),
        ...(after === null ? [] : [sql`(timestamp, id) < (${after.timestamp}, ${after.id})`]),
      ];
      const rows = await readAll<HandoffRow>(
        db,
        sql`${selectHandoffs(sql.join(conditions, sql` AND `))} ORDER BY timestamp DESC, id DESC LIMIT ${limit}`,
      );
      return rows.map(toHandoff);
    }),

    /** Creates a handoff. An equal one with the same id is returned, a different one is refused. */
    create: writes(
      (
        { id, ...fields }: HandoffCreate & { id: string },
        operation: Idempotency,
      ): Promise<Result<CreatedHandoff>> => {
        return applyOnce<CreatedHandoff>(context, operation, async (at) => {
          const existing = await find(id);
          if (existing !== null) {
            if (isSameHandoff(existing, fields))
              return ok({ response: { handoff: existing, created: false }, statements: [] });
            return fail("conflict", `There is another handoff ${id}. Give this one another id, or none.`);
          }
          const handoff: Handoff = {
            ...fields,
            id,
            timestamp: fields.timestamp ?? at,
            status: "pending",
            acknowledged_by: null,
            acknowledged_at: null,
          };
          return ok({ response: { handoff, created: true }, statements: [insertHandoff(tenant, handoff)] });
        });
      },
    ),

    /** Erases a handoff with the stored replies that repeat it. Returns whether there was one. */
    erase: removes(async (id: string): Promise<boolean> => {
      const which = sql`FROM handoffs WHERE tenant = ${tenant} AND id = ${id}`;
      const [rows] = await runBatch(db, [
        sql`SELECT 1 ${which}`,
        sql`DELETE FROM operations WHERE tenant = ${tenant} AND ${repeatsHandoff(sql`${id}`)}`,
        sql`DELETE ${which}`,
        requestCompaction,
      ]);
      return (rows ?? []).length > 0;
    }),

    /** Assigns a pending handoff to an agent. The first agent receives it; the failure for others names it. */
    acknowledge: writes(
      (
        { id, agent_id }: { id: string; agent_id: string },
        operation: Idempotency,
      ): Promise<Result<Handoff>> => {
        return applyOnce<Handoff>(context, operation, async (at) => {
          const existing = await find(id);
          if (existing === null) return handoffNotFound(id);
          if (existing.status === "acknowledged")
            return fail(
              "conflict",
              `Handoff ${id} was acknowledged by ${existing.acknowledged_by}. Leave it to that agent.`,
            );
          const handoff: Handoff = {
            ...existing,
            status: "acknowledged",
            acknowledged_by: agent_id,
            acknowledged_at: at,
          };
          const which = sql`tenant = ${tenant} AND id = ${id}`;
          return ok({
            response: handoff,
            statements: [
              assertThat(sql`EXISTS (SELECT 1 FROM handoffs WHERE ${which} AND status = 'pending')`),
              sql`UPDATE handoffs SET status = ${handoff.status}, acknowledged_by = ${agent_id}, acknowledged_at = ${at}
              WHERE ${which}`,
            ],
          });
        });
      },
    ),
  };
}

/** Compares two handoffs; a time that was not given is not compared. */
function isSameHandoff(existing: Handoff, fields: Omit<HandoffCreate, "id">): boolean {
  const { from_agent, to_agent, project_id, context, timestamp } = existing;
  return (
    canonicalJson({ from_agent, to_agent, project_id, context, timestamp }) ===
    canonicalJson({ ...fields, timestamp: fields.timestamp ?? timestamp })
  );
}

function insertHandoff(tenant: string, handoff: Handoff): SQL {
  const { id, project_id, from_agent, to_agent, timestamp, context, status } = handoff;
  return sql`INSERT INTO handoffs (tenant, id, project_id, from_agent, to_agent, timestamp, context, status)
    VALUES (${tenant}, ${id}, ${project_id}, ${from_agent}, ${to_agent}, ${timestamp}, ${JSON.stringify(context)}, ${status})`;
}

function selectHandoffs(condition: SQL): SQL {
  return sql`SELECT id, project_id, from_agent, to_agent, timestamp, context, status, acknowledged_by, acknowledged_at
    FROM handoffs WHERE ${condition}`;
}

/**
 * Matches stored replies that may repeat one of these handoffs: whole ones, and those to its creation, which has it as a
 * member, and to its acknowledgement, which is the handoff itself.
 */
export function repeatsHandoff(ids: SQL): SQL {
  return sql`(quotes = 1 OR response ->> '$.handoff.id' IN (${ids})
    OR (response ->> '$.from_agent' IS NOT NULL AND response ->> '$.id' IN (${ids})))`;
}

export function handoffNotFound(id: string) {
  return fail("not_found", `Handoff not found: ${id}. Check the id; GET /v1/handoffs lists the handoffs.`);
}

function toHandoff({ context, status, ...row }: HandoffRow): Handoff {
  return { ...row, context: parseJson<Handoff["context"]>(context), status: status as HandoffStatus };
}
