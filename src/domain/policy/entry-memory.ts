// An entry as a memory, and a memory as an entry: there is one store, and entries are part of it. Pure.
import { type Json, type JsonObject, parseJson } from "../../platform/json";
import type { Memory, NewMemory } from "../../schemas/memory";
import type { Entry, EntrySource } from "../../schemas/policy";
import { namespaceOf } from "./namespace-name";

/** Both kinds are told by somebody, as they are: a summary of them may be less sure. */
const CONFIDENCE = 0.8;

export type NewEntry = {
  namespace: string;
  content: string;
  metadata: JsonObject;
  source: Exclude<EntrySource, "memory">;
  timestamp: string;
};

export function toMemory({
  namespace,
  content,
  metadata,
  source,
  timestamp,
}: NewEntry): Omit<NewMemory, "session_id" | "agent_id" | "project_id"> {
  return {
    type: "fact",
    content,
    confidence: CONFIDENCE,
    importance: 1,
    source_type: source === "conversation" ? "agent" : "user",
    rationale: null,
    topic_key: null,
    timestamp,
    valid_from: null,
    evidence: [],
    properties: {
      namespace: [namespace],
      entrySource: [source],
      ...(Object.keys(metadata).length === 0 ? {} : { entryMetadata: [JSON.stringify(metadata)] }),
    },
  };
}

/** What an agent remembers in another way is an entry of its own namespace, too. */
export function toEntry(
  memory: Pick<Memory, "id" | "content" | "timestamp" | "agent_id" | "session_id" | "properties">,
): Entry {
  const { id, content, timestamp, agent_id, session_id, properties } = memory;
  const [metadata] = properties.entryMetadata ?? [];
  const [source] = properties.entrySource ?? [];
  const own = namespaceOf(`agent:${agent_id ?? ""}`, session_id, agent_id).name;
  return {
    id,
    namespace: properties.namespace?.[0] ?? own,
    agent_id,
    session_id,
    content,
    metadata: metadata === undefined ? {} : parseJson<Record<string, Json>>(metadata),
    source: source === "manual" || source === "conversation" ? source : "memory",
    created_at: timestamp,
  };
}
