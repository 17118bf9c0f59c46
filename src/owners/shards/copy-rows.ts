// Copies rows of a tenant from one database to another, by their keys.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch, splitIntoChunks } from "../../kernel/databases/d1";
import { getSeqRange, isAmong, type RowKey } from "../../kernel/databases/statements";
import { numberPredicates } from "../../memories/history/record-versions";
import type { TenantTable } from "./tenant-tables";

export type Copy = {
  tenant: string;
  source: Database;
  target: Database;
  /** Aborts a batch on the target if another run has taken over. */
  assertRun: SQL;
};

/** Returns the keys after a key, in order. */
export async function listRowKeys(
  db: Database,
  tenant: string,
  { name, key, isNumbered }: TenantTable,
  { after, limit }: { after: RowKey | null; limit: number },
): Promise<RowKey[]> {
  const columns = sql.raw(key.join(", "));
  const { from, to } = getSeqRange(tenant);
  const where = isNumbered
    ? sql`seq > ${after === null ? from : after[0]} AND seq < ${to}`
    : sql`tenant = ${tenant}${after === null ? sql`` : sql` AND (${columns}) > (${joinValues(after)})`}`;
  const rows = await readAll<{ key: string }>(
    db,
    sql`SELECT DISTINCT json_array(${columns}) AS key, ${columns} FROM ${sql.raw(name)}
      WHERE ${where} ORDER BY ${columns} LIMIT ${limit}`,
  );
  return rows.map((row) => parseKey(row.key));
}

export function parseKey(json: string): RowKey {
  return JSON.parse(json) as RowKey;
}

function joinValues(values: RowKey): SQL {
  return sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  );
}

/** Makes the rows with these keys on the target the same as on the source. Returns how many there are. */
export async function copyRows(
  { tenant, source, target, assertRun }: Copy,
  table: TenantTable,
  keys: readonly RowKey[],
): Promise<number> {
  const { name, columns, order, binaryJson } = table;
  const toRead = (column: string) => (binaryJson.includes(column) ? `json(${column}) AS ${column}` : column);
  const toWrite = (column: string) =>
    binaryJson.includes(column) ? `jsonb(value ->> '$.${column}')` : `value ->> '$.${column}'`;
  const among = sql`tenant = ${tenant} AND ${isAmong(table, keys)}`;
  const rows = await readAll<object>(
    source,
    sql`SELECT ${sql.raw(columns.map(toRead).join(", "))} FROM ${sql.raw(name)} WHERE ${among}
      ${order === null ? sql`` : sql`ORDER BY ${sql.raw(order)}`}`,
  );
  // The rows of one key may be in two chunks, so the old ones go first, in a batch with the first chunk.
  const [first = [], ...rest] = splitIntoChunks(rows);
  // A row that was deleted and made again has another number and the same id: the newer one stays.
  const verb = sql.raw(table.tracked === name ? "INSERT OR REPLACE" : "INSERT");
  const insert = (chunk: readonly object[]) => {
    const json = JSON.stringify(chunk);
    return [
      sql`${verb} INTO ${sql.raw(name)} (${sql.raw(columns.join(", "))})
        SELECT ${sql.raw(columns.map(toWrite).join(", "))} FROM json_each(${json})`,
      ...(name === "memory_versions" ? [numberPredicates(json)] : []),
    ];
  };
  await runBatch(target, [assertRun, sql`DELETE FROM ${sql.raw(name)} WHERE ${among}`, ...insert(first)]);
  for (const chunk of rest) await runBatch(target, [assertRun, ...insert(chunk)]);
  return rows.length;
}
