// What the tenant holds already, so that an import adds nothing twice: neither what is live, nor what no longer holds.
import type { Kioku, Memory } from "../../client/index";
import { getMemoryScope } from "../../src/store/memories/memory-id";
import { normaliseContent } from "../../src/text/normalise-text";

export type Existing = { id: string; live: boolean };

type Told = Pick<Memory, "type" | "content" | "session_id" | "agent_id" | "project_id"> & {
  properties?: Memory["properties"];
};

export type ExistingMemories = {
  /** The oldest that is not yet taken, and takes it: what was said, taken back and said again are two. */
  take(memory: Told): Existing | null;
};

export async function existingMemories(api: Kioku, step: () => void): Promise<ExistingMemories> {
  const lives = new Map<string, Existing[]>();
  for await (const memory of api.memories.list({ include_superseded: true })) {
    const name = nameOf(memory);
    // The list is newest first, so that the last is the oldest.
    lives.set(name, [...(lives.get(name) ?? []), { id: memory.id, live: memory.status === "live" }]);
    step();
  }
  return { take: (memory) => lives.get(nameOf(memory))?.pop() ?? null };
}

/** The service's own idea of what makes two memories one. */
function nameOf({ type, content, session_id, agent_id, project_id, properties = {} }: Told): string {
  const scope = getMemoryScope({
    session_id: session_id ?? null,
    agent_id: agent_id ?? null,
    project_id: project_id ?? null,
    properties,
  });
  return JSON.stringify([scope, type, normaliseContent(content)]);
}
