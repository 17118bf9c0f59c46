// Registers the projectors that a session runs: the built-in ones, then a project's own.

import { CUSTOM_PROJECTORS } from "./custom-projectors";
import { factsProjector } from "./facts-projector";
import type { Projector } from "./projector";
import { summaryProjector } from "./summary-projector";
import { tasksProjector } from "./tasks-projector";

/** Queues new messages for the vector index. The long-term store feeds the index, so a notification is enough. */
export const vectorsProjector: Projector = {
  name: "vectors",
  reads: ["message", "tool_result"],
  trigger: { tick: true, after: null },
  async project(_entries, context) {
    await context.indexMessages();
    return {};
  },
};

export const BUILT_IN_PROJECTORS: readonly Projector[] = [
  summaryProjector,
  factsProjector,
  tasksProjector,
  vectorsProjector,
];

export const PROJECTORS: readonly Projector[] = requireDistinctNames([
  ...BUILT_IN_PROJECTORS,
  ...CUSTOM_PROJECTORS,
]);

export function findProjector(name: string): Projector | undefined {
  return PROJECTORS.find((projector) => projector.name === name);
}

/** Refuses duplicate names: progress is stored by name, so each of two would skip the entries the other has read. */
export function requireDistinctNames(projectors: readonly Projector[]): readonly Projector[] {
  const names = new Set<string>();
  for (const { name } of projectors) {
    if (names.has(name)) throw new Error(`Two projectors are named ${name}: give one of them another name.`);
    names.add(name);
  }
  return projectors;
}
