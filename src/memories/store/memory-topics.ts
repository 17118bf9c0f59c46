// Topics: the live memories that one topic key names within its scope, of which a newer one supersedes the others.
import { type SQL, sql } from "drizzle-orm";
import { deriveTopicKey, isUserTopic, listTopicWords, replacesFact } from "../../facts/topics/topic-key";
import type { Owner } from "../../kernel/access";
import { assertThat } from "../../kernel/databases/statements";
import type { Memory, NewMemory } from "../memory-schemas";
import { DERIVED_TOPIC, DERIVED_TOPIC_MARK, getTopicScope } from "./memory-id";

export type MemoryTopic = { scope: string; key: string };

export function toMemoryTopic(memory: NewMemory): MemoryTopic | null {
  const scope = getTopicScope(memory);
  return memory.topic_key === null || scope === null ? null : { scope, key: memory.topic_key };
}

export function toTopicName({ scope, key }: MemoryTopic): string {
  return JSON.stringify([scope, key]);
}

/** Returns the topic key of a single-valued statement, as it is stored; null if there is none. */
export function deriveTopic({ content, type }: Pick<Memory, "content" | "type">): string | null {
  const key = deriveTopicKey(content, type);
  return key === null ? null : DERIVED_TOPIC_MARK + key;
}

/** Returns whether the service chose the key: callers do not see it. */
export function isDerivedTopic(key: string | null): boolean {
  return key?.startsWith(DERIVED_TOPIC) ?? false;
}

/** Returns the key that a caller gave to a memory. */
export function getOwnTopic({ topic_key }: Pick<Memory, "topic_key">): string | null {
  return isDerivedTopic(topic_key) ? null : topic_key;
}

/** Returns the words under which a memory is found besides its own: those of the topic that its statement is about. */
export function getTopicText({ topic_key }: Pick<Memory, "topic_key">): string {
  return topic_key !== null && isDerivedTopic(topic_key) ? listTopicWords(topic_key).join(" ") : "";
}

export type TopicMember = Pick<Memory, "id" | "content" | "source_type"> & Owner;

/** Selects the members of a topic that a memory supersedes: with a derived topic, those with another value. */
export function selectOutdated(memory: NewMemory, members: readonly TopicMember[]): TopicMember[] {
  if (!isDerivedTopic(memory.topic_key)) return [...members];
  return members.filter(
    (member) => !isOfOtherProject(memory, member) && replacesFact(member.content, memory.content),
  );
}

/** "The database is Postgres" is a fact of one project; what a user says of themselves holds in all their projects. */
function isOfOtherProject(
  { topic_key, user_id = null, project_id }: NewMemory,
  member: TopicMember,
): boolean {
  if (project_id === null || member.project_id === null || project_id === member.project_id) return false;
  return user_id === null || !isUserTopic((topic_key ?? "").slice(DERIVED_TOPIC_MARK.length));
}

/** Selects the live memories of topics. */
export function selectTopicMembers(tenant: string, topics: readonly MemoryTopic[]): SQL {
  return sql`SELECT m.id, m.content, m.source_type, m.user_id, m.agent_id, m.project_id, m.topic_scope AS scope, m.topic_key AS "key"
    ${fromTopics(tenant, JSON.stringify(topics))} ORDER BY m.timestamp, m.id`;
}

/** Aborts the batch if a topic has gained a live memory since it was read. */
export function assertTopicsKnown(
  tenant: string,
  known: readonly { topic: MemoryTopic; members: readonly string[] }[],
): SQL {
  const topics = JSON.stringify(known.map(({ topic }) => topic));
  const members = JSON.stringify(known.flatMap((one) => one.members));
  return assertThat(sql`NOT EXISTS (SELECT 1 ${fromTopics(tenant, topics)}
    AND m.id NOT IN (SELECT value FROM json_each(${members})))`);
}

function fromTopics(tenant: string, topics: string): SQL {
  return sql`FROM json_each(${topics}) j CROSS JOIN memories m
    ON m.tenant = ${tenant} AND m.topic_scope = j.value ->> '$.scope' AND m.topic_key = j.value ->> '$.key'
    WHERE m.live`;
}
