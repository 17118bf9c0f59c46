// Maps a policy's entries to memories and back, since both share one store, and renders a turn as an entry's text.
import { type Json, type JsonObject, parseJson } from "../kernel/json";
import type { Memory, NewMemory } from "../memories/memory-schemas";
import { createNamespace, getTargetName } from "../memories/store/namespace";
import { nameForeignSource } from "../trust/source-rank";
import type { Entry, EntrySource } from "./policy-schemas";

/** Entries are stated directly, by the caller or in the conversation, so they start above inferred memories. */
const ENTRY_CONFIDENCE = 0.8;

type NewPolicyEntry = {
  /** Null if the entry is in no namespace: it belongs to its session. */
  namespace: string | null;
  content: string;
  metadata: JsonObject;
  source: Exclude<EntrySource, "memory">;
  /** Whether it holds anything of lasting value; by default it does. */
  lasting?: boolean;
  timestamp: string;
};

export function toEntryMemory({
  namespace,
  content,
  metadata,
  source,
  lasting = true,
  timestamp,
}: NewPolicyEntry): Omit<NewMemory, "session_id" | "user_id" | "agent_id" | "project_id"> {
  return {
    type: "fact",
    content,
    confidence: ENTRY_CONFIDENCE,
    importance: 1,
    source_type: source === "conversation" ? "agent" : "user",
    rationale: null,
    topic_key: null,
    timestamp,
    valid_from: null,
    evidence: [],
    properties: {
      ...(namespace === null ? {} : { namespace: [namespace] }),
      entrySource: [source],
      ...(Object.keys(metadata).length === 0 ? {} : { entryMetadata: [JSON.stringify(metadata)] }),
      ...(lasting ? {} : { entryLasting: ["false"] }),
    },
  };
}

type OwnedMemory = Pick<Memory, "session_id" | "user_id" | "agent_id" | "project_id" | "properties">;

type EntryMemory = OwnedMemory &
  Pick<Memory, "id" | "content" | "timestamp" | "source_type"> &
  Partial<Pick<Memory, "metadata">>;

/** Maps a memory to an entry. */
export function toEntry(memory: EntryMemory): Entry {
  const { id, content, timestamp, source_type, user_id, agent_id, session_id, properties } = memory;
  const [metadata] = properties.entryMetadata ?? [];
  const [source] = properties.entrySource ?? [];
  return {
    id,
    namespace: getEntryNamespace(memory),
    user_id,
    agent_id,
    session_id,
    content,
    metadata: metadata === undefined ? (memory.metadata ?? {}) : parseJson<Record<string, Json>>(metadata),
    source: source === "manual" || source === "conversation" ? source : "memory",
    lasting: properties.entryLasting?.[0] !== "false",
    created_at: timestamp,
    ...nameForeignSource(source_type),
  };
}

/** Joins the parts of a turn to one entry, with the id of the first. */
export function joinParts(first: Entry, parts: readonly Pick<Memory, "id" | "content">[]): Entry {
  return {
    ...first,
    content: parts.map(({ content }) => content).join(""),
    parts: parts.map(({ id }) => id),
  };
}

/** A memory without a namespace belongs to its agent's; one without an agent is named after its narrowest owner. */
function getEntryNamespace({ session_id, user_id, agent_id, project_id, properties }: OwnedMemory): string {
  const [name] = properties.namespace ?? [];
  if (name !== undefined) return name;
  if (agent_id !== null) return createNamespace(`agent:${agent_id}`, session_id, agent_id).name;
  if (user_id !== null) return getTargetName({ kind: "user", id: user_id });
  if (session_id !== null) return getTargetName({ kind: "session", id: session_id });
  return getTargetName(project_id === null ? { kind: "tenant" } : { kind: "project", id: project_id });
}

const USER = "User: ";
const ASSISTANT = "\nAssistant: ";

/** Lines that begin with a speaker's label are quoted, so that no content can forge another speaker. */
const SPEAKER_LABEL = /^(?=\s*(?:user|assistant|system|tool|developer)\s*:)/gim;

export function escapeSpeakerLabels(text: string): string {
  return text.trim().replace(SPEAKER_LABEL, "> ");
}

/** Renders both sides of a turn, whole. */
export function renderTurn(input: string, output: string): string {
  return `${USER}${escapeSpeakerLabels(input)}${ASSISTANT}${escapeSpeakerLabels(output)}`;
}
