// The facts and decisions of a project, which are compared for contradictions.
import type { Memory } from "../schemas/memory";
import type { Repositories } from "../store/repositories";
import type { EmbedTexts } from "./embedding-cache";
import type { ComparedMemory } from "./plan-proposals";

/** The newest facts and the newest decisions of a project that are compared. */
const COMPARED_FACTS = 200;

/** Returns the newest live facts and decisions of a project, without those of a user and captured turns. */
export async function listFacts(store: Repositories, projectId: string): Promise<Memory[]> {
  const list = (type: "fact" | "decision") =>
    store.memories.list(
      {
        type,
        session_id: null,
        user_id: null,
        agent_id: null,
        project_id: projectId,
        include_superseded: false,
      },
      { limit: COMPARED_FACTS, after: null },
    );
  const [facts, decisions] = await Promise.all([list("fact"), list("decision")]);
  return [...facts, ...decisions].filter(
    ({ user_id, properties }) => user_id === null && properties.namespace === undefined,
  );
}

/** Embeds facts for a comparison with each other. */
export async function toComparableFacts(
  facts: readonly Memory[],
  embed: EmbedTexts,
): Promise<ComparedMemory[]> {
  const vectors = await embed(facts.map(({ content }) => content));
  return facts.flatMap((memory, i) => {
    const vector = vectors[i];
    return vector === undefined ? [] : [{ memory, vector, group: "facts" }];
  });
}
