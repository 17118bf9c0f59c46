// prime: what earlier attempts have to say to a task that is about to begin.

import { PrimeAnswer } from "../schemas/briefing";
import { OfSession, PrimeToolInput } from "../schemas/tool-parameters";
import { prime as prepare } from "./experience/gather-briefing";
import { belongingOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const prime = defineTool({
  name: "prime",
  title: "Prepare for a task",
  description:
    "Ask before you begin a task: gives the patterns that worked, the mistakes to avoid, the skills to follow and how " +
    "similar attempts ended, within a token budget. `prompt` has all of it as Markdown.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  belongs: OfSession,
  input: PrimeToolInput,
  output: PrimeAnswer,
  answers: { 200: "What to know" },
  async run(services, target, input) {
    const project_id = input.project_id ?? (await belongingOf(services, target)).project_id ?? undefined;
    return { status: 200, body: await prepare(services, { ...input, project_id }) };
  },
});
