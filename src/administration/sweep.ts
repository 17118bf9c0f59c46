// The cron job: marks idle sessions abandoned, deletes expired records, compacts
// what was erased, and wakes indexers with a backlog. Sessions need no alarm of their own for this.

import { type Database, openDatabase } from "../kernel/databases/d1";
import { hasShards, listShards } from "../kernel/databases/shard-bindings";
import { listMoves } from "../kernel/databases/tenant-moves";
import { type Bindings, readSettings } from "../kernel/env";
import { logDefect } from "../kernel/errors";
import { APPLIED_MS, IDEMPOTENCY_MS } from "../kernel/limits";
import { deleteExpiredOperations } from "../kernel/operation-log";
import { DAY_MS, SECOND_MS } from "../kernel/time";
import { listTenantsWithDueVectors } from "../memories/store/vector-queue";
import { selectEmbedder } from "../models/embedders/select-embedder";
import { compact } from "../owners/compact";
import { continueMove } from "../owners/shards/move-tenant";
import { getIndexer } from "../recall/vectors/semantic-services";
import { openSession } from "../sessions/session-client";
import { listIdleSessions } from "../sessions/session-repository";
import { deleteAuditRecordsBefore } from "../trust/audit-log";
import {
  deleteDeliveriesBefore,
  getDeliverer,
  listTenantsWithDueDeliveries,
} from "../trust/webhooks/delivery-queue";

/** How long a sweep continues moves of tenants. */
const MOVES_PER_SWEEP_MS = 20 * SECOND_MS;
/** Sessions and tenants per sweep; the next sweep continues. */
const SWEEP_LIMIT = 200;
/** How long delivered and dead deliveries are listed. */
const DELIVERIES_KEPT_MS = 7 * DAY_MS;
const DELIVERIES_PER_SWEEP = 5_000;
/** More than a tenant can add between two sweeps. */
const AUDIT_RECORDS_PER_SWEEP = 10_000;

export async function sweep(env: Bindings, now: number): Promise<{ asked: number; abandoned: number }> {
  const { auditRetentionDays } = readSettings(env);
  if (auditRetentionDays > 0)
    await deleteAuditRecordsBefore(
      openDatabase(env.DB),
      new Date(now - auditRetentionDays * DAY_MS).toISOString(),
      AUDIT_RECORDS_PER_SWEEP,
    );
  let [asked, abandoned] = [0, 0];
  for (const { d1 } of listShards(env)) {
    const swept = await sweepDatabase(env, openDatabase(d1), now);
    asked += swept.asked;
    abandoned += swept.abandoned;
  }
  await compact(env).catch(logSweepDefect);
  await continueMoves(env, now).catch(logSweepDefect);
  return { asked, abandoned };
}

function logSweepDefect(error: unknown): void {
  logDefect("sweep.error", error);
}

async function sweepDatabase(
  env: Bindings,
  db: Database,
  now: number,
): Promise<{ asked: number; abandoned: number }> {
  const { abandonAfterMs } = readSettings(env);
  await deleteExpiredOperations(db, {
    answered: new Date(now - IDEMPOTENCY_MS).toISOString(),
    applied: new Date(now - APPLIED_MS).toISOString(),
  });
  const idle = await listIdleSessions(db, new Date(now - abandonAfterMs).toISOString(), SWEEP_LIMIT);
  let abandoned = 0;
  for (const { tenant, id } of idle) {
    // A failing object must not hold up the others.
    try {
      const result = await openSession(env, tenant, id).abandonIfIdle({ tenant, id });
      if (result.ok && result.value.abandoned) abandoned += 1;
    } catch (error) {
      logSweepDefect(error);
    }
  }
  await deleteDeliveriesBefore(db, new Date(now - DELIVERIES_KEPT_MS).toISOString(), DELIVERIES_PER_SWEEP);
  for (const tenant of await listTenantsWithDueDeliveries(db, now, SWEEP_LIMIT))
    await getDeliverer(env, tenant).wake(tenant).catch(logSweepDefect);
  // Writers wake the indexer themselves; this covers calls that were lost.
  const waiting = selectEmbedder(env) === null ? [] : await listTenantsWithDueVectors(db, now, SWEEP_LIMIT);
  for (const tenant of waiting) await getIndexer(env, tenant).wake(tenant).catch(logSweepDefect);
  return { asked: idle.length, abandoned };
}

/** Continues moves whose runs have ended before the move: writes of their tenants may be waiting. One may fail alone. */
async function continueMoves(env: Bindings, now: number): Promise<void> {
  if (!hasShards(env)) return;
  const until = now + MOVES_PER_SWEEP_MS;
  for (const { tenant } of await listMoves(env))
    await continueMove(env, tenant, { now: Date.now, until }).catch(logSweepDefect);
}
