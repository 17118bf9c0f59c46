// continuity: a session's working memory as one page, to go on from.

import { ContinuityAnswer, ContinuityInput, InSession } from "../schemas/tool-parameters";
import { continuityOf } from "./experience/gather-continuity";
import { sessionOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const continuity = defineTool({
  name: "continuity",
  title: "Read where a session stands",
  description:
    "Read a session's working memory as one Markdown page: what is being done now, what was said last, relevant " +
    "memories, mistakes to avoid, handoffs that wait. Use it when you take up a session again.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  belongs: InSession,
  input: ContinuityInput,
  output: ContinuityAnswer,
  answers: { 200: "The page" },
  async run(services, target) {
    const session_id = sessionOf(target);
    return { status: 200, body: { session_id, markdown: await continuityOf(services, session_id) } };
  },
});
