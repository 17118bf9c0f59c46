// Narrows the rows of an export to an owner: every id of the owner that is set must match.
import { type SQL, sql } from "drizzle-orm";

export type RowOwner = {
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly project_id?: string | undefined;
  readonly session_id?: string | undefined;
};

export const ROW_OWNER_IDS = [
  "user_id",
  "agent_id",
  "project_id",
  "session_id",
] as const satisfies readonly (keyof RowOwner)[];

/** The columns of a table that name each owner. A row without columns for an id that is set is nobody's in particular. */
export type OwnerColumns = Readonly<Partial<Record<keyof RowOwner, readonly string[]>>>;

/** Returns the condition on a table's rows; null if the table has no column for one of the ids. */
export function matchOwner(owner: RowOwner, columns: OwnerColumns): SQL | null {
  const conditions: SQL[] = [];
  for (const id of ROW_OWNER_IDS) {
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

/** The columns of memories and of sessions. */
export const MEMORY_OWNER: OwnerColumns = {
  user_id: ["m.user_id"],
  agent_id: ["m.agent_id"],
  project_id: ["m.project_id"],
  session_id: ["m.session_id"],
};
export const SESSION_OWNER: OwnerColumns = {
  user_id: ["s.user_id"],
  agent_id: ["s.agent_id"],
  project_id: ["s.project_id"],
  session_id: ["s.id"],
};
export const EPISODE_OWNER: OwnerColumns = {
  user_id: ["m.user_id"],
  agent_id: ["m.agent_id"],
  project_id: ["m.project_id"],
};

/** The columns of the ends of links, each alone in its statement. */
export const END_OWNER: OwnerColumns = {
  user_id: ["user_id"],
  agent_id: ["agent_id"],
  project_id: ["project_id"],
};

/** Matches the rows that belong to a session of the owner, by their column. */
export function matchSession(tenant: string, owner: RowOwner, column: SQL): SQL {
  if (ROW_OWNER_IDS.every((id) => owner[id] === undefined)) return sql`true`;
  return sql`${column} IN (SELECT s.id FROM sessions s WHERE s.tenant = ${tenant} AND ${matchOwner(owner, SESSION_OWNER)})`;
}
