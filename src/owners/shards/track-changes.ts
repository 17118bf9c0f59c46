// Tracks the rows that change while a tenant is copied, with triggers that exist during the move alone: other writes cost
// nothing more.

import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../kernel/databases/d1";
import type { RowKey } from "../../kernel/databases/statements";
import { hash64 } from "../../kernel/hash";
import { parseKey } from "./copy-rows";
import { TENANT_TABLES } from "./tenant-tables";

const EVENTS = [
  { event: "INSERT", row: "NEW" },
  { event: "UPDATE", row: "NEW" },
  { event: "DELETE", row: "OLD" },
] as const;

type TrackedMove = { tenant: string; epoch: number };

/** Each move has triggers of its own: a run that was overtaken does not drop those of a later move. */
function toTriggerName(table: string, event: string, { tenant, epoch }: TrackedMove): string {
  return `moving_${table}_${event.toLowerCase()}_${hash64(`${epoch} ${tenant}`)}`;
}

export async function startTracking(db: Database, tenant: string, epoch: number): Promise<void> {
  const move = { tenant, epoch };
  const literal = `'${tenant.replaceAll("'", "''")}'`;
  const triggers = TENANT_TABLES.flatMap(({ name, key, tracked }) =>
    EVENTS.map(({ event, row }) =>
      sql.raw(`CREATE TRIGGER ${toTriggerName(name, event, move)} AFTER ${event} ON ${tracked} WHEN ${row}.tenant = ${literal}
        BEGIN
          INSERT INTO moving_rows (tenant, name, key)
          VALUES (${literal}, '${name}', json_array(${key.map((column) => `${row}.${column}`).join(", ")}));
        END`),
    ),
  );
  await runBatch(db, [
    ...dropTriggers(move),
    sql`DELETE FROM moving_rows WHERE tenant = ${tenant}`,
    ...triggers,
  ]);
}

export async function stopTracking(db: Database, tenant: string, epoch: number): Promise<void> {
  await runBatch(db, [
    ...dropTriggers({ tenant, epoch }),
    sql`DELETE FROM moving_rows WHERE tenant = ${tenant}`,
  ]);
}

function dropTriggers(move: TrackedMove): SQL[] {
  return TENANT_TABLES.flatMap(({ name }) =>
    EVENTS.map(({ event }) => sql.raw(`DROP TRIGGER IF EXISTS ${toTriggerName(name, event, move)}`)),
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
