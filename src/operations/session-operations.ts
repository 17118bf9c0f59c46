// Creates sessions, and appends messages to their conversation (add_messages).
import { unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import type { z } from "../schemas/common";
import { ScopeIds } from "../schemas/memory";
import { MessagesAdded } from "../schemas/message";
import type { Session, SessionCreate } from "../schemas/session";
import { AddMessagesInput, RequiredSession } from "../schemas/tool-parameters";
import { requireSession } from "./resolve-owner";
import { type IdempotentReply, runIdempotent } from "./run-idempotent";
import type { Services } from "./services";
import { defineTool, type OperationReply, type OwnerIds } from "./tools/tool";

export async function addMessages(
  { tenant, session, binding: within }: Services,
  owner: OwnerIds,
  { messages }: z.output<typeof AddMessagesInput>,
  idempotency: Idempotency,
): Promise<OperationReply<MessagesAdded>> {
  const id = requireSession(owner);
  return {
    status: 201,
    body: unwrap(await session(id).addMessages({ tenant, id }, messages, idempotency, { ...owner, within })),
  };
}

export const addMessagesTool = defineTool({
  name: "add_messages",
  title: "Add to the conversation",
  description:
    "Append messages to a session's conversation, so that they can be searched, summarised and assembled later. The " +
    "session is created if it does not exist. Use remember for information that should outlive the session.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ownerInput: ScopeIds.extend(RequiredSession.shape),
  input: AddMessagesInput,
  output: MessagesAdded,
  responses: { 201: "Counts of added, duplicate and evicted messages" },
  servesBound: true,
  run: addMessages,
});

/**
 * Creates a session. Its object stores the key with its record, so that a repeated call after a crash finds the session. D1 stores
 * it too, because the body names the object: a key that is reused with another id reaches an object that has never seen it.
 */
export function createSession(
  services: Services,
  input: SessionCreate,
  idempotency: Idempotency,
): Promise<IdempotentReply<Session>> {
  const { tenant, store, session, binding: within } = services;
  // A repeated call must reach the same object, so the default id is derived from the key.
  const id = input.id ?? (idempotency === null ? crypto.randomUUID() : idempotency.op.slice(0, 32));
  return runIdempotent(store, idempotency, async () => ({
    status: 201,
    body: unwrap(
      await session(id).create(
        { tenant, id },
        { ...(await inheritContinued(services, input)), within },
        idempotency,
      ),
    ),
  }));
}

/** Adds the owner ids of the session that is continued, unless the new session serves another person. */
async function inheritContinued({ tenant, session }: Services, input: SessionCreate): Promise<SessionCreate> {
  const { continues: id } = input;
  if (id === undefined) return input;
  const earlier = unwrap(await session(id).getSettings({ tenant, id }));
  if (earlier === null || earlier.erasing) return input;
  const { user_id, agent_id, project_id } = earlier;
  if (user_id !== null && input.user_id !== undefined && input.user_id !== user_id) return input;
  return {
    ...(user_id === null ? {} : { user_id }),
    ...(agent_id === null ? {} : { agent_id }),
    ...(project_id === null ? {} : { project_id }),
    ...input,
  };
}
