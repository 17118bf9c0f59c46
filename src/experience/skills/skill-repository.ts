// Skills: each version is a memory, and the live memory with the skill's topic key is the current version.

import { type SQL, sql } from "drizzle-orm";
import { readAll, retryConflicts, runBatch } from "../../kernel/databases/d1";
import { assertThat, hasPrefix } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import { queueMemoryEvents, runEventBatch } from "../../kernel/queue-events";
import type { Page, StoreContext } from "../../kernel/store-context";
import { addActivity, type Memory, type NewMemory } from "../../memories/memory-schemas";
import { createMemory } from "../../memories/store/commit-plan";
import { supersedeMemories } from "../../memories/store/forget-memories";
import {
  computeGenerationId,
  computeIdentity,
  SHARED_SCOPE,
  toSkillScope,
} from "../../memories/store/memory-id";
import {
  fromMemoryRow,
  insertMemoryRows,
  type MemoryRow,
  toMemoryRow,
  toMemoryTriples,
} from "../../memories/store/memory-mapping";
import { queueVectors, selectIds } from "../../memories/store/vector-queue";
import { selectMemoryRow } from "../../memories/usage/usage-counts";
import { insertTriples } from "../../ontology/triples";

const TOPIC_PREFIX = "skill:";

export function toSkillTopicKey(slug: string): string {
  return TOPIC_PREFIX + slug;
}

