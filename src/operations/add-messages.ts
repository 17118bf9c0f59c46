// add_messages: appends messages to a session's conversation.
import { unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import type { z } from "../schemas/common";
import { MessagesAdded } from "../schemas/message";
import { AddMessagesInput, RequiredSession } from "../schemas/tool-parameters";
import { requireSession } from "./resolve-owner";
import type { Services } from "./services";
import { defineTool, type OperationReply, type OwnerIds } from "./tools/tool";

export async function addMessages(
  { tenant, session }: Services,
  owner: OwnerIds,
  { messages }: z.output<typeof AddMessagesInput>,
  idempotency: Idempotency,
): Promise<OperationReply<MessagesAdded>> {
  const id = requireSession(owner);
  return {
    status: 201,
    body: unwrap(await session(id).addMessages({ tenant, id }, messages, idempotency)),
  };
}

export const addMessagesTool = defineTool({
  name: "add_messages",
  title: "Add to the conversation",
  description:
    "Add what was said to a session's conversation, so that it is searched, summarised and assembled later. The session " +
    "is made if there is none. What is worth keeping beyond the session, remember.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ownerInput: RequiredSession,
  input: AddMessagesInput,
  output: MessagesAdded,
  responses: { 201: "What was added and what left the window" },
  run: addMessages,
});
