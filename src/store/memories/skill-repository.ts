// Skills: each version is a memory, and the live memory with the skill's topic key is the current version.
import { type SQL, sql } from "drizzle-orm";
import { readAll, retryConflicts, runBatch } from "../../platform/d1";
import type { Memory, NewMemory } from "../../schemas/memory";
import { assertThat } from "../statements";
import type { Page, StoreContext } from "../store-context";
import { insertTriples } from "../triples/triples";
import { queueVectors, selectIds } from "../vectors/vector-queue";
import { createMemory } from "./commit-plan";
import { supersedeMemories } from "./forget-memories";
import { computeGenerationId, computeIdentity, SHARED_SCOPE } from "./memory-id";
import {
  fromMemoryRow,
  insertMemoryRows,
  type MemoryRow,
  toMemoryRow,
  toMemoryTriples,
} from "./memory-mapping";

const TOPIC_PREFIX = "skill:";

export function toSkillTopicKey(slug: string): string {
  return TOPIC_PREFIX + slug;
}

export function getSkillSlug({ topic_key }: Memory): string {
  return (topic_key ?? "").slice(TOPIC_PREFIX.length);
}

/** Returns the skill's Markdown. */
export function getSkillBody({ properties }: Pick<Memory, "properties">): string {
  return properties.skillBody?.[0] ?? "";
}

export type SkillVersion = NewMemory & { topic_key: string };
/** `before` is the version that was live; it is the same memory if nothing changed. */
export type WrittenSkill = { memory: Memory; before: Memory | null };

export function createSkillRepository({ db, tenant }: StoreContext) {
  const isLiveVersion = (topicKey: string): SQL =>
    sql`tenant = ${tenant} AND topic_scope = ${SHARED_SCOPE} AND topic_key = ${topicKey} AND live = 1`;

  return {
    async find(slug: string): Promise<Memory | null> {
      const [row] = await readAll<MemoryRow>(
        db,
        sql`SELECT * FROM memories WHERE ${isLiveVersion(toSkillTopicKey(slug))}`,
      );
      return row === undefined ? null : fromMemoryRow(row);
    },

    /** Returns live skills, newest first. Their long bodies are read for the page alone, not for sorting. */
    async list({ limit, after }: Page): Promise<Memory[]> {
      const beyond = after === null ? sql`` : sql`AND (timestamp, id) < (${after.timestamp}, ${after.id})`;
      const rows = await readAll<MemoryRow>(
        db,
        sql`SELECT m.* FROM (
            SELECT seq FROM memories INDEXED BY memories_by_topic
            WHERE tenant = ${tenant} AND topic_scope = ${SHARED_SCOPE} AND topic_key >= ${TOPIC_PREFIX} AND topic_key < 'skill;' AND live = 1 ${beyond}
            ORDER BY timestamp DESC, id DESC LIMIT ${limit}
          ) page CROSS JOIN memories m ON m.seq = page.seq ORDER BY m.timestamp DESC, m.id DESC`,
      );
      return rows.map(fromMemoryRow);
    },

    /**
     * Writes a version that supersedes the live one, unless that has the same body. Versions that differ only in their
     * steps have the same content, as do skills of the same name: they are generations of one identity.
     */
    async write(version: SkillVersion): Promise<WrittenSkill> {
      const identity = await computeIdentity(tenant, version);
      const { topic_key } = version;
      return retryConflicts(async () => {
        const [rows, generations] = (await runBatch(db, [
          sql`SELECT * FROM memories WHERE ${isLiveVersion(topic_key)}`,
          sql`SELECT id FROM memories WHERE tenant = ${tenant} AND identity = ${identity}`,
        ])) as [MemoryRow[], { id: string }[]];
        const before = rows[0] === undefined ? null : fromMemoryRow(rows[0]);
        if (before !== null && getSkillBody(before) === getSkillBody(version))
          return { memory: before, before };

        const id = await findFreeId(identity, new Set(generations.map((row) => row.id)));
        const memory = inheritUsage(createMemory(id, version, version.timestamp), before);
        await runBatch(db, [
          assertThat(
            sql`(SELECT id FROM memories WHERE ${isLiveVersion(topic_key)}) IS ${before?.id ?? null}`,
          ),
          insertTriples(tenant, toMemoryTriples(memory)),
          ...insertMemoryRows(tenant, [toMemoryRow(tenant, identity, memory)]),
          queueVectors(tenant, "memory", selectIds([id])),
          ...(before === null
            ? []
            : supersedeMemories(tenant, [{ id, old: before.id, valid_from: memory.timestamp }])),
        ]);
        return { memory, before };
      });
    },
  };
}

/** A new version continues the skill: it inherits importance, usage and properties that it does not set itself. */
function inheritUsage(memory: Memory, before: Memory | null): Memory {
  if (before === null) return memory;
  const { importance, access_count, last_accessed } = before;
  const properties = { ...before.properties, ...memory.properties };
  return { ...memory, importance, access_count, last_accessed, properties };
}

/** Skips ids in use: an erased generation leaves a gap in the count. */
async function findFreeId(identity: string, taken: ReadonlySet<string>): Promise<string> {
  for (let generation = taken.size; ; generation += 1) {
    const id = await computeGenerationId(identity, generation);
    if (!taken.has(id)) return id;
  }
}
