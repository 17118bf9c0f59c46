// Creates sessions, and appends messages to their conversation (add_messages).

import { requireSession } from "../calls/call-access";
import { type IdempotentReply, runIdempotent } from "../calls/run-idempotent";
import { defineTool, type OperationReply } from "../calls/tool";
import { inheritSpaces } from "../cognition/spaces/inherit-spaces";
import { type Access, isWithinBinding } from "../kernel/access";
import { OwnerIds, RequiredSession, type z } from "../kernel/common";
import { failure, fieldFailure, unwrap } from "../kernel/errors";
import type { Idempotency } from "../kernel/idempotency";
import { AddMessagesInput, MessagesAdded } from "../memories/message-schemas";
import { type Triple, toInstanceIri } from "../ontology/triples";
import { forgetRecallBasis } from "../recall/search/recall";
import type { Services } from "../services/services";
import { markReported } from "../trust/source-rank";
import type { InheritedSpaces, NewSession } from "./session-rpc";
import type { Session, SessionCreate } from "./session-schemas";

export async function addMessages(
  { tenant, session }: Services,
  access: Access,
  { messages }: z.output<typeof AddMessagesInput>,
  idempotency: Idempotency,
): Promise<OperationReply<MessagesAdded>> {
  const id = requireSession(access.owner);
  const said = access.scope === null ? messages : reportMessages(messages);
  const added = await session(id).addMessages({ tenant, id }, said, idempotency, access);
  forgetRecallBasis(tenant, id);
  return { status: 201, body: unwrap(added) };
}

type SentMessages = z.output<typeof AddMessagesInput>["messages"];

/** Marks the messages of a model's call. It writes no instructions: those come from whoever runs it. */
function reportMessages(messages: SentMessages): SentMessages {
  const at = messages.findIndex(({ role }) => role === "system");
  if (at >= 0)
    throw fieldFailure(
      `messages.${at}.role`,
      "must not be system in a tool call: a model adds messages of the user, the assistant and tools",
    );
  return messages.map(markReported);
}

export const addMessagesTool = defineTool({
  name: "add_messages",
  title: "Add to the conversation",
  description:
    "Append messages to a session's conversation, so that they can be searched, summarised and assembled later. The " +
    "session is created if it does not exist. Use remember for information that should outlive the session.",
  scope: "write",
  quota: ["messages", "bytes"],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ownerInput: OwnerIds.extend(RequiredSession.shape),
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
  const { tenant, store, session } = services;
  // A repeated call must reach the same object, so the default id is derived from the key.
  const id = input.id ?? (idempotency === null ? crypto.randomUUID() : idempotency.op.slice(0, 32));
  return runIdempotent(store, idempotency, async () => ({
    status: 201,
    body: unwrap(
      await session(id).create({ tenant, id }, await prepareSession(services, input), idempotency),
    ),
  }));
}

/** Returns the triples of a session, as the registry has them. */
export async function readSessionTriples({ store }: Services, id: string): Promise<Triple[]> {
  const triples = await store.triples.match({ subject: toInstanceIri("session", id) });
  if (triples.length === 0)
    throw failure(
      "not_found",
      `Session not found: ${id}. Create it with POST /v1/sessions, or by a first write.`,
    );
  return triples;
}

/** Completes the settings of a new session by those that it takes from an earlier one. */
async function prepareSession(services: Services, input: SessionCreate): Promise<NewSession> {
  const create = { ...(await inheritContinued(services, input)), within: services.binding };
  const inherited = await readInheritedSpaces(services, create);
  return inherited === null ? create : { ...create, inherited };
}

/**
 * Reads the spaces that a session starts from. What a session knows about a person goes to that person's sessions only,
 * so that erasing the person erases it.
 */
async function readInheritedSpaces(
  services: Services,
  create: SessionCreate,
): Promise<InheritedSpaces | null> {
  const { tenant, session, binding } = services;
  const { spaces_from, continues, inherit_spaces } = create;
  if (inherit_spaces === false && spaces_from !== undefined)
    throw fieldFailure("inherit_spaces", "is false, and spaces_from names a session: leave one of them out");
  if (inherit_spaces === false) return null;
  const id = spaces_from ?? continues ?? (inherit_spaces ? await findLatestSession(services, create) : null);
  if (id === null) return null;
  const earlier = unwrap(await session(id).readSpacesForSuccessor({ tenant, id }));
  const isForOther =
    earlier !== null && earlier.user_id !== null && earlier.user_id !== (create.user_id ?? null);
  if (spaces_from !== undefined && isForOther)
    throw fieldFailure("spaces_from", "names a session of another user: give this one the same user_id");
  if (earlier === null || isForOther || !isWithinBinding(binding, earlier)) {
    if (spaces_from === undefined) return null;
    throw failure("not_found", `Session not found: ${spaces_from}. spaces_from names an existing session.`);
  }
  return { metadata: earlier.metadata, spaces: inheritSpaces(earlier.spaces, id) };
}

/** Returns the id of the agent's latest session for the same person, null if there is none. */
async function findLatestSession(
  { store, binding }: Services,
  { agent_id, user_id }: SessionCreate,
): Promise<string | null> {
  if (agent_id === undefined)
    throw fieldFailure("inherit_spaces", "needs an agent_id, whose latest session it starts from");
  return store.sessions.findLatestId({
    agent_id,
    user_id: user_id ?? null,
    project_id: binding.project_id ?? null,
  });
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
