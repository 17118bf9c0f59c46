// preflight: injects relevant entries into the messages of a turn before the model is called.

import { createAccess } from "../calls/call-access";
import type { PrimeAnswer, PrimeInput } from "../experience/briefing/briefing-schemas";
import { type PrimedBriefing, prepareBriefing } from "../experience/briefing/prime";
import { hasOwner, toOwner } from "../kernel/access";
import { EXPERIENCE, LIMITS, TOKEN_BUDGET } from "../kernel/limits";
import { clip } from "../language/normalise-text";
import { getTargetName } from "../memories/store/namespace";
import { countRecall } from "../memories/usage/count-recall";
import { computeShares } from "../recall/prompts/assemble-prompt";
import type { Services } from "../services/services";
import type { EntryStore } from "./entry-store";
import { injectMemory } from "./inject-memory";
import type { PreflightAnswer, PreflightInput } from "./policy-schemas";
import {
  explainDisabledPolicy,
  readInContext,
  resolveOwnScope,
  resolveVisibleEntries,
  type TurnContext,
  type VisibleEntries,
} from "./turn-context";

export async function preflight(
  services: Services,
  entries: EntryStore,
  sessionId: string,
  { input, instructions = "", context, experience: requested, user_id, agent_id, project_id }: PreflightInput,
): Promise<PreflightAnswer> {
  const started = services.now();
  const named = { user_id, agent_id, project_id };
  const read = await readInContext(services, sessionId, toOwner(named), async (turnContext) => {
    const { enabled, max_entries, experience } = turnContext.policy;
    const visible = enabled ? resolveVisibleEntries(turnContext, { sessionId, context }) : null;
    const query = clip(input, LIMITS.queryChars);
    const budget = computeMemoryBudget(turnContext);
    const [found, primed] = await Promise.all([
      visible === null ? [] : entries.recall({ scope: visible.scope, query, limit: max_entries }),
      enabled && (requested ?? experience)
        ? findExperience(services, { ...named, session_id: sessionId }, input, budget)
        : null,
    ]);
    const hint =
      visible === null
        ? explainDisabledPolicy(turnContext)
        : found.length > 0
          ? null
          : await explainEmpty(entries, turnContext, sessionId, visible);
    return { policy: turnContext.policy, visible, budget, found, primed, hint };
  });
  const { visible, budget, found, primed, hint } = read;
  const { enabled, scope, inject, capture } = read.policy;
  const briefing = primed?.reply.body ?? null;
  primed?.count();
  const turn = { input, instructions, briefing: briefing?.prompt ?? "" };
  const injected = injectMemory(turn, found, inject, budget);
  countRecall(
    services,
    injected.entries.map(({ id }) => id),
  );
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
      namespace: visible === null ? null : getTargetName(visible.scope),
      reach: visible?.reach ?? null,
      scope,
      inject,
      capture,
      entries: injected.entries,
      left_out: injected.left_out,
      tokens: injected.tokens,
      ...(briefing === null ? {} : { experience: omitPrompt(briefing) }),
      ...(hint === null ? {} : { hint }),
    },
  };
}

/** The share of the memory budget that experience may use. */
const EXPERIENCE_SHARE = 0.25;

/** Returns the briefing for the input as a goal; null for a blank input. */
async function findExperience(
  services: Services,
  owner: Pick<PrimeInput, "session_id" | "user_id" | "agent_id" | "project_id">,
  input: string,
  budget: number,
): Promise<PrimedBriefing | null> {
  const goal = clip(input.trim(), LIMITS.contentChars);
  if (goal === "") return null;
  const token_budget = Math.max(EXPERIENCE.briefingTokens.min, Math.floor(budget * EXPERIENCE_SHARE));
  const { default: limit } = EXPERIENCE.briefingItems;
  return prepareBriefing(services, createAccess(services), { ...owner, goal, token_budget, limit });
}

function omitPrompt({ prompt: _prompt, ...items }: PrimeAnswer): Omit<PrimeAnswer, "prompt"> {
  return items;
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
  const name = getTargetName(scope);
  const isOwnerless = reach !== null && !hasOwner(turnContext);
  if (isOwnerless && session === null)
    return `Session ${sessionId} does not exist yet, and the call names no owner: give user_id, agent_id or project_id to get what they know.`;
  if (policy.scope === "session" && reach !== null && turnContext.reach !== "session") {
    const around = resolveOwnScope(turnContext, sessionId, turnContext.reach);
    const others = await entries.recall({ scope: around, query: "", limit: 1 });
    if (others.length > 0)
      return `Nothing is remembered in ${name}, but there are entries of other sessions in ${getTargetName(around)}: they are seen with the scope "agent".`;
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
