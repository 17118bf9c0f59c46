// Reads what a briefing adds to the hits of its search, in one batch: the memories that its memories are linked with, the
// lessons that rest on its episodes, and the project's own skills in place of those of all projects.

import { type SQL, sql } from "drizzle-orm";
import { runBatch } from "../../kernel/databases/d1";
import type { StoreContext } from "../../kernel/store-context";
import { hasIriObject, listResourceKeys, toEvidenceIri, toInstanceIri } from "../../ontology/triples";
import type { Memory } from "../memory-schemas";
import { toSkillScope } from "../store/memory-id";
import { fromMemoryRow, type MemoryRow } from "../store/memory-mapping";
import { selectMemoryRow } from "../usage/usage-counts";
import { followLinks, type LinkedMemory, type LinkingRow, selectLinks } from "./linked-memories";

export type FollowedHits = {
  memories: readonly string[];
  /** Ids in the vector index. */
  episodes: readonly string[];
  project_id: string | null;
};

export type FollowedRows = {
  linked: LinkedMemory[];
  /** The lessons of episodes with errors, most confident first. Null if there are too many to read. */
  lessons: Memory[] | null;
  /** Topic keys of the shared skills among the memories that the project has a skill of its own for. */
  ownSkills: string[];
};

/** More than a briefing takes, since few of the episodes are hits in the end. */
const MAX_LESSONS = 100;

export async function followHits(
  context: StoreContext,
  { memories, episodes, project_id }: FollowedHits,
): Promise<FollowedRows> {
  const { db, tenant } = context;
  const statements = {
    links: memories.length === 0 ? [] : [selectLinks(tenant, memories)],
    lessons: episodes.length === 0 ? [] : [selectLessons(tenant, episodes)],
    skills: memories.length === 0 || project_id === null ? [] : [selectOwn(tenant, project_id, memories)],
  };
  const { links, lessons, skills } = statements;
  const results = await runBatch(db, [...links, ...lessons, ...skills]);
  const take = (count: number) => results.splice(0, count).flat();
  const linkRows = take(links.length) as LinkingRow[];
  const lessonRows = take(lessons.length) as MemoryRow[];
  const skillRows = take(skills.length) as { topic_key: string }[];
  const distinct = new Map(lessonRows.map((row) => [row.id, row]));
  return {
    linked: await followLinks(context, linkRows),
    lessons: lessonRows.length > MAX_LESSONS ? null : [...distinct.values()].map(fromMemoryRow),
    ownSkills: skillRows.map(({ topic_key }) => topic_key),
  };
}

const EVIDENCE = toEvidenceIri("");

/** Whether the lessons of an episode are found by its id as it is: other ids are encoded or digested. */
export function hasPlainIri(id: string): boolean {
  const [key, ...others] = listResourceKeys(toEvidenceIri(id));
  return key === EVIDENCE + id && others.length === 0;
}

/** A lesson is read once for each of its episodes: DISTINCT would read all triples while they are being moved. */
function selectLessons(tenant: string, episodes: readonly string[]): SQL {
  return sql`SELECT ${selectMemoryRow("m")} FROM json_each(${JSON.stringify(episodes)}) j
    CROSS JOIN episodes e ON e.tenant = ${tenant} AND e.vector_id = j.value
    CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = ${EVIDENCE} || e.id AND ${hasIriObject("t")}
      AND t.predicate = 'jido:derivedFrom'
    CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = substr(t.subject, ${toInstanceIri("memory", "").length + 1})
    WHERE (e.outcome = 'failure' OR json_array_length(e.trace, '$.errors_encountered') > 0)
      AND m.live = 1 AND m.type = 'lesson_learned'
    ORDER BY m.confidence DESC, m.content, m.id LIMIT ${MAX_LESSONS + 1}`;
}

function selectOwn(tenant: string, projectId: string, memories: readonly string[]): SQL {
  return sql`SELECT o.topic_key FROM json_each(${JSON.stringify(memories)}) j
    CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value
    CROSS JOIN memories o ON o.tenant = ${tenant} AND o.topic_scope = ${toSkillScope(projectId)}
      AND o.topic_key = m.topic_key AND o.live = 1
    WHERE m.type = 'skill' AND m.project_id IS NULL`;
}
