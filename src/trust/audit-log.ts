// The audit log in D1. A record is inserted before its call runs and completed after it; calls that had no effect are
// counted by key, action and minute. A trigger rejects every other change.
import { type SQL, sql } from "drizzle-orm";
import { type Database, openDatabase, readAll, runBatch } from "../kernel/databases/d1";
import { hasPrefix } from "../kernel/databases/statements";
import type { Bindings } from "../kernel/env";
import { type FailureCode, failure } from "../kernel/errors";
import type { AuditOutcome, AuditQuery, AuditRecord } from "./keys/administration-schemas";

/** The tenant of calls that concern all tenants. */
export const ALL_TENANTS = "";

export type AuditedCall = {
  tenant: string;
  at: string;
  action: string;
  key_id: string;
  target: string | null;
  request_id: string;
};

export type CallOutcome = { outcome: AuditOutcome; code: FailureCode | null };

/** Inserts the record of a call that is about to run, and returns its id. */
export async function openAuditRecord(db: Database, call: AuditedCall): Promise<number> {
  const { tenant, at, action, key_id, target, request_id } = call;
  const [[row] = []] = await runBatch(db, [
    sql`INSERT INTO audit_log (tenant, at, action, key_id, target, outcome, code, request_id, count)
      VALUES (${tenant}, ${at}, ${action}, ${key_id}, ${target}, 'unknown', '', ${request_id}, 1) RETURNING id`,
  ]);
  return (row as { id: number }).id;
}

/** Completes the record of a call. A target replaces the one it was opened with. */
export async function closeAuditRecord(
  db: Database,
  id: number,
  { outcome, code, target }: CallOutcome & { target: string | null },
): Promise<void> {
  await runBatch(db, [
    sql`UPDATE audit_log SET outcome = ${outcome}, code = ${code ?? ""}, target = coalesce(${target}, target)
      WHERE id = ${id} AND outcome = 'unknown'`,
  ]);
}

/** Replaces the record of a call that was refused by a count, since it had no effect. */
export async function mergeAuditRecord(
  db: Database,
  id: number,
  counted: AuditedCall & CallOutcome,
): Promise<void> {
  await runBatch(db, [
    sql`DELETE FROM audit_log WHERE id = ${id} AND outcome = 'unknown'`,
    addToCount(counted, 1),
  ]);
}

/** Adds calls to the record of their key, action and minute. */
export async function countAuditedCalls(
  db: Database,
  counted: AuditedCall & CallOutcome,
  calls: number,
): Promise<void> {
  await runBatch(db, [addToCount(counted, calls)]);
}

function addToCount(
  { tenant, at, action, key_id, target, request_id, outcome, code }: AuditedCall & CallOutcome,
  calls: number,
): SQL {
  return sql`INSERT INTO audit_log (tenant, at, action, key_id, target, outcome, code, request_id, count, minute)
    VALUES (${tenant}, ${at}, ${action}, ${key_id}, ${target}, ${outcome}, ${code ?? ""}, ${request_id}, ${calls},
      ${toMinute(at)})
    ON CONFLICT (tenant, minute, key_id, action, outcome, code) WHERE minute IS NOT NULL
    DO UPDATE SET count = count + excluded.count`;
}

/** Returns the minute of a time in ISO 8601. */
export function toMinute(at: string): string {
  return at.slice(0, "2026-11-17T09:30".length);
}

type AuditPosition = { at: string; id: number };

type AuditFilter = {
  since?: string | undefined;
  until?: string | undefined;
  /** A whole action, or its first part. */
  action?: string | undefined;
};

/** Lists the records of a tenant, newest first. */
async function listAuditRecords(
  db: Database,
  tenant: string,
  { since, until, action }: AuditFilter,
  { limit, after }: { limit: number; after: AuditPosition | null },
): Promise<(AuditRecord & AuditPosition)[]> {
  const conditions = [
    sql`tenant = ${tenant}`,
    ...(since === undefined ? [] : [sql`at >= ${since}`]),
    ...(until === undefined ? [] : [sql`at <= ${until}`]),
    ...(action === undefined ? [] : [sql`(action = ${action} OR ${hasPrefix(sql`action`, `${action}.`)})`]),
    ...(after === null ? [] : [sql`(at, id) < (${after.at}, ${after.id})`]),
  ];
  return readAll(
    db,
    sql`SELECT id, at, action, key_id, target, outcome, nullif(code, '') AS code, request_id, count
      FROM audit_log WHERE ${sql.join(conditions, sql` AND `)} ORDER BY at DESC, id DESC LIMIT ${limit}`,
  );
}

/** Deletes records from before a time. Ids rise with time, so only the rows to delete and one more are read. */
export async function deleteAuditRecordsBefore(db: Database, at: string, limit: number): Promise<void> {
  const firstKept = sql`coalesce((SELECT id FROM audit_log WHERE at >= ${at} ORDER BY id LIMIT 1),
    (SELECT max(id) + 1 FROM audit_log))`;
  await runBatch(db, [
    sql`DELETE FROM audit_log WHERE id IN (
      SELECT id FROM audit_log WHERE id < ${firstKept} AND at < ${at} ORDER BY id LIMIT ${limit})`,
  ]);
}

// Reads the audit log: a tenant's administrator that of its tenant, the holder of ADMIN_KEY that of any.

export function readAuditLog(
  env: Bindings,
  administrator: { tenant: string | null },
  { tenant, ...filter }: Omit<AuditQuery, "limit" | "cursor">,
  page: { limit: number; after: AuditPosition | null },
): Promise<(AuditRecord & AuditPosition)[]> {
  if (administrator.tenant !== null && tenant !== undefined && tenant !== administrator.tenant)
    throw failure("forbidden", "tenant: this key reads the audit log of its own tenant only. Leave it out.");
  return listAuditRecords(openDatabase(env.DB), administrator.tenant ?? tenant ?? ALL_TENANTS, filter, page);
}
