// assemble: a session's context for the next turn, within a token budget.
import { unwrap } from "../platform/errors";
import { AssembleAnswer } from "../schemas/assemble";
import { AssembleToolInput, InSession } from "../schemas/tool-parameters";
import { sessionOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const assemble = defineTool({
  name: "assemble",
  title: "Assemble the context",
  description:
    "Get a session's context for the next turn within a token budget: the conversation, the working context and the " +
    "memories that matter to the query. `prompt` is ready to use; `left_out` says what did not fit.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  belongs: InSession,
  input: AssembleToolInput,
  output: AssembleAnswer,
  answers: { 200: "The context, and what was left out of it" },
  async run({ tenant, session, store, later }, target, input) {
    const id = sessionOf(target);
    const assembled = unwrap(await session(id).assemble({ tenant, id }, input));
    later(store.recordAccess(assembled.memories.map((memory) => memory.id)));
    return { status: 200, body: assembled };
  },
});
