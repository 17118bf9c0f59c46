// Topics: the live memories that one topic key names within its scope, of which a newer one supersedes the others.
import { type SQL, sql } from "drizzle-orm";
import type { NewMemory } from "../../schemas/memory";
import { assertThat } from "../statements";
import { getTopicScope } from "./memory-id";

export type MemoryTopic = { scope: string; key: string };

export function toMemoryTopic(memory: NewMemory): MemoryTopic | null {
  const scope = getTopicScope(memory);
  return memory.topic_key === null || scope === null ? null : { scope, key: memory.topic_key };
}

export function toTopicName({ scope, key }: MemoryTopic): string {
  return JSON.stringify([scope, key]);
}

/** Selects the live memories of topics. */
export function selectTopicMembers(tenant: string, topics: readonly MemoryTopic[]): SQL {
  return sql`SELECT m.id, m.content, m.topic_scope AS scope, m.topic_key AS "key"
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
