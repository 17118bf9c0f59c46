// assemble: returns a session's context for the next turn, within a token budget.
import type { Owner } from "../domain/access";
import { unwrap } from "../platform/errors";
import { AssembleAnswer, type AssembleInput } from "../schemas/assemble";
import type { z } from "../schemas/common";
import { ScopeIds } from "../schemas/memory";
import { AssembleToolInput, RequiredSession } from "../schemas/tool-parameters";
import type { AssembledContext } from "../session/session-rpc";
import { rejectWiderScope } from "./call-reach";
import { countRecall } from "./memories/count-recall";
import { requireSession } from "./resolve-owner";
import type { Services } from "./services";
import { defineTool, type OperationReply, type OwnerIds } from "./tools/tool";

/** A session that does not exist yet answers as an empty one of this owner. */
export async function assembleContext(
  services: Services,
  owner: OwnerIds,
  input: z.output<typeof AssembleToolInput>,
): Promise<OperationReply<object>> {
  const id = requireSession(owner);
  rejectWiderScope(owner, input.scope);
  return { status: 200, body: await assembleSession(services, id, owner, input) };
}

/** Assembles the context of a session, and counts the memories in it as recalled. */
export async function assembleSession(
  services: Services,
  id: string,
  owner: Owner,
  input: AssembleInput,
): Promise<AssembledContext["context"]> {
  const { tenant, session, binding, canWrite, bookmarks } = services;
  const call = { owner, binding, countsUse: canWrite, reads: bookmarks.describeReads() };
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
  ownerInput: ScopeIds.extend(RequiredSession.shape),
  input: AssembleToolInput,
  output: AssembleAnswer,
  responses: { 200: "The context, and the items left out of it" },
  servesBound: true,
  run: assembleContext,
});
