// Patterns and learnings: memories of a pattern type with a category, or with a trigger.

import { type SQL, sql } from "drizzle-orm";
import { DEFAULT_PROJECT } from "../../kernel/access";
import { readAll } from "../../kernel/databases/d1";
import { declareMethods } from "../../kernel/declare-methods";
import type { Page, StoreContext } from "../../kernel/store-context";
import type { Memory } from "../../memories/memory-schemas";
import { fromMemoryRow, type MemoryRow } from "../../memories/store/memory-mapping";
import { selectMemoryRow } from "../../memories/usage/usage-counts";
import { hasIriObject, listResourceKeys, toEvidenceIri, toInstanceIri } from "../../ontology/triples";
import { PATTERN_TYPES } from "./pattern-schemas";

/** The expressions are those of the partial indexes: SQLite uses an index only for the same text. */
const PROPERTIES = {
  category: sql.raw("properties ->> '$.category[0]'"),
  trigger: sql.raw("properties ->> '$.trigger[0]'"),
};

/** The property that makes a memory a pattern (`category`) or a learning (`trigger`). */
export type PatternProperty = keyof typeof PROPERTIES;

/** Excludes other memories that have a category. */
const HAS_PATTERN_TYPE = sql.raw(`type IN (${PATTERN_TYPES.map((type) => `'${type}'`).join(", ")})`);

const LAST_SEEN = sql.raw("coalesce(properties ->> '$.lastSeen[0]', timestamp)");

/** Memories that apply to all projects, or to those of one user; not those of a session or an agent. */
const WITHOUT_PROJECT = sql.raw("project_id IS NULL AND session_id IS NULL AND agent_id IS NULL");

/** Rows of one read: a project with many patterns stays within the size that D1 allows for a result. */
const PAGE_SIZE = 100;

export type PatternFilter = {
  project_id: string | null;
  category: string | null;
  include_superseded: boolean;
  /** The time in which a learning occurred, first or last. */
  since?: string | undefined;
  until?: string | undefined;
};

export function createPatternRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads } = declareMethods(context);

  async function select(
    property: PatternProperty,
    conditions: readonly SQL[],
    order: SQL,
  ): Promise<Memory[]> {
    const all = [
      sql`tenant = ${tenant}`,
      sql`${PROPERTIES[property]} IS NOT NULL`,
      HAS_PATTERN_TYPE,
      ...conditions,
    ];
    const rows = await readAll<MemoryRow>(
      db,
      sql`SELECT ${selectMemoryRow("m")} FROM memories m WHERE ${sql.join(all, sql` AND `)} ${order}`,
    );
    return rows.map(fromMemoryRow);
  }

  async function selectAll(property: PatternProperty, owner: SQL): Promise<Memory[]> {
    const found: Memory[] = [];
    for (;;) {
      const last = found.at(-1);
      const after = last === undefined ? [] : [sql`(timestamp, id) > (${last.timestamp}, ${last.id})`];
      const page = await select(property, [owner, ...after], sql`ORDER BY timestamp, id LIMIT ${PAGE_SIZE}`);
      found.push(...page);
      if (page.length < PAGE_SIZE) return found;
    }
  }

  return {
    /** Returns patterns or learnings, newest first. */
    list: reads(
      (
        property: PatternProperty,
        { project_id, category, include_superseded, since, until }: PatternFilter,
        { limit, after }: Page,
      ): Promise<Memory[]> => {
        const conditions: SQL[] = [];
        if (category !== null) conditions.push(sql`${PROPERTIES.category} = ${category}`);
        if (project_id !== null) conditions.push(sql`project_id = ${project_id}`);
        if (!include_superseded) conditions.push(sql`live = 1`);
        if (since !== undefined) conditions.push(sql`${LAST_SEEN} >= ${since}`);
        if (until !== undefined) conditions.push(sql`timestamp <= ${until}`);
        if (after !== null) conditions.push(sql`(timestamp, id) < (${after.timestamp}, ${after.id})`);
        return select(property, conditions, sql`ORDER BY timestamp DESC, id DESC LIMIT ${limit}`);
      },
    ),

    /**
     * Returns all patterns or learnings of a project, oldest first, including those that are no longer live. The
     * default project also has those without a project.
     */
    listAll: reads(async (property: PatternProperty, projectId: string): Promise<Memory[]> => {
      const own = await selectAll(property, sql`project_id = ${projectId}`);
      if (projectId !== DEFAULT_PROJECT) return own;
      return [...own, ...(await selectAll(property, WITHOUT_PROJECT))];
    }),

    /** Returns live lessons that cite any of these episodes as evidence, most confident first. */
    listLessonsFrom: reads(async (episodeIds: readonly string[], limit: number): Promise<Memory[]> => {
      if (episodeIds.length === 0) return [];
      const keys = JSON.stringify(episodeIds.flatMap((id) => listResourceKeys(toEvidenceIri(id))));
      const rows = await readAll<MemoryRow>(
        db,
        sql`SELECT DISTINCT ${selectMemoryRow("m")} FROM json_each(${keys}) j
          CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value AND ${hasIriObject("t")} AND t.predicate = 'jido:derivedFrom'
          CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = substr(t.subject, ${toInstanceIri("memory", "").length + 1})
          WHERE m.live = 1 AND m.type = 'lesson_learned' ORDER BY m.confidence DESC, m.content, m.id LIMIT ${limit}`,
      );
      return rows.map(fromMemoryRow);
    }),
  };
}
