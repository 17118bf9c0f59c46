// The outbox of webhook deliveries, as the deliverer works it off.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../kernel/databases/d1";
import { isPlacedHere, isUncompared } from "../../kernel/databases/statements";
import type { Bindings } from "../../kernel/env";

/** A delivery that is due, with the webhook that it goes to. */
export type DueDelivery = {
  seq: number;
  webhook_id: string;
  id: string;
  type: string;
  subject: string;
  data: string;
  time: string;
  attempts: number;
  url: string;
  secret: string;
  failing_since: string | null;
};

/** The result of an attempt. `dueAt` is the time of the next one; null after the last. */
export type AttemptResult = {
  delivery: DueDelivery;
  response_status: number | null;
  error: string | null;
} & ({ ok: true } | { ok: false; dueAt: number | null });

export function listDueDeliveries(
  db: Database,
  tenant: string,
  { now, limit }: { now: number; limit: number },
): Promise<DueDelivery[]> {
  return readAll(
    db,
    sql`SELECT d.seq, d.webhook_id, d.id, d.type, d.subject, d.data, d.time, d.attempts, w.url, w.secret, w.failing_since
      FROM webhook_deliveries d CROSS JOIN webhooks w ON w.tenant = d.tenant AND w.id = d.webhook_id
      WHERE d.tenant = ${tenant} AND d.status = 'pending' AND d.due_at <= ${now} ORDER BY d.due_at, d.seq LIMIT ${limit}`,
  );
}

export async function findNextDelivery(db: Database, tenant: string): Promise<number | null> {
  const [row] = await readAll<{ due: number | null }>(
    db,
    sql`SELECT min(due_at) AS due FROM webhook_deliveries WHERE tenant = ${tenant} AND status = 'pending'`,
  );
  return row?.due ?? null;
}

/**
 * Records attempts, and since when a webhook has failed. `disableBefore` disables those that have failed since then.
 * Deliveries are named by their ids: the tenant may have moved since they were listed, and each database numbers its own.
 */
export async function recordAttempts(
  db: Database,
  tenant: string,
  results: readonly AttemptResult[],
  { at, disableBefore }: { at: string; disableBefore: string },
): Promise<void> {
  const rows = results.map((result) => ({
    webhook_id: result.delivery.webhook_id,
    id: result.delivery.id,
    status: result.ok ? "delivered" : result.dueAt === null ? "dead" : "pending",
    due_at: result.ok ? 0 : (result.dueAt ?? 0),
    response_status: result.response_status,
    error: result.error,
  }));
  const json = JSON.stringify(rows);
  await runBatch(db, [
    sql`UPDATE webhook_deliveries AS d SET attempts = attempts + 1, attempted_at = ${at},
        (status, due_at, response_status, error) = (
          SELECT value ->> '$.status', value ->> '$.due_at', value ->> '$.response_status', value ->> '$.error'
          FROM json_each(${json}) WHERE value ->> '$.webhook_id' = d.webhook_id AND value ->> '$.id' = d.id)
      WHERE tenant = ${tenant} AND status = 'pending'
        AND (webhook_id, id) IN (SELECT value ->> '$.webhook_id', value ->> '$.id' FROM json_each(${json}))`,
    ...buildHealth(tenant, results, { at, disableBefore }),
  ]);
}

/** Writes only where the health of a webhook changes. */
function buildHealth(
  tenant: string,
  results: readonly AttemptResult[],
  { at, disableBefore }: { at: string; disableBefore: string },
): SQL[] {
  const pick = (isWanted: (result: AttemptResult) => boolean) =>
    JSON.stringify([...new Set(results.filter(isWanted).map(({ delivery }) => delivery.webhook_id))]);
  const succeeded = pick(({ ok }) => ok);
  const failed = pick(({ ok }) => !ok);
  const named = (ids: string) => sql`tenant = ${tenant} AND id IN (SELECT value FROM json_each(${ids}))`;
  return [
    sql`UPDATE webhooks SET failing_since = ${at} WHERE ${named(failed)} AND failing_since IS NULL`,
    sql`UPDATE webhooks SET failing_since = NULL, disabled_at = NULL
      WHERE ${named(succeeded)} AND failing_since IS NOT NULL`,
    sql`UPDATE webhooks SET disabled_at = ${at}
      WHERE ${named(failed)} AND failing_since < ${disableBefore} AND disabled_at IS NULL`,
  ];
}

/** Returns tenants with due deliveries, whose deliverers the cron wakes. */
export async function listTenantsWithDueDeliveries(
  db: Database,
  now: number,
  limit: number,
): Promise<string[]> {
  const rows = await readAll<{ tenant: string }>(
    db,
    sql`SELECT DISTINCT tenant FROM webhook_deliveries d WHERE status = 'pending' AND due_at <= ${now}
      AND ${isPlacedHere(sql`d.tenant`)} LIMIT ${limit}`,
  );
  return rows.map(({ tenant }) => tenant);
}

/** Deletes settled deliveries of events from before a time. Numbers rise with time: only those to delete are read. */
export async function deleteDeliveriesBefore(db: Database, at: string, limit: number): Promise<void> {
  await runBatch(db, [
    sql`DELETE FROM webhook_deliveries WHERE seq IN (
      SELECT seq FROM (SELECT seq, tenant, time, status FROM webhook_deliveries ORDER BY seq LIMIT ${limit}) d
      WHERE time < ${at} AND status <> 'pending' AND ${isUncompared(sql`d.tenant`)})`,
  ]);
}

// The handle on the object that delivers a tenant's webhooks.

/** The RPC interface of a tenant's deliverer. */
export type DelivererRpc = {
  /** Schedules a run. */
  wake(tenant: string): Promise<void>;
};

export function getDeliverer(env: Bindings, tenant: string): DelivererRpc {
  // The binding is untyped; WebhookObject implements DelivererRpc.
  return env.WEBHOOKS.getByName(tenant) as unknown as DelivererRpc;
}
