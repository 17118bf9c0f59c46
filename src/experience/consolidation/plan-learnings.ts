// Plans the learnings of a consolidation: every resolved error becomes one, or confirms a known one.
import { unwrap } from "../../kernel/errors";
import type { NewMemory } from "../../memories/memory-schemas";
import { computeIdentity, getTopicScope } from "../../memories/store/memory-id";
import type { Repositories } from "../../services/repositories";
import {
  computeLearningKey,
  confirmLearning,
  extractResolvedErrors,
  toExtractedLearning,
} from "../patterns/learning-memory";
import { findStandingPattern } from "../patterns/pattern-memory";
import type { OwnedExperience } from "./project-facts";

/** Stores a learning. `id` is the known learning that it confirms; null creates one. Stored as JSON. */
export type LearnStep = { kind: "learn"; id: string | null; memory: NewMemory };

export async function planLearnings({
  tenant,
  owner,
  episodes,
  learnings,
}: Omit<OwnedExperience, "patterns"> & { tenant: string }): Promise<{ id: string; step: LearnStep }[]> {
  const byId = new Map(learnings.map((memory) => [memory.id, memory]));
  // Oldest first, so that the newest of a key is found.
  const byKey = new Map(learnings.map((memory) => [memory.topic_key, memory]));
  const planned: { id: string; step: LearnStep }[] = [];
  for (const error of extractResolvedErrors(episodes)) {
    const key = await computeLearningKey(error);
    const memory = toExtractedLearning(error, owner, key);
    const known = byKey.get(key);
    if (known === undefined) {
      planned.push({ id: await computeIdentity(tenant, memory), step: { kind: "learn", id: null, memory } });
      continue;
    }
    const { standing } = findStandingPattern(known.id, byId);
    if (standing === null || confirmLearning(standing, memory) === null) continue;
    planned.push({ id: standing.id, step: { kind: "learn", id: standing.id, memory } });
  }
  return planned;
}

/** Applies a step. A caller may have stored the same learning since it was planned. */
export async function applyLearning(
  store: Repositories,
  { id, memory }: LearnStep,
  op: string,
): Promise<void> {
  const scope = getTopicScope(memory);
  const known =
    id ?? (scope === null ? null : (await store.memories.findByTopic(scope, memory.topic_key ?? ""))?.id);
  if (known != null) {
    await store.memories.changeMany([known], (before) => confirmLearning(before, memory));
    return;
  }
  for (const result of await store.memories.commit([{ op, memory }])) unwrap(result);
}
