// Narrows a statement to an owner: every id that is set must match.
import { type SQL, sql } from "drizzle-orm";
import { type Binding, isBound, OWNER_IDS, type Owner } from "./access";
import { type OwnerColumns, TABLES } from "./table-catalogue";

/** Returns the condition on a row that has a column for each id that is set. */
export function matchOwner(owner: Binding | Partial<Owner>, row: string): SQL {
  const conditions = OWNER_IDS.flatMap((id) => {
    const wanted = owner[id] ?? null;
    return wanted === null ? [] : [sql`${sql.raw(`${row}.${id}`)} = ${wanted}`];
  });
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `);
}

/** Returns the condition on a table's rows; null if the table has no column for one of the ids. */
export function matchOwnerColumns(owner: Binding, columns: OwnerColumns): SQL | null {
  const conditions: SQL[] = [];
  for (const id of OWNER_IDS) {
    const wanted = owner[id];
    if (wanted === undefined) continue;
    const named = columns[id];
    if (named === undefined) return null;
    conditions.push(
      sql`(${sql.join(
        named.map((column) => sql`${sql.raw(column)} = ${wanted}`),
        sql` OR `,
      )})`,
    );
  }
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `);
}

/** The columns of tables that statements read under an alias. */
export const SESSION_OWNER = qualify(TABLES.sessions.owners, "s");
export const EPISODE_OWNER = qualify(TABLES.episodes.owners, "m");

/** The columns of the ends of links, each alone in its statement. */
export const END_OWNER: OwnerColumns = TABLES.episodes.owners;

function qualify(columns: OwnerColumns, alias: string): OwnerColumns {
  return Object.fromEntries(
    Object.entries(columns).map(([id, names]) => [id, names.map((name) => `${alias}.${name}`)]),
  );
}

/** Matches the rows that belong to a session of the owner, by their column. */
export function matchSession(tenant: string, owner: Binding, column: SQL): SQL {
  if (!isBound(owner)) return sql`true`;
  return sql`${column} IN (SELECT s.id FROM sessions s WHERE s.tenant = ${tenant} AND ${matchOwnerColumns(owner, SESSION_OWNER)})`;
}
