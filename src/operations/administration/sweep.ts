// The cron job: marks idle sessions abandoned, deletes expired records, moves triples of the earlier layout, compacts
// what was erased, and wakes indexers with a backlog. Sessions need no alarm of their own for this.

import { APPLIED_MS, IDEMPOTENCY_MS } from "../../limits";
import { selectEmbedder } from "../../models/embedders/select-embedder";
import { openDatabase } from "../../platform/d1";
import { type Bindings, readSettings } from "../../platform/env";
import { describeDefect } from "../../platform/errors";
import { DAY_MS } from "../../platform/time";
import type { SessionRpc } from "../../session/session-rpc";
import { deleteAuditRecordsBefore } from "../../store/audit-log";
import { deleteExpiredOperations } from "../../store/operation-log";
import { listIdleSessions } from "../../store/sessions/session-repository";
import { moveTriples } from "../../store/triples/move-triples";
import { listTenantsWithDueVectors } from "../../store/vectors/vector-queue";
import { getDeliverer } from "../../store/webhooks/deliverer-rpc";
import { deleteDeliveriesBefore, listTenantsWithDueDeliveries } from "../../store/webhooks/delivery-queue";
import { getIndexer } from "../../vectors/semantic-services";
import { compact } from "../erasure/compact";

/** Sessions and tenants per sweep; the next sweep continues. */
const SWEEP_LIMIT = 200;
/** How long delivered and dead deliveries are listed. */
const DELIVERIES_KEPT_MS = 7 * DAY_MS;
const DELIVERIES_PER_SWEEP = 5_000;
/** More than a tenant can add between two sweeps. */
const AUDIT_RECORDS_PER_SWEEP = 10_000;

export async function sweep(env: Bindings, now: number): Promise<{ asked: number; abandoned: number }> {
  const db = openDatabase(env.DB);
  const { abandonAfterMs, auditRetentionDays } = readSettings(env);
  const open = (tenant: string, id: string) =>
    env.SESSIONS.getByName(`${tenant}/${id}`) as unknown as SessionRpc;
  await deleteExpiredOperations(db, {
    answered: new Date(now - IDEMPOTENCY_MS).toISOString(),
    applied: new Date(now - APPLIED_MS).toISOString(),
  });
  if (auditRetentionDays > 0)
    await deleteAuditRecordsBefore(
      db,
      new Date(now - auditRetentionDays * DAY_MS).toISOString(),
      AUDIT_RECORDS_PER_SWEEP,
    );
  const idle = await listIdleSessions(db, new Date(now - abandonAfterMs).toISOString(), SWEEP_LIMIT);
  let abandoned = 0;
  for (const { tenant, id } of idle) {
    // A failing object must not hold up the others.
    try {
      const result = await open(tenant, id).abandonIfIdle({ tenant, id });
      if (result.ok && result.value.abandoned) abandoned += 1;
    } catch (error) {
      console.error(JSON.stringify({ event: "sweep.error", ...describeDefect(error) }));
    }
  }
  await moveTriples(db).catch((error: unknown) =>
    console.error(JSON.stringify({ event: "sweep.error", ...describeDefect(error) })),
  );
  await compact(env).catch((error: unknown) =>
    console.error(JSON.stringify({ event: "sweep.error", ...describeDefect(error) })),
  );
  await deleteDeliveriesBefore(db, new Date(now - DELIVERIES_KEPT_MS).toISOString(), DELIVERIES_PER_SWEEP);
  for (const tenant of await listTenantsWithDueDeliveries(db, now, SWEEP_LIMIT)) {
    await getDeliverer(env, tenant)
      .wake(tenant)
      .catch((error: unknown) =>
        console.error(JSON.stringify({ event: "sweep.error", ...describeDefect(error) })),
      );
  }
  // Writers wake the indexer themselves; this covers calls that were lost.
  const waiting = selectEmbedder(env) === null ? [] : await listTenantsWithDueVectors(db, now, SWEEP_LIMIT);
  for (const tenant of waiting) {
    await getIndexer(env, tenant)
      .wake(tenant)
      .catch((error: unknown) =>
        console.error(JSON.stringify({ event: "sweep.error", ...describeDefect(error) })),
      );
  }
  return { asked: idle.length, abandoned };
}
