// Whether the cron runs. It leaves no trace of its own: what it should have done long ago, and did not, is the sign.
import { sql } from "drizzle-orm";
import { APPLIED_MS } from "../../limits";
import { openDatabase, readAll } from "../../platform/d1";
import { type Bindings, readSettings } from "../../platform/env";
import { idleSessions } from "../../store/sessions/session-registry";
import { type Finding, fine, warn } from "./health-check";

/** The cron comes every five minutes, and takes some sessions at a time. */
const MARGIN_MS = 60 * 60 * 1_000;

export async function overdue(env: Bindings, now: number): Promise<Finding> {
  const db = openDatabase(env.DB);
  const before = (age: number) => new Date(now - age - MARGIN_MS).toISOString();
  const [idle, old] = await Promise.all([
    idleSessions(db, before(readSettings(env).abandonAfterMs), 1),
    readAll(db, sql`SELECT 1 FROM operations WHERE created_at < ${before(APPLIED_MS)} LIMIT 1`),
  ]);
  if (idle.length === 0 && old.length === 0) return fine("Nothing is overdue");
  return warn(
    "Sessions or records that the cron should have cleared an hour ago are still there",
    "Deploy with [triggers] crons as wrangler.toml has them",
  );
}
