// recall: searches memories, messages and episodes in the scope of the call and explains each hit.
import { unwrap } from "../platform/errors";
import { RecallAnswer, RecallInput, ScopeIds } from "../schemas/memory";
import { resolveRecallScope } from "../search/corpus";
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

/** Searches while the session is looked up; a scope wider than the session has to know its owner first. */
async function searchInScope(services: Services, owner: OwnerIds, input: RecallInput) {
  const { session_id } = owner;
  const known =
    input.sources.includes("messages") && session_id !== null
      ? await flushMessages(services, { ...owner, session_id })
      : input.scope === undefined || input.scope === "session" || input.scope === "tenant"
        ? null
        : await resolveSessionOwner(services, owner);
  const scope = resolveRecallScope(known ?? owner, input.scope);
  const [recalled] = await Promise.all([
    services.search.recall(scope, input),
    known === null ? resolveSessionOwner(services, owner) : null,
  ]);
  return { ...recalled, scope };
}

/** Flushes the session's unsent messages to D1, so that they are found at once; returns the session's owner. */
async function flushMessages(
  services: Services,
  { session_id, ...requested }: OwnerIds & { session_id: string },
): Promise<OwnerIds> {
  const ref = { tenant: services.tenant, id: session_id };
  const { agent_id, project_id } = unwrap(await services.session(session_id).flushMessages(ref));
  return {
    session_id,
    agent_id: agent_id ?? requested.agent_id,
    project_id: project_id ?? requested.project_id,
  };
}

/** Completes the owner ids from the session. A session that does not exist is a 404. */
export async function resolveSessionOwner(services: Services, owner: OwnerIds): Promise<OwnerIds> {
  const { session_id, agent_id, project_id } = owner;
  if (session_id === null) return owner;
  const known =
    (await services.store.sessions.find(session_id)) ??
    // The registry is updated asynchronously; the session's object is authoritative.
    unwrap(await services.session(session_id).get({ tenant: services.tenant, id: session_id }));
  return { session_id, agent_id: known.agent_id ?? agent_id, project_id: known.project_id ?? project_id };
}

async function recordAccess(services: Services, { session_id }: OwnerIds, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await services.store.memories.recordAccess(ids);
  if (session_id !== null)
    await services.session(session_id).recordRecall({ tenant: services.tenant, id: session_id }, ids);
}
