// SQL that several repositories share: assertions, row numbers and prefix conditions.
//
// Repositories pass many rows as one JSON parameter to `json_each`, because D1 binds at most 100 parameters; it is
// also about ten times faster than single inserts. Joins are written as CROSS JOIN to fix their order, which SQLite
// would otherwise choose without statistics.
import { type SQL, sql } from "drizzle-orm";

/** Aborts the batch unless the condition holds; `runBatch` then throws WriteConflict. */
export function assertThat(condition: SQL): SQL {
  return sql`INSERT INTO assertion (holds) SELECT ${condition}`;
}

/** Assigns the tenant its number if it has none. */
export function ensureTenant(tenant: string): SQL {
  return sql`INSERT INTO tenants (tenant, number) SELECT ${tenant}, coalesce(max(number), 0) + 1 FROM tenants
    HAVING NOT EXISTS (SELECT 1 FROM tenants WHERE tenant = ${tenant})`;
}

/** Returns an expression for the first free `seq` of a tenant. */
export function nextSeq(tenant: string, table: "memories" | "messages" | "items" | "episodes"): SQL {
  const { from, to } = getSeqRange(tenant);
  return sql`(coalesce((SELECT seq FROM ${sql.raw(table)} WHERE seq > ${from} AND seq < ${to} ORDER BY seq DESC LIMIT 1), ${from}) + 1)`;
}

/** Returns the exclusive bounds of a tenant's `seq`: each tenant has a range of its own in every table. */
export function getSeqRange(tenant: string): { from: SQL; to: SQL } {
  const number = sql`(SELECT number FROM tenants WHERE tenant = ${tenant})`;
  return { from: sql`(${number} << 33)`, to: sql`((${number} + 1) << 33)` };
}

/** Matches tenants whose rows are in this database: not those that have left it, or are about to. Names their column. */
export function isPlacedHere(tenant: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM placements p WHERE p.tenant = ${tenant} AND p.state <> 'open')`;
}

/** Matches tenants of which no copy is compared with the original now: a row deleted on one side would be a difference. */
export function isUncompared(tenant: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM placements p WHERE p.tenant = ${tenant} AND p.state IN ('fenced', 'receiving'))`;
}

const LAST_CHARACTER = "\u{10ffff}";

/** Matches texts with a prefix as a range, for which SQLite uses an index. */
export function hasPrefix(column: SQL, prefix: string): SQL {
  return sql`${column} >= ${prefix} AND ${column} < ${prefix + LAST_CHARACTER}`;
}

/** Builds the SELECT list that reads columns from the elements of `json_each`, `alias` being its alias. */
export function fromJson(columns: readonly string[], alias?: string): SQL {
  const value = alias === undefined ? "value" : `${alias}.value`;
  return sql.raw(columns.map((column) => `${value} ->> '$.${column}'`).join(", "));
}

export function isAmong({ key }: { readonly key: readonly string[] }, keys: readonly RowKey[]): SQL {
  const json = JSON.stringify(keys);
  const values = key.map((_, i) => `value ->> ${i}`).join(", ");
  const columns = key.length === 1 ? key[0] : `(${key.join(", ")})`;
  return sql`${sql.raw(columns ?? "")} IN (SELECT ${sql.raw(values)} FROM json_each(${json}))`;
}

export type RowKey = readonly (string | number)[];
