// learn: a mistake, its cause, what put it right and what prevents it.
import { toLearning } from "../domain/experience/learning-memory";
import { Learning } from "../schemas/learning";
import { LearnInput, OptionalSession } from "../schemas/tool-parameters";
import { writeLearning } from "./experience/write-learning";
import { belongingOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const learn = defineTool({
  name: "learn",
  title: "Learn from a mistake",
  description:
    "Keep what a mistake taught: what triggered it, its root cause, the fix and how to prevent it. Learning the same " +
    "again counts one more occurrence. Later tasks are warned by prime.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  belongs: OptionalSession,
  input: LearnInput,
  output: Learning,
  answers: { 200: "It was known, and has happened once more", 201: "The new learning" },
  async run(services, target, input, idempotency) {
    const { store } = services;
    const project_id = input.project_id ?? (await belongingOf(services, target)).project_id;
    const now = new Date(services.now()).toISOString();
    const { memory, created } = await writeLearning(store, { ...input, project_id }, idempotency, now);
    services.later(services.indexing.wake());
    return { status: created ? 201 : 200, body: toLearning(memory) };
  },
});
