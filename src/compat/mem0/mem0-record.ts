// Converts between memories and mem0's records. A record is stored as an entry of its owner's namespace, whose metadata
// contains the ids and the client's own metadata.
import { toEntryMemory } from "../../domain/policy/entry-memory";
import { type Json, parseJson } from "../../platform/json";
import { UserId } from "../../schemas/common";
import type { Memory, NewMemory } from "../../schemas/memory";
import type { NamespaceFilter } from "../../store/memories/namespace-repository";
import type { Mem0Ids, Mem0Memory } from "./mem0-schemas";
import { NAMESPACE_PREFIX, toLabels, toNamespace } from "./mem0-scope";

/** The metadata of the entry. Its member names are stored. */
type StoredMetadata = Mem0Ids & { metadata?: Record<string, Json>; updated_at?: string };

/** The content of a new memory, and the fields in which it differs from an ordinary entry. */
export type Mem0Content = Pick<NewMemory, "content"> & Partial<NewMemory>;

export function toNewMemory(
  content: Mem0Content,
  ids: Mem0Ids,
  metadata: Record<string, Json>,
  timestamp: string,
): NewMemory {
  const entry = toEntryMemory({
    namespace: toNamespace(ids),
    content: content.content,
    metadata: { ...toLabels(ids), ...(Object.keys(metadata).length === 0 ? {} : { metadata }) },
    source: "manual",
    timestamp,
  });
  // mem0 allows more characters in an id: such an owner is known to mem0's routes alone.
  const user = UserId.safeParse(ids.user_id);
  const user_id = user.success ? user.data : null;
  return { ...entry, ...content, session_id: null, user_id, agent_id: null, project_id: null };
}

export function isMem0Memory(memory: Pick<Memory, "properties">): boolean {
  return memory.properties.namespace?.[0]?.startsWith(NAMESPACE_PREFIX) ?? false;
}

function readMetadata({ properties }: Pick<Memory, "properties">): StoredMetadata {
  const [json] = properties.entryMetadata ?? [];
  return json === undefined ? {} : parseJson<StoredMetadata>(json);
}

export function toMem0Record(memory: Memory): Mem0Memory {
  const { user_id, agent_id, app_id, run_id, metadata, updated_at } = readMetadata(memory);
  return {
    id: memory.id,
    memory: memory.content,
    user_id: user_id ?? null,
    agent_id: agent_id ?? null,
    app_id: app_id ?? null,
    run_id: run_id ?? null,
    metadata: metadata ?? null,
    categories: [memory.type],
    created_at: memory.timestamp,
    updated_at: updated_at ?? memory.timestamp,
  };
}

/** Returns whether a record of the filter's namespace has its labels and metadata. */
export function matchesFilter({ labels, metadata }: NamespaceFilter, record: Mem0Memory): boolean {
  return (
    Object.entries(labels).every(([name, id]) => record[name as keyof Mem0Ids] === id) &&
    Object.entries(metadata).every(([name, value]) => record.metadata?.[name] === value)
  );
}

/** Returns the memory with another text, other metadata, or both. */
export function applyUpdate(
  memory: Memory,
  { text, metadata }: { text?: string | undefined; metadata?: Record<string, Json> | null | undefined },
  at: string,
): Memory {
  const { metadata: before, ...labels } = readMetadata(memory);
  const after = metadata === undefined ? before : (metadata ?? undefined);
  const entryMetadata = { ...labels, ...(after === undefined ? {} : { metadata: after }), updated_at: at };
  return {
    ...memory,
    content: text?.trim() ?? memory.content,
    properties: { ...memory.properties, entryMetadata: [JSON.stringify(entryMetadata)] },
  };
}
