// hand_off: work that one agent leaves to another.
import { unwrap } from "../platform/errors";
import { Handoff } from "../schemas/handover";
import { HandOffInput, OfSession } from "../schemas/tool-parameters";
import { agentOf, belongingOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const handOff = defineTool({
  name: "hand_off",
  title: "Hand work over",
  description:
    "Leave work to another agent, with what it must know to go on: what was done, artifacts, the state of the code, what " +
    "needs testing, known issues. It waits until that agent acknowledges it.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  belongs: OfSession,
  input: HandOffInput,
  output: Handoff,
  answers: { 200: "The handoff, which was there before", 201: "The new handoff" },
  async run(services, target, input, idempotency) {
    const from_agent = await agentOf(services, target, "from_agent", input.from_agent);
    const project_id = input.project_id ?? (await belongingOf(services, target)).project_id;
    // A repeated call must find the same handoff: its id then follows from the key.
    const id = input.id ?? (idempotency === null ? crypto.randomUUID() : idempotency.op.slice(0, 32));
    const told = { ...input, id, from_agent, project_id };
    const { handoff, created } = unwrap(await services.store.createHandoff(told, idempotency));
    return { status: created ? 201 : 200, body: handoff };
  },
});
