import { type SQL, sql } from "drizzle-orm";

/** Aborts the batch unless the condition holds. */

export function assertThat(condition: SQL): SQL {
  return sql`INSERT INTO assertion (holds) SELECT ${condition}`;
}
/** Gives a tenant its number, if it has none. */

export function ensureTenant(tenant: string): SQL {
  return sql`INSERT INTO tenants (tenant, number) SELECT ${tenant}, coalesce(max(number), 0) + 1 FROM tenants
    HAVING NOT EXISTS (SELECT 1 FROM tenants WHERE tenant = ${tenant})`;
}
/** The first free `seq` of a tenant. */

export function nextSeq(tenant: string, table: "memories" | "messages" | "items" | "episodes"): SQL {
  const { from, to } = rangeOf(tenant);
  return sql`(coalesce((SELECT seq FROM ${sql.raw(table)} WHERE seq > ${from} AND seq < ${to} ORDER BY seq DESC LIMIT 1), ${from}) + 1)`;
}
/** The range of `seq` in which a tenant's memories lie, both ends outside it. */

export function rangeOf(tenant: string): { from: SQL; to: SQL } {
  const number = sql`(SELECT number FROM tenants WHERE tenant = ${tenant})`;
  return { from: sql`(${number} << 33)`, to: sql`((${number} + 1) << 33)` };
}

/** After every text that begins so: no character comes after it. */
const LAST = "\u{10ffff}";

export function keyBeginsWith(column: SQL, prefix: string): SQL {
  return sql`${column} >= ${prefix} AND ${column} < ${prefix + LAST}`;
}
