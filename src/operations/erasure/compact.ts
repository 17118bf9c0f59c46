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

/** Removes the texts of erased memories from sessions, then from the segments and the local pages of the database. */
export async function compact(env: Bindings): Promise<Compaction> {
  const db = openDatabase(env.DB);
  await redactQuotationsOfAll(
    db,
    (tenant, id) => env.SESSIONS.getByName(`${tenant}/${id}`) as unknown as SessionRpc,
  );
  const state = await readCompaction(db);
  if (state.requested <= state.done) return { requested: false, finished: true };
  if (!(await mergeTextIndexes(db))) return { requested: true, finished: false };
  // On this machine alone: nobody reads the pages of a hosted database.
  if (env.OVERWRITE_PAGES === "true") await overwriteDeletedText(db, state);
  await finishCompaction(db, state);
  return { requested: true, finished: true };
}
