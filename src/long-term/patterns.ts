// Patterns and learnings as the store finds them: memories with a category, and memories with a trigger.
import { type SQL, sql } from "drizzle-orm";
import { EXPERIENCE } from "../limits";
import type { Memory } from "../schemas/memory";
import { type Database, readAll } from "./database";
import type { TimeCursor } from "./queries";
import { fromRow, type MemoryRow } from "./rows";

/** In the very words of their indexes: by them SQLite knows that it may use them. */
const MARKS = {
  category: sql.raw("properties ->> '$.category[0]'"),
  trigger: sql.raw("properties ->> '$.trigger[0]'"),
};

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
  const conditions = [sql`tenant = ${tenant}`, sql`${MARKS[mark]} IS NOT NULL`];
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
    ];
    if (last !== undefined) conditions.push(sql`(timestamp, id) > (${last.timestamp}, ${last.id})`);
    const page = await read(db, conditions, sql`ORDER BY timestamp, id LIMIT ${EXPERIENCE.page}`);
    found.push(...page);
    if (page.length < EXPERIENCE.page) return found;
  }
}

/** The live pattern that was given this name, the newest if several projects have one. */
export async function findNamed(db: Database, tenant: string, topicKey: string): Promise<Memory | null> {
  const conditions = [
    sql`tenant = ${tenant}`,
    sql`${MARKS.category} IS NOT NULL`,
    sql`topic_key = ${topicKey}`,
    sql`live = 1`,
  ];
  const [memory] = await read(db, conditions, sql`ORDER BY timestamp DESC, id DESC LIMIT 1`);
  return memory ?? null;
}

/** The live memories that say one of these. */
export async function findSaying(
  db: Database,
  tenant: string,
  identities: readonly string[],
): Promise<Memory[]> {
  const conditions = [
    sql`tenant = ${tenant}`,
    sql`identity IN (SELECT value FROM json_each(${JSON.stringify(identities)}))`,
    sql`live = 1`,
  ];
  return read(db, conditions, sql`ORDER BY timestamp, id`);
}

/** The live memory of a topic. */
export async function findTopic(
  db: Database,
  tenant: string,
  scope: string,
  topicKey: string,
): Promise<Memory | null> {
  const conditions = [
    sql`tenant = ${tenant}`,
    sql`scope = ${scope}`,
    sql`topic_key = ${topicKey}`,
    sql`live = 1`,
  ];
  const [memory] = await read(db, conditions, sql`ORDER BY timestamp DESC, id DESC LIMIT 1`);
  return memory ?? null;
}

async function read(db: Database, conditions: readonly SQL[], order: SQL): Promise<Memory[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT * FROM memories WHERE ${sql.join([...conditions], sql` AND `)} ${order}`,
  );
  return rows.map(fromRow);
}
