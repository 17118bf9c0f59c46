// Patterns and learnings: memories of a pattern type with a category, or with a trigger.
import { type SQL, sql } from "drizzle-orm";
import { readAll } from "../../platform/d1";
import type { Memory } from "../../schemas/memory";
import { PATTERN_TYPES } from "../../schemas/pattern";
import type { Page, StoreContext } from "../store-context";
import { computeObjectKey, toEvidenceIri, toInstanceIri } from "../triples/triples";
import { fromMemoryRow, type MemoryRow } from "./memory-mapping";

/** The expressions are those of the partial indexes: SQLite uses an index only for the same text. */
const PROPERTIES = {
  category: sql.raw("properties ->> '$.category[0]'"),
  trigger: sql.raw("properties ->> '$.trigger[0]'"),
};

/** The property that makes a memory a pattern (`category`) or a learning (`trigger`). */
export type PatternProperty = keyof typeof PROPERTIES;

/** Excludes other memories that have a category. */
const HAS_PATTERN_TYPE = sql.raw(`type IN (${PATTERN_TYPES.map((type) => `'${type}'`).join(", ")})`);

/** Rows of one read: a project with many patterns stays within the size that D1 allows for a result. */
const PAGE_SIZE = 100;

export type PatternFilter = {
  project_id: string | null;
  category: string | null;
  include_superseded: boolean;
};

export function createPatternRepository({ db, tenant }: StoreContext) {
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
      sql`SELECT * FROM memories WHERE ${sql.join(all, sql` AND `)} ${order}`,
    );
    return rows.map(fromMemoryRow);
  }

  return {
    /** Returns patterns or learnings, newest first. */
    list(
      property: PatternProperty,
      { project_id, category, include_superseded }: PatternFilter,
      { limit, after }: Page,
    ): Promise<Memory[]> {
      const conditions: SQL[] = [];
      if (category !== null) conditions.push(sql`${PROPERTIES.category} = ${category}`);
      if (project_id !== null) conditions.push(sql`project_id = ${project_id}`);
      if (!include_superseded) conditions.push(sql`live = 1`);
      if (after !== null) conditions.push(sql`(timestamp, id) < (${after.timestamp}, ${after.id})`);
      return select(property, conditions, sql`ORDER BY timestamp DESC, id DESC LIMIT ${limit}`);
    },

    /** Returns all patterns or learnings of a project, oldest first, including those that are no longer live. */
    async listAll(property: PatternProperty, projectId: string): Promise<Memory[]> {
      const found: Memory[] = [];
      for (;;) {
        const last = found.at(-1);
        const conditions = [sql`project_id = ${projectId}`];
        if (last !== undefined) conditions.push(sql`(timestamp, id) > (${last.timestamp}, ${last.id})`);
        const page = await select(property, conditions, sql`ORDER BY timestamp, id LIMIT ${PAGE_SIZE}`);
        found.push(...page);
        if (page.length < PAGE_SIZE) return found;
      }
    },

    /** Returns live lessons that cite any of these episodes as evidence, most confident first. */
    async listLessonsFrom(episodeIds: readonly string[], limit: number): Promise<Memory[]> {
      if (episodeIds.length === 0) return [];
      const keys = JSON.stringify(episodeIds.map((id) => computeObjectKey(toEvidenceIri(id))));
      const rows = await readAll<MemoryRow>(
        db,
        sql`SELECT DISTINCT m.* FROM json_each(${keys}) j
          CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value AND t.predicate = 'jido:derivedFrom'
          CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = substr(t.subject, ${toInstanceIri("memory", "").length + 1})
          WHERE m.live = 1 AND m.type = 'lesson_learned' ORDER BY m.confidence DESC, m.id LIMIT ${limit}`,
      );
      return rows.map(fromMemoryRow);
    },
  };
}
