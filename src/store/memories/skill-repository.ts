// Skills among the memories: each version is a memory, and the live one with a skill's topic key is the skill.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, retryConflicts, runBatch } from "../../platform/d1";
import type { Memory, NewMemory } from "../../schemas/memory";
import { assertThat } from "../statements";
import type { Page, StoreContext } from "../store-context";
import { insertTriples } from "../triples/triples";
import { idList, queueVectors } from "../vectors/vector-queue";
import { newMemory } from "./commit-plan";
import { identityOf, idOfLife, SHARED } from "./memory-id";
import { fromRow, insertRows, type MemoryRow, toRow, toTriples } from "./memory-mapping";
import type { TimeCursor } from "./memory-queries";
import { supersedeTopics } from "./retire-memories";

const PREFIX = "skill:";

export function topicOf(slug: string): string {
  return PREFIX + slug;
}

export function slugOf({ topic_key }: Memory): string {
  return (topic_key ?? "").slice(PREFIX.length);
}

/** Its Markdown. */
export function bodyOf({ properties }: Pick<Memory, "properties">): string {
  return properties.skillBody?.[0] ?? "";
}

export type SkillVersion = NewMemory & { topic_key: string };
/** `before` is the version that it took the place of, or that says the same. */
export type WrittenSkill = { memory: Memory; before: Memory | null };

/**
 * Writes a version, unless the live one has the same body. Versions that differ in their steps alone have the same
 * content, as have skills of the same name: to the store they are lives of one identity.
 */
export async function writeSkill(db: Database, tenant: string, version: SkillVersion): Promise<WrittenSkill> {
  const identity = await identityOf(tenant, version);
  const { topic_key } = version;
  return retryConflicts(async () => {
    const [rows, lives] = (await runBatch(db, [
      sql`SELECT * FROM memories WHERE ${liveOn(tenant, topic_key)}`,
      sql`SELECT id FROM memories WHERE tenant = ${tenant} AND identity = ${identity}`,
    ])) as [MemoryRow[], { id: string }[]];
    const before = rows[0] === undefined ? null : fromRow(rows[0]);
    if (before !== null && bodyOf(before) === bodyOf(version)) return { memory: before, before };

    const taken = new Set(lives.map((life) => life.id));
    const id = await nextLife(identity, taken);
    const memory = following(newMemory(id, version, version.timestamp), before);
    await runBatch(db, [
      assertThat(sql`(SELECT id FROM memories WHERE ${liveOn(tenant, topic_key)}) IS ${before?.id ?? null}`),
      insertTriples(tenant, toTriples(memory)),
      ...insertRows(tenant, [toRow(tenant, identity, memory)]),
      queueVectors(tenant, "memory", idList([id])),
      ...supersedeTopics(tenant, [{ id, scope: SHARED, key: topic_key, valid_from: memory.timestamp }]),
    ]);
    return { memory, before };
  });
}

/** A skill that is written anew is still the skill that was used. */
function following(memory: Memory, before: Memory | null): Memory {
  if (before === null) return memory;
  const { importance, access_count, last_accessed } = before;
  const properties = { ...before.properties, ...memory.properties };
  return { ...memory, importance, access_count, last_accessed, properties };
}

/** An erased life leaves a gap in the count, so ids that are taken are passed over. */
async function nextLife(identity: string, taken: ReadonlySet<string>): Promise<string> {
  for (let life = taken.size; ; life += 1) {
    const id = await idOfLife(identity, life);
    if (!taken.has(id)) return id;
  }
}

function liveOn(tenant: string, topic: string): SQL {
  return sql`tenant = ${tenant} AND scope = ${SHARED} AND topic_key = ${topic} AND live = 1`;
}

export async function findSkill(db: Database, tenant: string, slug: string): Promise<Memory | null> {
  const [row] = await readAll<MemoryRow>(
    db,
    sql`SELECT * FROM memories WHERE ${liveOn(tenant, topicOf(slug))}`,
  );
  return row === undefined ? null : fromRow(row);
}

/** Live skills, newest first. Their bodies are long: they are read for the page alone, not for the order. */
export async function listSkills(
  db: Database,
  tenant: string,
  { limit, after }: { limit: number; after: TimeCursor | null },
): Promise<Memory[]> {
  const beyond = after === null ? sql`` : sql`AND (timestamp, id) < (${after.timestamp}, ${after.id})`;
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT m.* FROM (
        SELECT seq FROM memories INDEXED BY memories_by_topic
        WHERE tenant = ${tenant} AND scope = ${SHARED} AND topic_key >= ${PREFIX} AND topic_key < 'skill;' AND live = 1 ${beyond}
        ORDER BY timestamp DESC, id DESC LIMIT ${limit}
      ) page CROSS JOIN memories m ON m.seq = page.seq ORDER BY m.timestamp DESC, m.id DESC`,
  );
  return rows.map(fromRow);
}

export function createSkillRepository({ db, tenant }: StoreContext) {
  return {
    find: (slug: string) => findSkill(db, tenant, slug),
    list: (page: Page) => listSkills(db, tenant, page),
    /** Writes a version of a skill, which supersedes the one before. */
    write: (version: SkillVersion) => writeSkill(db, tenant, version),
  };
}