/** Returns the scopes of an owner's skills, the first to be preferred. */
function listSkillScopes({ project_id, shared }: SkillFilter): string[] {
  const own = toSkillScope(project_id);
  return shared && own !== SHARED_SCOPE ? [own, SHARED_SCOPE] : [own];
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
type WrittenSkill = { memory: Memory; before: Memory | null };

/** Whose skills are read: those of a project, those that apply to all projects, or both, the project's own first. */
export type SkillFilter = {
  project_id: string | null;
  /** Whether a skill that applies to all projects stands in for one that the project does not have. */
  shared: boolean;
};

export function createSkillRepository(context: StoreContext) {
  const { db, tenant, now } = context;
  const { reads, writes } = declareMethods(context);

  const isLiveVersion = (topicKey: string, projectId: string | null): SQL =>
    sql`tenant = ${tenant} AND topic_scope = ${toSkillScope(projectId)} AND topic_key = ${topicKey} AND live = 1`;

  return {
    find: reads(async (slug: string, { project_id, shared }: SkillFilter): Promise<Memory | null> => {
      const scopes = JSON.stringify(listSkillScopes({ project_id, shared }));
      const [row] = await readAll<MemoryRow>(
        db,
        sql`SELECT ${selectMemoryRow("m")} FROM json_each(${scopes}) j CROSS JOIN memories m ON m.tenant = ${tenant}
            AND m.topic_scope = j.value AND m.topic_key = ${toSkillTopicKey(slug)} AND m.live = 1
          ORDER BY j.key LIMIT 1`,
      );
      return row === undefined ? null : fromMemoryRow(row);
    }),

    /** Returns the slugs of the skills that apply to a project. */
    listSlugs: reads(async (projectId: string): Promise<Set<string>> => {
      const scopes = JSON.stringify(listSkillScopes({ project_id: projectId, shared: true }));
      const rows = await readAll<{ slug: string }>(
        db,
        sql`SELECT substr(m.topic_key, ${TOPIC_PREFIX.length + 1}) AS slug FROM json_each(${scopes}) j
          CROSS JOIN memories m ON m.tenant = ${tenant} AND m.topic_scope = j.value
            AND m.topic_key >= ${TOPIC_PREFIX} AND m.topic_key < 'skill;' AND m.live = 1`,
      );
      return new Set(rows.map(({ slug }) => slug));
    }),

    /** Returns those of the topic keys under which a project has a skill of its own. */
    listTopicKeys: reads(async (projectId: string, topicKeys: readonly string[]): Promise<Set<string>> => {
      const rows = await readAll<{ topic_key: string }>(
        db,
        sql`SELECT m.topic_key FROM json_each(${JSON.stringify(topicKeys)}) j CROSS JOIN memories m
          ON m.tenant = ${tenant} AND m.topic_scope = ${toSkillScope(projectId)} AND m.topic_key = j.value AND m.live = 1`,
      );
      return new Set(rows.map(({ topic_key }) => topic_key));
    }),

    /** Returns live skills, newest first: those of an owner, or all. The project's own replace those of all projects. */
    list: reads(async (owner: SkillFilter | null, { limit, after }: Page): Promise<Memory[]> => {
      const conditions = [
        sql`tenant = ${tenant} AND type = 'skill' AND live = 1`,
        sql`topic_key >= ${TOPIC_PREFIX} AND topic_key < 'skill;'`,
      ];
      // A memory of this type that belongs to a session, a user or an agent is none of them.
      if (owner === null) conditions.push(hasPrefix(sql`topic_scope`, SHARED_SCOPE));
      else {
        const [own = "", ...others] = listSkillScopes(owner);
        conditions.push(
          sql`topic_scope IN (SELECT value FROM json_each(${JSON.stringify([own, ...others])}))`,
        );
        if (others.length > 0)
          conditions.push(sql`(topic_scope = ${own} OR NOT EXISTS (SELECT 1 FROM memories o WHERE o.tenant = ${tenant}
            AND o.topic_scope = ${own} AND o.topic_key = s.topic_key AND o.live = 1))`);
      }
      if (after !== null) conditions.push(sql`(timestamp, id) < (${after.timestamp}, ${after.id})`);
      const rows = await readAll<MemoryRow>(
        db,
        sql`SELECT ${selectMemoryRow("s")} FROM memories s INDEXED BY live_skills_by_time WHERE ${sql.join(conditions, sql` AND `)}
          ORDER BY timestamp DESC, id DESC LIMIT ${limit}`,
      );
      return rows.map(fromMemoryRow);
    }),

    /**
     * Writes a version that supersedes the live one, unless that has the same body. Versions that differ only in their
     * steps have the same content, as do skills of the same name: they are generations of one identity.
     */
    write: writes(async (version: SkillVersion): Promise<WrittenSkill> => {
      const identity = await computeIdentity(tenant, version);
      const { topic_key, project_id } = version;
      return retryConflicts(async () => {
        const [rows, generations] = (await runBatch(db, [
          sql`SELECT ${selectMemoryRow("m")} FROM memories m WHERE ${isLiveVersion(topic_key, project_id)}`,
          sql`SELECT id FROM memories WHERE tenant = ${tenant} AND identity = ${identity}`,
        ])) as [MemoryRow[], { id: string }[]];
        const before = rows[0] === undefined ? null : fromMemoryRow(rows[0]);
        if (before !== null && getSkillBody(before) === getSkillBody(version))
          return { memory: before, before };

        const id = await findFreeId(identity, new Set(generations.map((row) => row.id)));
        const memory = inheritUsage(
          createMemory(id, addActivity(context, { ...version, activity: { kind: "skill" } })),
          before,
        );
        await runEventBatch(context, [
          assertThat(
            sql`(SELECT id FROM memories WHERE ${isLiveVersion(topic_key, project_id)}) IS ${before?.id ?? null}`,
          ),
          insertTriples(tenant, toMemoryTriples(memory)),
          ...insertMemoryRows(tenant, [toMemoryRow(tenant, identity, memory)]),
          queueVectors(tenant, "memory", selectIds([id])),
          queueMemoryEvents(tenant, "memory.created", selectIds([id]), { at: now() }),
          ...(before === null
            ? []
            : supersedeMemories(tenant, [{ id, old: before.id, valid_from: memory.timestamp }], now())),
        ]);
        return { memory, before };
      });
    }),
  };
}

/** A new version continues the skill: it inherits importance, usage, and the sources and properties it does not set. */
function inheritUsage(memory: Memory, before: Memory | null): Memory {
  if (before === null) return memory;
  const { importance, access_count, last_accessed } = before;
  const properties = { ...before.properties, ...memory.properties };
  const evidence = memory.evidence.length > 0 ? memory.evidence : before.evidence;
  return { ...memory, importance, access_count, last_accessed, evidence, properties };
}

/** Skips ids in use: an erased generation leaves a gap in the count. */
async function findFreeId(identity: string, taken: ReadonlySet<string>): Promise<string> {
  for (let generation = taken.size; ; generation += 1) {
    const id = await computeGenerationId(identity, generation);
    if (!taken.has(id)) return id;
  }
}
