// The context of a turn: its session, agent, policy and namespace.

import type { ResolvedNamespace } from "../../domain/policy/namespace";
import { DEFAULT_POLICY, mergePolicy, resolveNamespace } from "../../domain/policy/resolve-policy";
import { FailureError, failure, invalidField, unwrap } from "../../platform/errors";
import type { Json } from "../../platform/json";
import type { Namespace, Policy } from "../../schemas/policy";
import type { SessionSettings } from "../../session/session-rpc";
import type { Repositories } from "../../store/repositories";
import type { Services } from "../services";

export type TurnContext = {
  /** Null if the session does not exist yet. */
  session: SessionSettings | null;
  agent_id: string | null;
  policy: Policy;
};

/** Loads an agent's policy, without a session's override. */
export async function loadAgentPolicy(store: Repositories, agentId: string): Promise<Policy> {
  return mergePolicy(DEFAULT_POLICY, await store.policies.find(agentId));
}

/** Loads the context of a turn. `agentId` names the agent for a session that has none. */
export async function loadTurnContext(
  { tenant, session, store }: Services,
  sessionId: string,
  agentId: string | undefined,
): Promise<TurnContext> {
  const settings = unwrap(await session(sessionId).getSettings({ tenant, id: sessionId }));
  if (settings === null && agentId === undefined)
    throw failure(
      "not_found",
      `Session not found: ${sessionId}. Create it with POST /v1/sessions, or give agent_id here.`,
    );
  const own = settings?.agent_id ?? null;
  if (own !== null && agentId !== undefined && agentId !== own)
    throw new FailureError(
      invalidField(
        "agent_id",
        `is not the agent of session ${sessionId}: give that one's, or another session`,
      ).failure,
    );
  const agent_id = own ?? agentId ?? null;
  const base = agent_id === null ? DEFAULT_POLICY : await loadAgentPolicy(store, agent_id);
  return { session: settings, agent_id, policy: mergePolicy(base, settings?.policy ?? null) };
}

export function resolveTurnNamespace(
  { agent_id, policy }: Pick<TurnContext, "agent_id" | "policy">,
  call: {
    sessionId: string | null;
    context: Readonly<Record<string, Json>>;
    namespace?: Namespace | undefined;
  },
): ResolvedNamespace {
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
