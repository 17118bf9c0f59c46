// The context of a turn: its session, owner, reach, policy and namespace.

import { findSettings } from "../calls/call-access";
import { type BOUND_IDS, type Owner, resolveScope } from "../kernel/access";
import type { Scope } from "../kernel/common";
import { failure, fieldFailure, unwrap } from "../kernel/errors";
import type { Json } from "../kernel/json";
import { RecentValues, runAhead } from "../kernel/run-ahead";
import type { ResolvedNamespace, SearchTarget } from "../memories/store/namespace";
import { resolveTarget } from "../recall/search/corpus";
import type { Repositories } from "../services/repositories";
import type { Services } from "../services/services";
import type { Namespace, Policy, PolicyInput } from "../sessions/policy-settings";
import type { SessionSettings } from "../sessions/session-rpc";
import { DEFAULT_POLICY, mergePolicy, resolveNamespace } from "./resolve-policy";

/** The owner ids are the session's, completed by those of the call. */
export type TurnContext = Owner & {
  /** Null if the session does not exist yet, or the call has none. */
  session: SessionSettings | null;
  /** Whose memory the turn sees unless the policy says otherwise. */
  reach: Scope;
  policy: Policy;
};

/** Loads an agent's policy, without a session's override. */
export async function loadAgentPolicy(store: Repositories, agentId: string): Promise<Policy> {
  return mergePolicy(DEFAULT_POLICY, await store.policies.find(agentId));
}

/** Sets an agent's policy. It holds at once in this isolate, and for captured turns within seconds in others. */
export async function savePolicy(store: Repositories, agentId: string, policy: PolicyInput): Promise<void> {
  await store.policies.save(agentId, policy).finally(() => forgetTurnContexts(store.tenant));
}

/** Erases an agent's policy: the defaults apply again. */
export async function erasePolicy(store: Repositories, agentId: string): Promise<void> {
  const wasErased = await store.policies.erase(agentId).finally(() => forgetTurnContexts(store.tenant));
  if (!wasErased)
    throw failure("not_found", `Agent ${agentId} has no policy of its own: the defaults apply.`);
}

/**
 * Loads the context of a turn, or of a call without a session. A session that does not exist yet is an empty one of the
 * owner that the call names.
 */
export async function loadTurnContext(
  services: Services,
  sessionId: string | null,
  named: Owner,
): Promise<TurnContext> {
  const settings = sessionId === null ? null : await findSettings(services, sessionId);
  const owner: Owner = {
    user_id: completeId("user_id", sessionId, settings, named),
    agent_id: completeId("agent_id", sessionId, settings, named),
    project_id: completeId("project_id", sessionId, settings, named),
  };
  const base =
    owner.agent_id === null ? DEFAULT_POLICY : await loadAgentPolicy(services.store, owner.agent_id);
  return {
    ...owner,
    session: settings,
    reach: resolveScope(settings, owner),
    policy: mergePolicy(base, settings?.policy ?? null),
  };
}

/** The contexts of the last turns: most turns find them unchanged. */
const recentContexts = new RecentValues<TurnContext>();

function toContextKey(tenant: string, sessionId: string, { user_id, agent_id, project_id }: Owner): string {
  return JSON.stringify([tenant, sessionId, user_id, agent_id, project_id]);
}

/** Forgets the contexts of a tenant after a change of a policy. */
function forgetTurnContexts(tenant: string): void {
  recentContexts.forget(JSON.stringify([tenant]).slice(0, -1));
}

/**
 * Runs reads in the context of a turn. They begin with the context of the last turn while the current one is loaded, and
 * are repeated if it has changed.
 */
export function readInContext<R>(
  services: Services,
  sessionId: string,
  named: Owner,
  read: (turnContext: TurnContext) => Promise<R>,
): Promise<R> {
  const load = () => loadTurnContext(services, sessionId, named);
  const { tenant, bookmarks } = services;
  return runAhead(recentContexts, toContextKey(tenant, sessionId, named), load, read, () =>
    bookmarks.isBehind(),
  );
}

/** Returns the context of the last turn, a few seconds old at most; undefined if it is not known. */
export function findRecentContext(
  { tenant }: Services,
  sessionId: string,
  named: Owner,
): TurnContext | undefined {
  return recentContexts.find(toContextKey(tenant, sessionId, named), Date.now());
}

/** Loads the context of a turn and remembers it for the next one. */
export async function renewContext(
  services: Services,
  sessionId: string,
  named: Owner,
): Promise<TurnContext> {
  const loaded = await loadTurnContext(services, sessionId, named);
  recentContexts.set(toContextKey(services.tenant, sessionId, named), loaded, Date.now());
  return loaded;
}

function completeId(
  field: (typeof BOUND_IDS)[number],
  sessionId: string | null,
  settings: SessionSettings | null,
  { [field]: named }: Owner,
): string | null {
  const own = settings?.[field] ?? null;
  if (own === null || named === null || named === own) return own ?? named;
  const kind = field.replace("_id", "");
  throw fieldFailure(
    field,
    `is not the ${kind} of session ${sessionId}: give that one's, or another session`,
  );
}

type NamespaceCall = {
  sessionId: string | null;
  context: Readonly<Record<string, Json>>;
  namespace?: Namespace | undefined;
};

/** Returns the namespace that entries are written to, null without a name and an agent. */
export function resolveTurnNamespace(
  { agent_id, policy }: Pick<TurnContext, "agent_id" | "policy">,
  call: NamespaceCall,
): ResolvedNamespace | null {
  return unwrap(
    resolveNamespace({
      scope: policy.scope,
      namespace: call.namespace ?? policy.namespace,
      agent_id,
      session_id: call.sessionId,
      context: call.context,
    }),
  );
}

/** The entries that a turn sees. `reach` is null if the policy names their namespace. */
export type VisibleEntries = { scope: SearchTarget; reach: Scope | null };

/**
 * Resolves the entries that a turn sees: those of the policy's namespace, else within the session's reach. The
 * namespace of an agent holds the entries of all its users, so it is searched only within the reach of an agent.
 */
export function resolveVisibleEntries(
  turnContext: TurnContext,
  call: { sessionId: string | null; context: Readonly<Record<string, Json>> },
): VisibleEntries {
  const { policy, reach } = turnContext;
  const namespace = resolveTurnNamespace(turnContext, call);
  const visible = policy.scope === "session" ? "session" : reach;
  const isOwn = policy.namespace === null;
  if (namespace !== null && (!isOwn || policy.scope === "session" || reach === "agent"))
    return { scope: { kind: "namespace", ...namespace }, reach: isOwn ? visible : null };
  return { scope: resolveOwnScope(turnContext, call.sessionId, visible), reach: visible };
}

/** Returns the scope of what the turn's owner knows. */
export function resolveOwnScope(owner: Owner, sessionId: string | null, reach: Scope): SearchTarget {
  return resolveTarget({ ...owner, session_id: sessionId }, reach);
}

/** Explains how to enable a disabled policy: the session's override takes precedence over the agent's. */
export function explainDisabledPolicy({
  session,
  agent_id,
}: Pick<TurnContext, "session" | "agent_id">): string {
  const own = session?.policy ?? null;
  const bySession = own === false || (typeof own === "object" && own?.enabled === false);
  if (bySession || agent_id === null)
    return 'Memory is off in this session: its policy is disabled. Switch it on with PATCH /v1/sessions/{id}: {"policy": true}.';
  return `Memory is off for agent ${agent_id}: its policy is disabled. Switch it on with PUT /v1/agents/${agent_id}/policy: true.`;
}
