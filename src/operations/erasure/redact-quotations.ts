// Has sessions remove the texts of erased memories. The texts are queued in the batch of the erasure, so that a call that
// fails or dies leaves them to the cron job.
import type { Database } from "../../platform/d1";
import { logDefect, unwrap } from "../../platform/errors";
import type { SessionRpc } from "../../session/session-rpc";
import { deleteRedactions, listRedactions, type Redaction } from "../../store/memories/quotation-repository";
import type { Services } from "../services";

/** Texts of one step, and the steps of one call: the cron job continues. */
const STEP_TEXTS = 50;
const MAX_STEPS = 20;

type OpenSession = (tenant: string, id: string) => SessionRpc;

/** Removes the queued texts from the sessions of a tenant. A failure is logged: the cron job repeats it. */
export async function redactQuotations({ store, session }: Services): Promise<void> {
  try {
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const queued = await store.quotations.listRedactions(STEP_TEXTS);
      const done = await redactAll(queued, (_tenant, id) => session(id));
      if (done.length > 0) await store.quotations.deleteRedactions(done);
      if (done.length < STEP_TEXTS) return;
    }
  } catch (error) {
    logDefect("redaction.error", error);
  }
}

/** Removes the queued texts of all tenants, up to a number of steps. Returns how many were removed. */
export async function redactQuotationsOfAll(db: Database, open: OpenSession): Promise<number> {
  let removed = 0;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const done = await redactAll(await listRedactions(db, STEP_TEXTS), open);
    if (done.length > 0) await deleteRedactions(db, done);
    removed += done.length;
    if (done.length < STEP_TEXTS) return removed;
  }
  return removed;
}

/** Returns those that were removed. A session that does not respond must not hold up the others. */
async function redactAll(queued: readonly Redaction[], open: OpenSession): Promise<Redaction[]> {
  const done: Redaction[] = [];
  const bySession = Map.groupBy(queued, ({ tenant, session_id }) => `${tenant}/${session_id}`);
  for (const [first, ...rest] of bySession.values()) {
    if (first === undefined) continue;
    const ofSession = [first, ...rest];
    const { tenant, session_id: id } = first;
    try {
      unwrap(
        await open(tenant, id).redact(
          { tenant, id },
          ofSession.map(({ text }) => text),
        ),
      );
      done.push(...ofSession);
    } catch (error) {
      logDefect("redaction.error", error);
    }
  }
  return done;
}
