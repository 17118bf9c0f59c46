// recall_entries: recalls the entries of a namespace without a turn.

import { beyondScope } from "../calls/call-access";
import { defineTool, type OperationReply } from "../calls/tool";
import { type Access, hasOwner, type Owner } from "../kernel/access";
import { OwnerIds } from "../kernel/common";
import { FailureError, fieldFailure, unwrap } from "../kernel/errors";
import {
  createNamespace,
  getTargetName,
  type ResolvedNamespace,
  type SearchTarget,
} from "../memories/store/namespace";
import { countRecall } from "../memories/usage/count-recall";
import type { Services } from "../services/services";
import { RecallEntriesAnswer, type RecallEntriesInput, RecallEntriesToolInput } from "./entry-schemas";
import { combineEntryFilter } from "./filter-entries";
import { missingSession, parseNamespace } from "./resolve-policy";
import { selectEntryStore } from "./select-entry-store";
import {
  explainDisabledPolicy,
  loadTurnContext,
  resolveTurnNamespace,
  resolveVisibleEntries,
  type TurnContext,
} from "./turn-context";

export async function recallEntries(
  services: Services,
  access: Access,
  input: RecallEntriesInput,
): Promise<OperationReply<RecallEntriesAnswer>> {
  const started = services.now();
  const entryStore = selectEntryStore(services, input.store);
  const turnContext = await loadCallContext(services, access, input);
  const isOff = input.namespace === undefined && !turnContext.policy.enabled;
  if (isOff) {
    const hint = explainDisabledPolicy(turnContext);
    return { status: 200, body: { count: 0, entries: [], namespace: null, hint } };
  }
  const { scope, user_id } = resolveRecalled(access, turnContext, input);
  const { query, limit, fill } = input;
  const filter = combineEntryFilter(input);
  const entries = await entryStore.recall({ scope, user_id, query, limit, fill, filter });
  countRecall(
    services,
    entries.map(({ id }) => id),
  );
  services.telemetry({
    event: "entries.recalled",
    tenant: services.tenant,
    session_id: access.owner.session_id,
    duration_ms: services.now() - started,
    scope: scope.kind,
    has_query: query.trim() !== "",
    result_count: entries.length,
  });
  return { status: 200, body: { count: entries.length, entries, namespace: getTargetName(scope) } };
}

export const recallEntriesTool = defineTool({
  name: "recall_entries",
  title: "Recall entries",
  description:
    "Recall the agent's memory entries: notes that were written for it and turns of earlier conversations. Use it to " +
    "look up what was said or noted before. Entries with a score match the query; those without are the newest.",
  scope: "read",
  capability: "CanQueryMemory",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OwnerIds,
  input: RecallEntriesToolInput,
  output: RecallEntriesAnswer,
  responses: { 200: "The entries, best first" },
  servesBound: true,
  // A model does not choose the context: another value would lead to the namespace of somebody else.
  run: (services, access, input) => recallEntries(services, access, { ...input, context: {} }),
});

/** Loads the context of the call, with the scope that it asks for. */
async function loadCallContext(
  services: Services,
  { owner, scope: widest }: Access,
  { namespace, scope }: Pick<RecallEntriesInput, "namespace" | "scope">,
): Promise<TurnContext> {
  const { session_id } = owner;
  const turnContext = await loadTurnContext(services, session_id, owner);
  if (namespace === undefined && session_id === null && !hasOwner(turnContext))
    throw fieldFailure(
      "namespace",
      "is required, unless session_id, user_id, agent_id or project_id is given",
    );
  const { policy } = turnContext;
  if (widest !== null && policy.scope === "session" && scope === "agent")
    throw beyondScope("scope", "session");
  return { ...turnContext, policy: { ...policy, scope: scope ?? policy.scope } };
}

type Recalled = { scope: SearchTarget; user_id: string | null };

/** Resolves where to look: in the named namespace, or where a turn of the owner would. */
function resolveRecalled(access: Access, turnContext: TurnContext, input: RecallEntriesInput): Recalled {
  const { owner, scope: widest } = access;
  const { session_id: sessionId } = owner;
  const { context } = input;
  if (input.namespace === undefined)
    return { scope: resolveVisibleEntries(turnContext, { sessionId, context }).scope, user_id: null };
  const namespace = resolveNamed(input.namespace, input.scope === "session", sessionId);
  const scope = { kind: "namespace", ...namespace } as const;
  if (widest === null) return { scope, user_id: owner.user_id };
  if (widest === "tenant" || isOfPolicy(namespace, owner, turnContext)) return { scope, user_id: null };
  const isOwnAgent = namespace.agent_id !== null && namespace.agent_id === turnContext.agent_id;
  const isOwnSession = namespace.session_id !== null && namespace.session_id === sessionId;
  if (!isOwnAgent || (widest !== "agent" && widest !== "user" && !isOwnSession))
    throw beyondScope("namespace", widest);
  // The namespace of an agent holds the entries of all its users.
  return { scope, user_id: widest === "user" ? turnContext.user_id : null };
}

function resolveNamed(name: string, inSession: boolean, sessionId: string | null): ResolvedNamespace {
  const named = unwrap(parseNamespace(name));
  if (!inSession || named.session_id !== null) return named;
  if (sessionId === null) throw new FailureError(missingSession().failure);
  return createNamespace(named.base, sessionId, named.agent_id);
}

/** Whether the policy gives a model this namespace: one with a name is shared on purpose. */
function isOfPolicy(
  { base, session_id }: ResolvedNamespace,
  owner: Required<Owner>,
  turnContext: TurnContext,
): boolean {
  const { policy } = turnContext;
  if (typeof policy.namespace !== "string") return false;
  const own = resolveTurnNamespace(turnContext, { sessionId: owner.session_id, context: {} });
  return own?.base === base && (own.session_id === null || own.session_id === session_id);
}
