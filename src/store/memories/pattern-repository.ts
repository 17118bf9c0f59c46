// Patterns and learnings as the store finds them: memories with a category, and memories with a trigger.
import { type SQL, sql } from "drizzle-orm";
import { EXPERIENCE } from "../../limits";
import { type Database, readAll } from "../../platform/d1";
import type { Memory } from "../../schemas/memory";
import { PATTERN_TYPES } from "../../schemas/pattern";
import type { Page, StoreContext } from "../store-context";
import { evidenceIri, instance, objectKey } from "../triples/triples";
import { fromRow, type MemoryRow } from "./memory-mapping";
import type { TimeCursor } from "./memory-queries";

/** In the very words of their indexes: by them SQLite knows that it may use them. */
const MARKS = {
  category: sql.raw("properties ->> '$.category[0]'"),
  trigger: sql.raw("properties ->> '$.trigger[0]'"),
};

/** Other memories may have a category too, and are no patterns for that. */
const OF_PATTERNS = sql.raw(`type IN (${PATTERN_TYPES.map((type) => `'${type}'`).join(", ")})`);

/** What a memory has that makes it a pattern, or a learning. */
export type Mark = keyof typeof MARKS;

export type MarkedFilter = {
  project_id: string | null;
  category: string | null;
  include_superseded: boolean;
};

/** Newest first. */
export async function listMarked(
  db: Database,
  tenant: string,
  mark: Mark,
  { project_id, category, include_superseded }: MarkedFilter,
  { limit, after }: { limit: number; after: TimeCursor | null },
): Promise<Memory[]> {
  const conditions = [sql`tenant = ${tenant}`, sql`${MARKS[mark]} IS NOT NULL`, OF_PATTERNS];
  if (category !== null) conditions.push(sql`${MARKS.category} = ${category}`);
  if (project_id !== null) conditions.push(sql`project_id = ${project_id}`);
  if (!include_superseded) conditions.push(sql`live = 1`);
  if (after !== null) conditions.push(sql`(timestamp, id) < (${after.timestamp}, ${after.id})`);
  return read(db, conditions, sql`ORDER BY timestamp DESC, id DESC LIMIT ${limit}`);
}

/** All patterns or learnings of a project, oldest first, also those that no longer hold. */
export async function allMarked(
  db: Database,
  tenant: string,
  mark: Mark,
  projectId: string,
): Promise<Memory[]> {
  const found: Memory[] = [];
  for (;;) {
    const last = found.at(-1);
    const conditions = [
      sql`tenant = ${tenant}`,
      sql`project_id = ${projectId}`,
      sql`${MARKS[mark]} IS NOT NULL`,
      OF_PATTERNS,
    ];
    if (last !== undefined) conditions.push(sql`(timestamp, id) > (${last.timestamp}, ${last.id})`);
    const page = await read(db, conditions, sql`ORDER BY timestamp, id LIMIT ${EXPERIENCE.page}`);
    found.push(...page);
    if (page.length < EXPERIENCE.page) return found;
  }
}

/** Live lessons that rest on some of these episodes. */
export async function lessonsFrom(
  db: Database,
  tenant: string,
  episodeIds: readonly string[],
  limit: number,
): Promise<Memory[]> {
  if (episodeIds.length === 0) return [];
  const keys = JSON.stringify(episodeIds.map((id) => objectKey(evidenceIri(id))));
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT DISTINCT m.* FROM json_each(${keys}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value AND t.predicate = 'jido:derivedFrom'
      CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = substr(t.subject, ${instance("memory", "").length + 1})
      WHERE m.live = 1 AND m.type = 'lesson_learned' ORDER BY m.confidence DESC, m.id LIMIT ${limit}`,
  );
  return rows.map(fromRow);
}

export async function read(db: Database, conditions: readonly SQL[], order: SQL): Promise<Memory[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT * FROM memories WHERE ${sql.join([...conditions], sql` AND `)} ${order}`,
  );
  return rows.map(fromRow);
}

export function createPatternRepository({ db, tenant }: StoreContext) {
  return {
    list: (mark: Mark, filter: MarkedFilter, page: Page) => listMarked(db, tenant, mark, filter, page),
    /** Returns all patterns or learnings of a project, oldest first, including those that are no longer live. */
    listAll: (mark: Mark, projectId: string) => allMarked(db, tenant, mark, projectId),
    /** Returns live lessons that cite any of these episodes as evidence. */
    listLessonsFrom: (episodeIds: readonly string[], limit: number) =>
      lessonsFrom(db, tenant, episodeIds, limit),
  };
}
