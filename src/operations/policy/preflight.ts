// preflight: injects relevant entries into the messages of a turn before the model is called.

import { injectMemory } from "../../domain/policy/inject-memory";
import { getScopeName } from "../../domain/policy/namespace";
import { computeShares } from "../../domain/prompt/assemble-prompt";
import { LIMITS, TOKEN_BUDGET } from "../../limits";
import type { PreflightAnswer, PreflightInput } from "../../schemas/policy";
import { clip } from "../../text/normalise-text";
import { hasOwner } from "../resolve-reach";
import type { Services } from "../services";
import type { EntryStore } from "./entry-store";
import {
  explainDisabledPolicy,
  loadTurnContext,
  resolveOwnScope,
  resolveVisibleEntries,
  type TurnContext,
  type VisibleEntries,
} from "./turn-context";

export async function preflight(
  services: Services,
  entries: EntryStore,
  sessionId: string,
  { input, instructions = "", context, ...named }: PreflightInput,
): Promise<PreflightAnswer> {
  const started = services.now();
  const turnContext = await loadTurnContext(services, sessionId, named);
  const { enabled, scope, inject, capture, max_entries } = turnContext.policy;
  const visible = enabled ? resolveVisibleEntries(turnContext, { sessionId, context }) : null;
  const query = clip(input, LIMITS.queryChars);
  const found =
    visible === null ? [] : await entries.recall({ scope: visible.scope, query, limit: max_entries });
  const hint =
    visible === null
      ? explainDisabledPolicy(turnContext)
      : found.length > 0
        ? null
        : await explainEmpty(entries, turnContext, sessionId, visible);
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
      namespace: visible === null ? null : getScopeName(visible.scope),
      reach: visible?.reach ?? null,
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

/** Returns a hint on why no entries were found. */
async function explainEmpty(
  entries: EntryStore,
  turnContext: TurnContext,
  sessionId: string,
  { scope, reach }: VisibleEntries,
): Promise<string> {
  const { session, policy } = turnContext;
  const name = getScopeName(scope);
  const isOwnerless = reach !== null && !hasOwner(turnContext);
  if (isOwnerless && session === null)
    return `Session ${sessionId} does not exist yet, and the call names no owner: give user_id, agent_id or project_id to get what they know.`;
  if (policy.scope === "session" && reach !== null && turnContext.reach !== "session") {
    const around = resolveOwnScope(turnContext, sessionId, turnContext.reach);
    const others = await entries.recall({ scope: around, query: "", limit: 1 });
    if (others.length > 0)
      return `Nothing is remembered in ${name}, but there are entries of other sessions in ${getScopeName(around)}: they are seen with the scope "agent".`;
  }
  const how =
    policy.capture === "conversation" || policy.capture === "lasting"
      ? "Send finished turns to POST /v1/sessions/{id}/turns, or write with POST /v1/entries. Turns without a lasting statement are found by the input only."
      : 'Write with POST /v1/entries, or set the policy\'s capture to "conversation".';
  const why = isOwnerless
    ? " A session without an owner reaches only itself: create it with user_id, agent_id or project_id."
    : "";
  return `Nothing is remembered in ${name} yet.${why} ${how}`;
}
