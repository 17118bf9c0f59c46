// list_handoffs: what waits for an agent.
import { ListHandoffsAnswer, ListHandoffsInput, OfSession } from "../schemas/tool-parameters";
import { belongingOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const listHandoffs = defineTool({
  name: "list_handoffs",
  title: "List handoffs",
  description:
    "List the work that other agents left for an agent, newest first. Look here when you begin, and acknowledge what you " +
    "take up.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  belongs: OfSession,
  input: ListHandoffsInput,
  output: ListHandoffsAnswer,
  answers: { 200: "Handoffs" },
  async run(services, target, { limit, status, ...given }) {
    const filter = {
      to_agent: given.to_agent ?? (await belongingOf(services, target)).agent_id,
      from_agent: given.from_agent ?? null,
      project_id: given.project_id ?? null,
      status,
    };
    const handoffs = await services.store.listHandoffs(filter, { limit, after: null });
    return { status: 200, body: { count: handoffs.length, handoffs } };
  },
});
