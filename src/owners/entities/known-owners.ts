// Agents and projects that are known: those that are declared, and those that any row names. Each query reads index
// ranges, whatever the size of the tenant.

import { type SQL, sql } from "drizzle-orm";
import { readAll } from "../../kernel/databases/d1";
import { hasPrefix } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import type { StoreContext } from "../../kernel/store-context";
import { toEntityIri } from "../../ontology/entity-mapping";

export type KnownKind = "agent" | "project";

/** The tables that name agents and projects in an indexed column. */
const OWNER_TABLES: Record<KnownKind, readonly string[]> = {
  agent: ["sessions", "memories", "episodes", "policies", "ledgers"],
  project: ["sessions", "memories", "episodes"],
};

/** Sorts after every id. */
const LAST = "\u{10ffff}";

export function createKnownOwnerQueries(context: StoreContext) {
  const { db, tenant } = context;
  const { reads } = declareMethods(context);

  return {
    /** Returns the ids of known agents or projects after an id, in order. */
    listKnownIds: reads(
      async (kind: KnownKind, { after, limit }: { after: string; limit: number }): Promise<string[]> => {
        // A loose index scan: each step seeks the next id in every index.
        const rows = await readAll<{ id: string }>(
          db,
          sql`WITH RECURSIVE found (id) AS (
            SELECT ${selectNextId(tenant, kind, sql`${after}`)}
            UNION ALL SELECT ${selectNextId(tenant, kind, sql`found.id`)} FROM found WHERE found.id IS NOT NULL
            LIMIT ${limit})
          SELECT id FROM found WHERE id IS NOT NULL ORDER BY id`,
        );
        return rows.map(({ id }) => id);
      },
    ),

    /** Returns whether any row names the agent or project. */
    isNamed: reads(async (kind: KnownKind, id: string): Promise<boolean> => {
      const column = sql.raw(`${kind}_id`);
      const named = OWNER_TABLES[kind].map(
        (table) =>
          sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE tenant = ${tenant} AND ${column} = ${id})`,
      );
      const [row] = await readAll<{ named: number }>(db, sql`SELECT ${sql.join(named, sql` OR `)} AS named`);
      return row?.named === 1;
    }),
  };
}

/** Returns an expression for the first id after another; NULL after the last. */
function selectNextId(tenant: string, kind: KnownKind, after: SQL): SQL {
  const column = sql.raw(`${kind}_id`);
  const prefix = toEntityIri({ kind, id: "" });
  const firsts = [
    ...OWNER_TABLES[kind].map(
      (table) =>
        sql`(SELECT min(${column}) FROM ${sql.raw(table)} WHERE tenant = ${tenant} AND ${column} > ${after})`,
    ),
    sql`substr((SELECT t.subject FROM triples t
      WHERE t.tenant = ${tenant} AND ${hasPrefix(sql`t.subject`, prefix)} AND t.subject > ${prefix} || ${after}
      ORDER BY t.subject LIMIT 1), ${prefix.length + 1})`,
  ];
  const candidates = firsts.map((first) => sql`ifnull(${first}, ${LAST})`);
  return sql`nullif(min(${sql.join(candidates, sql`, `)}), ${LAST})`;
}
