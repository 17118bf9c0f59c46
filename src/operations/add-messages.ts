// add_messages: what was said goes into the session's conversation.
import { unwrap } from "../platform/errors";
import { MessagesAdded } from "../schemas/session";
import { AddMessagesInput, InSession } from "../schemas/tool-parameters";
import { sessionOf } from "./resolve-scope";
import { defineTool } from "./tools/tool";

export const addMessages = defineTool({
  name: "add_messages",
  title: "Add to the conversation",
  description:
    "Add what was said to a session's conversation, so that it is searched, summarised and assembled later. The session " +
    "is made if there is none. What is worth keeping beyond the session, remember.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  belongs: InSession,
  input: AddMessagesInput,
  output: MessagesAdded,
  answers: { 201: "What was added and what left the window" },
  async run({ tenant, session }, target, { messages }, idempotency) {
    const id = sessionOf(target);
    return {
      status: 201,
      body: unwrap(await session(id).addMessages({ tenant, id }, messages, idempotency)),
    };
  },
});
