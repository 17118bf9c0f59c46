// Compacts the database after erasures. The cron job does it every minute, an administrator at once.
import { openDatabase } from "../../platform/d1";
import type { Bindings } from "../../platform/env";
import type { SessionRpc } from "../../session/session-rpc";
import {
  finishCompaction,
  mergeTextIndexes,
  overwriteDeletedText,
  readCompaction,
} from "../../store/compaction";
import { redactQuotationsOfAll } from "./redact-quotations";

export type Compaction = {
  /** Whether an erasure had requested it. */
  requested: boolean;
  /** False if more is left than one run does: the cron job continues. */
  finished: boolean;
};

/**
 * Removes the texts of erased memories from sessions, then from the segments of the text indexes. On request, and on this
 * machine alone, also from the pages of the database: that blocks other calls for as long as it takes to rewrite them.
 */
export async function compact(env: Bindings, { rewritesPages = false } = {}): Promise<Compaction> {
  const db = openDatabase(env.DB);
  await redactQuotationsOfAll(
    db,
    (tenant, id) => env.SESSIONS.getByName(`${tenant}/${id}`) as unknown as SessionRpc,
  );
  const state = await readCompaction(db);
  const requested = state.requested > state.done;
  if (requested && !(await mergeTextIndexes(db))) return { requested, finished: false };
  if (rewritesPages && env.OVERWRITE_PAGES === "true") await overwriteDeletedText(db, state);
  if (requested) await finishCompaction(db, state);
  return { requested, finished: true };
}
