// acknowledge_handoff: an agent takes up what was left to it; the first one has it.
import { unwrap } from "../platform/errors";
import { Handoff } from "../schemas/handover";
import { AcknowledgeHandoffInput, OfSession } from "../schemas/tool-parameters";
import { agentOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const acknowledgeHandoff = defineTool({
  name: "acknowledge_handoff",
  title: "Take up a handoff",
  description:
    "Take up a handoff before you work on it. The first agent has it; any later one is told who that is, and should leave " +
    "the work alone.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  belongs: OfSession,
  input: AcknowledgeHandoffInput,
  output: Handoff,
  answers: { 200: "The handoff, which is yours" },
  async run(services, target, { handoff_id: id, agent_id: given }, idempotency) {
    const agent_id = await agentOf(services, target, "agent_id", given);
    return {
      status: 200,
      body: unwrap(await services.store.acknowledgeHandoff({ id, agent_id }, idempotency)),
    };
  },
});
