// Handoffs from agent to agent: made once, and taken by one. Each change is one batch together with the answer to its
// Idempotency-Key, so that a caller that lost the answer gets it by sending the call again.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, retryConflicts, runBatch } from "../../platform/d1";
import { fail, ok, type Result } from "../../platform/errors";
import { parseJson } from "../../platform/json";
import type { Handoff, HandoffCreate, HandoffStatus } from "../../schemas/handover";
import { canonicalJson } from "../../text/json-text";
import type { TimeCursor } from "../memories/memory-queries";
import { findOperation, type Operation, recordOperations } from "../operation-log";
import { assertThat } from "../statements";
import type { Page, StoreContext } from "../store-context";

type HandoffRow = Omit<Handoff, "context"> & { context: string };
type Made = { handoff: Handoff; created: boolean };
type Change<T> = { answer: T; statements: SQL[] };
type Options = { now: string; operation: Operation | null };

/** Makes a handoff, or gives the one that is there if it is the same. */
export function createHandoff(
  db: Database,
  tenant: string,
  { id, ...told }: HandoffCreate & { id: string },
  options: Options,
): Promise<Result<Made>> {
  return applyOnce<Made>(db, tenant, options, async () => {
    const known = await findHandoff(db, tenant, id);
    if (known !== null) {
      if (isSame(known, told)) return ok({ answer: { handoff: known, created: false }, statements: [] });
      return fail("conflict", `There is another handoff ${id}. Give this one another id, or none.`);
    }
    const handoff: Handoff = {
      ...told,
      id,
      timestamp: told.timestamp ?? options.now,
      status: "pending",
      acknowledged_by: null,
      acknowledged_at: null,
    };
    return ok({ answer: { handoff, created: true }, statements: [insert(tenant, handoff)] });
  });
}

/** A time that was not given makes no difference. */
function isSame(known: Handoff, told: Omit<HandoffCreate, "id">): boolean {
  const { from_agent, to_agent, project_id, context, timestamp } = known;
  return (
    canonicalJson({ from_agent, to_agent, project_id, context, timestamp }) ===
    canonicalJson({ ...told, timestamp: told.timestamp ?? timestamp })
  );
}

function insert(tenant: string, handoff: Handoff): SQL {
  const { id, project_id, from_agent, to_agent, timestamp, context, status } = handoff;
  return sql`INSERT INTO handoffs (tenant, id, project_id, from_agent, to_agent, timestamp, context, status)
    VALUES (${tenant}, ${id}, ${project_id}, ${from_agent}, ${to_agent}, ${timestamp}, ${JSON.stringify(context)}, ${status})`;
}

/** Takes a handoff for an agent. The first to come has it, and all others are told who that is. */
export function acknowledgeHandoff(
  db: Database,
  tenant: string,
  { id, agent_id }: { id: string; agent_id: string },
  options: Options,
): Promise<Result<Handoff>> {
  return applyOnce(db, tenant, options, async () => {
    const known = await findHandoff(db, tenant, id);
    if (known === null) return handoffNotFound(id);
    if (known.status === "acknowledged")
      return fail(
        "conflict",
        `Handoff ${id} was acknowledged by ${known.acknowledged_by}. Leave it to that agent.`,
      );
    const handoff: Handoff = {
      ...known,
      status: "acknowledged",
      acknowledged_by: agent_id,
      acknowledged_at: options.now,
    };
    const it = sql`tenant = ${tenant} AND id = ${id}`;
    return ok({
      answer: handoff,
      statements: [
        assertThat(sql`EXISTS (SELECT 1 FROM handoffs WHERE ${it} AND status = 'pending')`),
        sql`UPDATE handoffs SET status = ${handoff.status}, acknowledged_by = ${agent_id}, acknowledged_at = ${options.now}
          WHERE ${it}`,
      ],
    });
  });
}

/** Applies what is planned, or gives the answer of when it was applied. */
function applyOnce<T>(
  db: Database,
  tenant: string,
  { now, operation }: Options,
  plan: () => Promise<Result<Change<T>>>,
): Promise<Result<T>> {
  return retryConflicts(async () => {
    const earlier = operation === null ? null : await findOperation<T>(db, tenant, operation);
    if (earlier !== null) return earlier;
    const planned = await plan();
    if (!planned.ok) return planned;
    const { answer, statements } = planned.value;
    const record =
      operation === null
        ? []
        : [recordOperations(tenant, [{ ...operation, response: JSON.stringify(answer) }], now)];
    await runBatch(db, [...statements, ...record]);
    return ok(answer);
  });
}

export function handoffNotFound(id: string) {
  return fail("not_found", `Handoff not found: ${id}. Check the id; GET /v1/handoffs lists the handoffs.`);
}

export async function findHandoff(db: Database, tenant: string, id: string): Promise<Handoff | null> {
  const [row] = await readAll<HandoffRow>(db, select(sql`tenant = ${tenant} AND id = ${id}`));
  return row === undefined ? null : toHandoff(row);
}

export type HandoffFilter = {
  to_agent: string | null;
  from_agent: string | null;
  project_id: string | null;
  status: HandoffStatus | null;
};
const FILTERS = ["to_agent", "from_agent", "project_id", "status"] as const satisfies (keyof HandoffFilter)[];

/** Newest first. */
export async function listHandoffs(
  db: Database,
  tenant: string,
  filter: HandoffFilter,
  { limit, after }: { limit: number; after: TimeCursor | null },
): Promise<Handoff[]> {
  const conditions = [
    sql`tenant = ${tenant}`,
    ...FILTERS.filter((column) => filter[column] !== null).map(
      (column) => sql`${sql.raw(column)} = ${filter[column]}`,
    ),
    ...(after === null ? [] : [sql`(timestamp, id) < (${after.timestamp}, ${after.id})`]),
  ];
  const rows = await readAll<HandoffRow>(
    db,
    sql`${select(sql.join(conditions, sql` AND `))} ORDER BY timestamp DESC, id DESC LIMIT ${limit}`,
  );
  return rows.map(toHandoff);
}

function select(condition: SQL): SQL {
  return sql`SELECT id, project_id, from_agent, to_agent, timestamp, context, status, acknowledged_by, acknowledged_at
    FROM handoffs WHERE ${condition}`;
}

function toHandoff({ context, ...row }: HandoffRow): Handoff {
  return { ...row, context: parseJson<Handoff["context"]>(context) };
}

export function createHandoffRepository({ db, tenant, now }: StoreContext) {
  return {
    create: (handoff: HandoffCreate & { id: string }, operation: Operation | null) =>
      createHandoff(db, tenant, handoff, { now: now(), operation }),
    acknowledge: (taken: { id: string; agent_id: string }, operation: Operation | null) =>
      acknowledgeHandoff(db, tenant, taken, { now: now(), operation }),
    find: (id: string) => findHandoff(db, tenant, id),
    list: (filter: HandoffFilter, page: Page) => listHandoffs(db, tenant, filter, page),
  };
}
