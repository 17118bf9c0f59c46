// Now and then, on the cron: sessions that nobody touches any more are marked abandoned, and records that have
// had their time are dropped. No session needs an alarm of its own for this.

import { APPLIED_MS } from "../limits";
import { embedderOf } from "../models/embedders/select-embedder";
import { openDatabase } from "../platform/d1";
import { type Bindings, readSettings } from "../platform/env";
import { describeDefect } from "../platform/errors";
import type { SessionRpc } from "../session/session-rpc";
import { dropOperationsBefore } from "../store/applied-operations";
import { idleSessions } from "../store/sessions/session-registry";
import { tenantsWithQueue } from "../store/vectors/vector-queue";
import { indexerOf } from "../vectors/semantic-services";

/** Sessions asked in one sweep; the next sweep goes on. */
const SWEEP_LIMIT = 200;

export async function sweep(env: Bindings, now: number): Promise<{ asked: number; abandoned: number }> {
  const db = openDatabase(env.DB);
  const { abandonAfterMs } = readSettings(env);
  await dropOperationsBefore(db, new Date(now - APPLIED_MS).toISOString());
  const idle = await idleSessions(db, new Date(now - abandonAfterMs).toISOString(), SWEEP_LIMIT);
  let abandoned = 0;
  for (const { tenant, id } of idle) {
    // One object that cannot answer must not keep the others waiting.
    try {
      const stub = env.SESSIONS.getByName(`${tenant}/${id}`) as unknown as SessionRpc;
      const outcome = await stub.abandonIfIdle({ tenant, id });
      if (outcome.ok && outcome.value.abandoned) abandoned += 1;
    } catch (error) {
      console.error(JSON.stringify({ event: "sweep.error", ...describeDefect(error) }));
    }
  }
  // Whoever wrote wakes the indexer; this is for when that word was lost.
  const waiting = embedderOf(env) === null ? [] : await tenantsWithQueue(db, now, SWEEP_LIMIT);
  for (const tenant of waiting) {
    await indexerOf(env, tenant)
      .wake(tenant)
      .catch((error: unknown) =>
        console.error(JSON.stringify({ event: "sweep.error", ...describeDefect(error) })),
      );
  }
  return { asked: idle.length, abandoned };
}
