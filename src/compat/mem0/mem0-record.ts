// A memory as mem0's clients know it: an entry of its owner's namespace, whose metadata holds their ids and their own
// metadata. Pure.

import { toEntryMemory } from "../../domain/policy/entry-memory";
import type { MessageCandidate } from "../../domain/promotion/extract-candidates";
import { type Json, parseJson } from "../../platform/json";
import type { Memory, NewMemory } from "../../schemas/memory";
import type { NamespaceFilter } from "../../store/memories/namespace-repository";
import type { Mem0Ids, Mem0Memory, Mem0Message } from "./mem0-schemas";
import { labelsOf, namespaceFor, PREFIX } from "./mem0-scope";

/** What such an entry's metadata says. */
type Told = Mem0Ids & { metadata?: Record<string, Json>; updated_at?: string };

export type Kept = Pick<NewMemory, "content"> & Partial<NewMemory>;

/** A sentence that the rules chose. */
export function chosen({ content, memory_type, confidence, source_type, rationale }: MessageCandidate): Kept {
  return { content, type: memory_type, confidence, source_type, rationale };
}

/** A message as it was said. */
export function asSaid({ role, content }: Mem0Message): Kept {
  return { content: content.trim(), source_type: role === "user" ? "user" : "agent" };
}

export function toNewMemory(
  kept: Kept,
  ids: Mem0Ids,
  metadata: Record<string, Json>,
  timestamp: string,
): NewMemory {
  const told = { ...labelsOf(ids), ...(Object.keys(metadata).length === 0 ? {} : { metadata }) };
  const entry = toEntryMemory({
    namespace: namespaceFor(ids),
    content: kept.content,
    metadata: told,
    source: "manual",
    timestamp,
  });
  return { ...entry, ...kept, session_id: null, agent_id: null, project_id: null };
}

export function isMem0(memory: Pick<Memory, "properties">): boolean {
  return memory.properties.namespace?.[0]?.startsWith(PREFIX) ?? false;
}

function toldBy({ properties }: Pick<Memory, "properties">): Told {
  const [json] = properties.entryMetadata ?? [];
  return json === undefined ? {} : parseJson<Told>(json);
}

export function toRecord(memory: Memory): Mem0Memory {
  const { user_id, agent_id, app_id, run_id, metadata, updated_at } = toldBy(memory);
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

/** Whether it bears the labels of a place and has its metadata; that it is there has been seen to. */
export function isIn({ labels, metadata }: NamespaceFilter, record: Mem0Memory): boolean {
  return (
    Object.entries(labels).every(([name, id]) => record[name as keyof Mem0Ids] === id) &&
    Object.entries(metadata).every(([name, value]) => record.metadata?.[name] === value)
  );
}

/** The memory with other words, other metadata, or both. */
export function changed(
  memory: Memory,
  { text, metadata }: { text?: string | undefined; metadata?: Record<string, Json> | null | undefined },
  at: string,
): Memory {
  const { metadata: before, ...told } = toldBy(memory);
  const after = metadata === undefined ? before : (metadata ?? undefined);
  const entryMetadata = { ...told, ...(after === undefined ? {} : { metadata: after }), updated_at: at };
  return {
    ...memory,
    content: text?.trim() ?? memory.content,
    properties: { ...memory.properties, entryMetadata: [JSON.stringify(entryMetadata)] },
  };
}
