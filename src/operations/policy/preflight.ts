// preflight: injects relevant entries into the messages of a turn before the model is called.

import { injectMemory } from "../../domain/policy/inject-memory";
import { createNamespace, type ResolvedNamespace } from "../../domain/policy/namespace";
import { computeShares } from "../../domain/prompt/assemble-prompt";
import { LIMITS, TOKEN_BUDGET } from "../../limits";
import type { Policy, PreflightAnswer, PreflightInput } from "../../schemas/policy";
import { clip } from "../../text/normalise-text";
import type { Services } from "../services";
import type { EntryStore } from "./entry-store";
import {
  explainDisabledPolicy,
  loadTurnContext,
  resolveTurnNamespace,
  type TurnContext,
} from "./turn-context";

export async function preflight(
  services: Services,
  entries: EntryStore,
  sessionId: string,
  { input, instructions = "", context, agent_id }: PreflightInput,
): Promise<PreflightAnswer> {
  const started = services.now();
  const turnContext = await loadTurnContext(services, sessionId, agent_id);
  const { enabled, scope, inject, capture, max_entries } = turnContext.policy;
  const namespace = enabled ? resolveTurnNamespace(turnContext, { sessionId, context }) : null;
  const query = clip(input, LIMITS.queryChars);
  const found = namespace === null ? [] : await entries.recall({ namespace, query, limit: max_entries });
  const hint =
    namespace === null
      ? explainDisabledPolicy(turnContext)
      : await explainEmpty(entries, namespace, capture, found.length);
  const injected = injectMemory({ input, instructions }, found, inject, computeMemoryBudget(turnContext));
  services.later(services.store.memories.recordAccess(injected.entries.map(({ id }) => id)));
  services.telemetry({
    event: "preflight",
    tenant: services.tenant,
    session_id: sessionId,
    duration_ms: services.now() - started,
    scope,
    inject,
    entries: injected.entries.length,
    tokens: injected.tokens.used,
  });
  return {
    messages: injected.messages,
    memory: {
      enabled,
      namespace: namespace?.name ?? null,
      scope,
      inject,
      capture,
      entries: injected.entries,
      left_out: injected.left_out,
      tokens: injected.tokens,
      ...(hint === null ? {} : { hint }),
    },
  };
}

/** Returns the long-term share of the session's token budget. */
function computeMemoryBudget({ session }: TurnContext): number {
  const budget = session?.token_budget ?? TOKEN_BUDGET;
  return computeShares(budget, budget.total).longTerm;
}

/** Returns a hint on why no entries were found, or null if some were. */
async function explainEmpty(
  entries: EntryStore,
  { name, base, session_id, agent_id }: ResolvedNamespace,
  capture: Policy["capture"],
  found: number,
): Promise<string | null> {
  if (found > 0) return null;
  if (session_id !== null) {
    const around = createNamespace(base, null, agent_id);
    const others = await entries.list_entries({ namespace: around, limit: 1, after: null });
    if (others.length > 0)
      return `Nothing is remembered in ${name}, but there are entries of other sessions in ${base}: they are seen with the scope "agent".`;
  }
  const how =
    capture === "conversation"
      ? "Send finished turns to POST /v1/sessions/{id}/turns, or write with POST /v1/entries."
      : 'Write with POST /v1/entries, or set the policy\'s capture to "conversation".';
  return `Nothing is remembered in ${name} yet. ${how}`;
}
