// recall: searches memories, messages and episodes in the scope of the call and explains each hit.
import { getDefaultReach } from "../domain/reach";
import { unwrap } from "../platform/errors";
import type { Scope } from "../schemas/common";
import { DEFAULT_SOURCES, RecallAnswer, RecallInput, ScopeIds } from "../schemas/memory";
import { resolveRecallScope } from "../search/corpus";
import type { SessionOwner } from "../session/session-record";
import type { RecallBasis } from "../session/session-rpc";
import type { Services } from "./services";
import { defineTool, type OperationReply, type OwnerIds } from "./tools/tool";

export async function recall(
  services: Services,
  owner: OwnerIds,
  input: RecallInput,
): Promise<OperationReply<RecallAnswer>> {
  const started = services.now();
  const { hits, mode, degraded, scope } = await searchInScope(services, owner, input);
  services.later(
    recordAccess(
      services,
      owner,
      hits.flatMap(({ kind, id }) => (kind === "memory" ? [id] : [])),
    ),
  );
  services.telemetry({
    event: "recall",
    tenant: services.tenant,
    session_id: owner.session_id,
    duration_ms: services.now() - started,
    memory_type: input.type,
    scope: scope.kind,
    mode,
    min_confidence: input.min_confidence,
    limit: input.limit,
    result_count: hits.length,
    degraded: degraded !== null,
  });
  const body = { count: hits.length, memories: hits, ...(degraded === null ? {} : { degraded }) };
  return { status: 200, body };
}

export const recallTool = defineTool({
  name: "recall",
  title: "Recall",
  description:
    "Search long-term memory for relevant information. Use it to retrieve previously learned facts, decisions, " +
    "conventions, patterns or lessons before you answer or act.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: ScopeIds,
  input: RecallInput,
  output: RecallAnswer,
  responses: { 200: "The hits, best first" },
  run: recall,
});

/** Searches within the reach of the call. Messages in the window of the asking session are left out by default. */
async function searchInScope(services: Services, owner: OwnerIds, input: RecallInput) {
  const sources = input.sources ?? DEFAULT_SOURCES;
  const session = await prepareRecall(services, owner, sources.includes("messages"));
  const known = session === null ? owner : completeOwner(owner, session);
  const scope = resolveRecallScope(known, input.scope ?? session?.reach ?? getDefaultScope(known));
  const window =
    session === null || input.sources !== undefined || owner.session_id === null
      ? null
      : { session_id: owner.session_id, from: session.window_start };
  const recalled = await services.search.recall(scope, { ...input, window, collapsesDuplicates: true });
  return { ...recalled, scope };
}

/** Returns null without a session, and for one that does not exist yet: agents recall before they write. */
async function prepareRecall(
  { tenant, session }: Services,
  { session_id: id }: OwnerIds,
  messages: boolean,
): Promise<RecallBasis | null> {
  return id === null ? null : unwrap(await session(id).prepareRecall({ tenant, id }, { messages }));
}

/** Adds the ids of the session to those of the call. The session's take precedence. */
function completeOwner(owner: OwnerIds, session: SessionOwner): OwnerIds {
  return {
    session_id: owner.session_id,
    user_id: session.user_id ?? owner.user_id,
    agent_id: session.agent_id ?? owner.agent_id,
    project_id: session.project_id ?? owner.project_id,
  };
}

/** Returns the scope of a call whose session is not known: the first owner that it names. */
function getDefaultScope(owner: OwnerIds): Scope {
  const reach = getDefaultReach(owner);
  return reach === "session" && owner.session_id === null ? "tenant" : reach;
}

async function recordAccess(services: Services, { session_id }: OwnerIds, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await services.store.memories.recordAccess(ids);
  if (session_id !== null)
    await services.session(session_id).recordRecall({ tenant: services.tenant, id: session_id }, ids);
}
