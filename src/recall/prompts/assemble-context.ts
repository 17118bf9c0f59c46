// assemble: returns a session's context for the next turn, within a token budget.

import { rejectWiderScope, requireSession } from "../../calls/call-access";
import { defineTool, type OperationReply } from "../../calls/tool";
import type { Access } from "../../kernel/access";
import { OwnerIds, RequiredSession, type z } from "../../kernel/common";
import { unwrap } from "../../kernel/errors";
import { countRecall } from "../../memories/usage/count-recall";
import type { Services } from "../../services/services";
import type { AssembledContext } from "../../sessions/session-rpc";
import { AssembleAnswer, type AssembleInput, AssembleToolInput } from "./assemble-schemas";

/** A session that does not exist yet answers as an empty one of this owner. */
export async function assembleContext(
  services: Services,
  access: Access,
  input: z.output<typeof AssembleToolInput>,
): Promise<OperationReply<object>> {
  const id = requireSession(access.owner);
  rejectWiderScope(access, input.scope);
  return { status: 200, body: await assembleSession(services, id, access, input) };
}

/** Assembles the context of a session, and counts the memories in it as recalled. */
export async function assembleSession(
  services: Services,
  id: string,
  access: Access,
  input: AssembleInput,
): Promise<AssembledContext["context"]> {
  const { tenant, session, canWrite, bookmarks } = services;
  const call = { ...access, countsUse: canWrite, reads: bookmarks.describeReads() };
  const { context, seen } = unwrap(await session(id).assemble({ tenant, id }, input, call));
  bookmarks.noteObject(seen);
  countRecall(
    services,
    context.memories.map((memory) => memory.id),
  );
  return context;
}

export const assembleTool = defineTool({
  name: "assemble",
  title: "Assemble the context",
  description:
    "Get a session's context for the next turn within a token budget: the conversation, the working context and the " +
    "memories relevant to the query. `prompt` is ready to use; `left_out` lists what did not fit.",
  scope: "read",
  capability: "CanQueryMemory",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OwnerIds.extend(RequiredSession.shape),
  input: AssembleToolInput,
  output: AssembleAnswer,
  responses: { 200: "The context, and the items left out of it" },
  servesBound: true,
  run: assembleContext,
});
