// Indexes the tenant's memories, live and superseded, so that an import adds none twice.
import type { Kioku, Memory } from "../../client/index";
import { normaliseContent } from "../../src/language/normalise-text";
import { getMemoryScope } from "../../src/memories/store/memory-id";

export type ExistingMemory = { id: string; live: boolean; properties: Memory["properties"] };

type MemoryFields = Pick<Memory, "type" | "content" | "session_id" | "agent_id" | "project_id"> & {
  properties?: Memory["properties"];
};

export type ExistingMemories = {
  /** Consumes the oldest match: a memory that was forgotten and remembered again counts twice. */
  take(memory: MemoryFields): ExistingMemory | null;
};

export async function loadExistingMemories(api: Kioku, step: () => void): Promise<ExistingMemories> {
  const byIdentity = new Map<string, ExistingMemory[]>();
  for await (const memory of api.memories.list({ include_superseded: true })) {
    const identity = toIdentity(memory);
    // The list is newest first, so the last element is the oldest.
    byIdentity.set(identity, [
      ...(byIdentity.get(identity) ?? []),
      { id: memory.id, live: memory.status === "live", properties: memory.properties },
    ]);
    step();
  }
  return { take: (memory) => byIdentity.get(toIdentity(memory))?.pop() ?? null };
}

/** Returns a key that is equal for memories that the service treats as one. */
function toIdentity({
  type,
  content,
  session_id,
  agent_id,
  project_id,
  properties = {},
}: MemoryFields): string {
  const scope = getMemoryScope({
    session_id: session_id ?? null,
    agent_id: agent_id ?? null,
    project_id: project_id ?? null,
    properties,
  });
  return JSON.stringify([scope, type, normaliseContent(content)]);
}
