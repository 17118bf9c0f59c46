// Tracks the rows that change while a tenant is copied, with triggers that exist during the move alone: other writes cost
// nothing more.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../platform/d1";
import { parseKey, type RowKey } from "./copy-rows";
import { TENANT_TABLES } from "./tenant-tables";

const EVENTS = [
  { event: "INSERT", row: "NEW" },
  { event: "UPDATE", row: "NEW" },
  { event: "DELETE", row: "OLD" },
] as const;

/** One move at a time leaves a database, so that the names are free. */
function toTriggerName(table: string, event: string): string {
  return `moving_${table}_${event.toLowerCase()}`;
}

export async function startTracking(db: Database, tenant: string): Promise<void> {
  const literal = `'${tenant.replaceAll("'", "''")}'`;
  const triggers = TENANT_TABLES.flatMap(({ name, key, tracked }) =>
    EVENTS.map(({ event, row }) =>
      sql.raw(`CREATE TRIGGER ${toTriggerName(name, event)} AFTER ${event} ON ${tracked} WHEN ${row}.tenant = ${literal}
        BEGIN
          INSERT INTO moving_rows (tenant, name, key)
          VALUES (${literal}, '${name}', json_array(${key.map((column) => `${row}.${column}`).join(", ")}));
        END`),
    ),
  );
  await runBatch(db, [...dropTriggers(), sql`DELETE FROM moving_rows`, ...triggers]);
}

export async function stopTracking(db: Database): Promise<void> {
  await runBatch(db, [...dropTriggers(), sql`DELETE FROM moving_rows`]);
}

function dropTriggers(): SQL[] {
  return TENANT_TABLES.flatMap(({ name }) =>
    EVENTS.map(({ event }) => sql.raw(`DROP TRIGGER IF EXISTS ${toTriggerName(name, event)}`)),
  );
}

export type Changes = { last: number; tables: Map<string, RowKey[]> };

/** Reads the oldest changes, each row once; null if there are none. */
export async function readChanges(db: Database, limit: number): Promise<Changes | null> {
  const rows = await readAll<{ seq: number; name: string; key: string }>(
    db,
    sql`SELECT seq, name, key FROM moving_rows ORDER BY seq LIMIT ${limit}`,
  );
  const last = rows.at(-1);
  if (last === undefined) return null;
  const tables = new Map<string, RowKey[]>();
  for (const [name, changed] of Map.groupBy(rows, (row) => row.name))
    tables.set(name, [...new Set(changed.map(({ key }) => key))].map(parseKey));
  return { last: last.seq, tables };
}

/** Removes changes that were copied. */
export async function removeChanges(db: Database, { last }: Changes): Promise<void> {
  await runBatch(db, [sql`DELETE FROM moving_rows WHERE seq <= ${last}`]);
}
