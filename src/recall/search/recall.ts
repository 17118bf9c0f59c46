// recall: searches memories, messages and episodes in the scope of the call and explains each hit.

import { completeOwner, selectScope } from "../../calls/call-access";
import { defineTool, type OperationReply } from "../../calls/tool";
import { type Access, findWiderScope, isWiderScope } from "../../kernel/access";
import { OwnerIds, type Scope } from "../../kernel/common";
import { unwrap } from "../../kernel/errors";
import { RecentValues, runAhead } from "../../kernel/run-ahead";
import { requireType } from "../../memories/memory-properties";
import { DEFAULT_SOURCES, RecallInput } from "../../memories/memory-schemas";
import { countRecall } from "../../memories/usage/count-recall";
import { listTypesBelow } from "../../ontology/tenant-ontology";
import type { Services } from "../../services/services";
import type { RecallBasis } from "../../sessions/session-rpc";
import { resolveTarget } from "./corpus";
import { RecallAnswer } from "./recall-schemas";
import type { RecallRequest } from "./search";

export async function recall(
  services: Services,
  access: Access,
  input: RecallInput,
): Promise<OperationReply<RecallAnswer>> {
  const started = services.now();
  requireType(services.ontology, input.type, "all");
  const { session_id } = access.owner;
  const answer = await searchInScope(services, access, input);
  const { hits, mode, degraded, notReranked, times, scope, hint, confidence } = answer;
  const recalled = hits.flatMap(({ kind, id }) => (kind === "memory" ? [id] : []));
  // A query with `as_of` does not count as an access.
  if (input.as_of === undefined) countRecall(services, recalled, session_id);
  services.telemetry({
    event: "recall",
    status: "ok",
    tenant: services.tenant,
    session_id,
    duration_ms: services.now() - started,
    memory_type: input.type,
    scope: scope.kind,
    mode,
    has_query: (input.query ?? "").trim() !== "",
    min_confidence: input.min_confidence,
    limit: input.limit,
    result_count: hits.length,
    degraded: degraded !== null,
  });
  const body = {
    count: hits.length,
    confidence,
    memories: hits,
    ...(degraded === null ? {} : { degraded }),
    ...(notReranked === null ? {} : { not_reranked: notReranked }),
    ...(hint === null ? {} : { hint }),
    ...(times.length === 0
      ? {}
      : { time_ranges: times.map(({ text, since, until }) => ({ text, since, until })) }),
  };
  return { status: 200, body };
}

export const recallTool = defineTool({
  name: "recall",
  title: "Recall",
  description:
    "Search long-term memory for relevant information. Use it to retrieve previously learned facts, decisions, " +
    "conventions, patterns or lessons before you answer or act.",
  scope: "read",
  capability: "CanQueryMemory",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OwnerIds,
  input: RecallInput,
  output: RecallAnswer,
  responses: { 200: "The hits, best first" },
  servesBound: true,
  run: recall,
});

/** What sessions have answered to the last recalls: most recalls find them unchanged. */
const recentBases = new RecentValues<RecallBasis | null>();

/** Forgets what a session has answered: new messages change it. */
export function forgetRecallBasis(tenant: string, sessionId: string): void {
  recentBases.forget(JSON.stringify([tenant, sessionId]).slice(0, -1));
}

/**
 * Searches within the reach of the call. The search begins with what the session answered to the last recall, and is
 * repeated if that has changed: its owner, its reach, or the messages to be found. So is a search on a replica that lacks
 * what the session has written.
 */
async function searchInScope(services: Services, access: Access, input: RecallInput) {
  const { tenant, session, bookmarks } = services;
  const { session_id: id } = access.owner;
  if (id === null) return searchWithBasis(services, access, input, null);
  const messages = (input.sources ?? DEFAULT_SOURCES).includes("messages");
  return runAhead(
    recentBases,
    JSON.stringify([tenant, id, messages]),
    // Null for a session that does not exist yet: agents recall before they write.
    async () => unwrap(await session(id).prepareRecall({ tenant, id }, { messages })),
    (basis) => searchWithBasis(services, access, input, basis),
    () => bookmarks.isBehind(),
  );
}

/** Messages in the window of the asking session are left out by default. */
async function searchWithBasis(
  services: Services,
  access: Access,
  input: RecallInput,
  session: RecallBasis | null,
) {
  const owner = completeOwner(access.owner, session);
  const known = { ...access, owner };
  const kind = selectScope(known, input.scope, session?.reach);
  const scope = resolveTarget(owner, kind);
  const window =
    session === null || input.sources !== undefined || owner.session_id === null
      ? null
      : { session_id: owner.session_id, from: session.window_start };
  const withoutOutdated =
    input.sources === undefined && !input.include_superseded && input.as_of === undefined;
  const types = input.type === "all" ? {} : { types: listTypesBelow(services.ontology, input.type) };
  const request = { ...input, ...types, window, withoutOutdated, collapsesDuplicates: true };
  const recalled = await services.search.recall(scope, request);
  const hint =
    recalled.hits.length === 0 ? await findHint(services, known, { ...request, scope: kind }) : null;
  return { ...recalled, scope, hint };
}

type HintRequest = Omit<RecallRequest, "limit"> & { scope: Scope };

/** Says what the next wider scope has, if it has anything, and if the caller may search it. */
async function findHint(
  services: Services,
  { owner, scope: widest }: Access,
  { scope, ...request }: HintRequest,
): Promise<string | null> {
  const wider = findWiderScope(owner, scope);
  // A least score may be one of the reranker, which a hint does not ask.
  if (wider === null || request.min_score !== undefined || (widest !== null && isWiderScope(wider, widest)))
    return null;
  const { hits } = await services.search.recall(resolveTarget(owner, wider), {
    ...request,
    limit: HINT_LIMIT,
    // A caller that asks for one user learns nothing of others, not even that there is something.
    ...(owner.user_id !== null && wider !== "user" ? { without_user: true } : {}),
    // Only their number is told.
    ranking: { ...request.ranking, rerank: false },
  });
  if (hits.length === 0) return null;
  const count = hits.length === HINT_LIMIT ? `${HINT_LIMIT} or more` : `${hits.length}`;
  return `Nothing was found in the scope "${scope}". The scope "${wider}" has ${count}: ask again with "scope": "${wider}".`;
}

/** A hint counts no further than this. */
const HINT_LIMIT = 5;
