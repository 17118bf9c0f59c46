// Has sessions remove what they quote of erased memories. It is queued in the batch of the erasure, so that a call that
// fails or dies leaves it to the cron job.
import type { Database } from "../kernel/databases/d1";
import { logDefect, unwrap } from "../kernel/errors";
import type { Services } from "../services/services";
import type { SessionRpc } from "../sessions/session-rpc";
import {
  listTenantsWithDueRedactions,
  type QueuedRedaction,
  type RedactionQueue,
} from "./store/quotation-repository";

/** Queue entries of one step, and the steps of one call: the cron job continues. */
const STEP_ENTRIES = 50;
const MAX_STEPS = 20;

type OpenSession = (tenant: string, id: string) => SessionRpc;

/** Processes the queue of a tenant. A failure is logged: the cron job repeats it. */
export async function redactQuotations({ tenant, store, session, now }: Services): Promise<void> {
  try {
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const queue = { tenant, ...store.redactions };
      const processed = await processNext(queue, (_tenant, id) => session(id), now());
      if (processed < STEP_ENTRIES) return;
    }
  } catch (error) {
    logDefect("redaction.error", error);
  }
}

/** Processes the queues of all tenants of a database, up to a number of steps. Each tenant has one step in turn, so that none waits for another. */
export async function redactQuotationsOfAll(
  db: Database,
  openQueue: (tenant: string) => RedactionQueue,
  open: OpenSession,
  now: number = Date.now(),
): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; ) {
    const tenants = await listTenantsWithDueRedactions(db, now, MAX_STEPS - steps);
    if (tenants.length === 0) return;
    for (const tenant of tenants) {
      // One whose move is being completed answers again in a moment.
      try {
        await processNext(openQueue(tenant), open, now);
      } catch (error) {
        logDefect("redaction.error", error);
      }
    }
    steps += tenants.length;
  }
}

/**
 * Processes the next entries of a queue and returns their number. Those of a session that fails are postponed, so that
 * they do not hold up the others.
 */
async function processNext(queue: RedactionQueue, open: OpenSession, now: number): Promise<number> {
  const queued = await queue.list(now, STEP_ENTRIES);
  const done: QueuedRedaction[] = [];
  const failed: QueuedRedaction[] = [];
  for (const [id, ofSession] of Map.groupBy(queued, ({ session_id }) => session_id)) {
    try {
      unwrap(
        await open(queue.tenant, id).redact(
          { tenant: queue.tenant, id },
          ofSession.map(({ memory_id, own, text }) => ({ memory_id, text: own === 1 ? text : null })),
        ),
      );
      done.push(...ofSession);
    } catch (error) {
      logDefect("redaction.error", error);
      failed.push(...ofSession);
    }
  }
  await queue.remove(done);
  await queue.postpone(failed, now);
  return queued.length;
}
