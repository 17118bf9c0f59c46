// prime: builds a briefing for a task from one recall over patterns, lessons, skills and episodes.

import { defineTool, type OperationReply } from "../../calls/tool";
import type { Access, Owner } from "../../kernel/access";
import { OptionalSession } from "../../kernel/common";
import { countUse } from "../../memories/usage/count-recall";
import type { Services } from "../../services/services";
import { countBriefing } from "../episodes/read-metrics";
import { findBriefingCandidates } from "./briefing-candidates";
import { PrimeAnswer, type PrimeInput, PrimeToolInput } from "./briefing-schemas";
import { type BriefingPlan, readByBriefingPlan } from "./briefing-searches";
import { buildBriefing } from "./build-briefing";
import { detectTaskKind } from "./task-kind";

export async function prime(
  services: Services,
  access: Access,
  input: PrimeInput,
): Promise<OperationReply<PrimeAnswer>> {
  const { reply, count } = await prepareBriefing(services, access, input);
  count();
  return reply;
}

/** A briefing, and the function that counts its use after the response. */
export type PrimedBriefing = { reply: OperationReply<PrimeAnswer>; count: () => void };

/** Builds a briefing without counting its use. */
export async function prepareBriefing(
  services: Services,
  access: Access,
  input: PrimeInput,
): Promise<PrimedBriefing> {
  const { session_id, user_id, agent_id, project_id, ...task } = input;
  const owner = {
    session_id: session_id ?? access.owner.session_id,
    user_id: user_id ?? access.owner.user_id,
    agent_id: agent_id ?? access.owner.agent_id,
    project_id: project_id ?? access.owner.project_id,
  };
  const { body, count } = await readByBriefingPlan(services, { ...access, owner }, (reach) =>
    buildTaskBriefing(services, task, reach),
  );
  return {
    reply: { status: 200, body },
    count() {
      count();
      countBriefing(services, owner, body, task.now);
    },
  };
}

export const primeTool = defineTool({
  name: "prime",
  title: "Prepare for a task",
  description:
    "Call this before you begin a task. Returns the patterns that worked, the mistakes to avoid, the skills to follow " +
    "and how similar attempts ended, within a token budget. `prompt` has all of it as Markdown.",
  scope: "read",
  capability: "CanQueryMemory",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OptionalSession,
  input: PrimeToolInput,
  output: PrimeAnswer,
  responses: { 200: "The briefing" },
  run: prime,
});

type BriefingTask = Omit<PrimeInput, keyof Owner>;

/** Builds the briefing. `count` counts one usage of each item in it after the response, unless the key only reads. */
async function buildTaskBriefing(
  services: Services,
  input: BriefingTask,
  reach: BriefingPlan,
): Promise<{ body: PrimeAnswer; count: () => void }> {
  const started = services.now();
  const { goal, phase, action_type, token_budget, limit } = input;
  const at = input.now ?? new Date(started).toISOString();
  const kind = input.kind ?? detectTaskKind({ goal, phase, action_type });
  const query = action_type === undefined ? goal : `${goal}\n${action_type.replaceAll("_", " ")}`;
  const { candidates, memories, episodes, degraded } = await findBriefingCandidates(services, query, reach);
  const briefing = buildBriefing({
    kind,
    candidates,
    budget: token_budget,
    limit,
    now: Date.parse(at),
  });
  const included = new Set(listItemKeys(briefing));
  const count = () => {
    countUse(services, {
      memories: memories.flatMap(({ id }) => (included.has(`memory ${id}`) ? id : [])),
      episodes: episodes.flatMap(({ id }) => (included.has(`episode ${id}`) ? id : [])),
      raises: "always",
      at,
    });
    services.telemetry({
      event: "prime",
      tenant: services.tenant,
      session_id: null,
      duration_ms: services.now() - started,
      kind,
      told: included.size,
      tokens: briefing.tokens.used,
      degraded: degraded !== null,
    });
  };
  return { body: { ...briefing, ...(degraded === null ? {} : { degraded }) }, count };
}

function listItemKeys(briefing: Omit<PrimeAnswer, "degraded">): string[] {
  const { relevant_patterns, avoid_these, applicable_skills, similar_episodes } = briefing;
  return [
    ...[...relevant_patterns, ...avoid_these, ...applicable_skills].map(({ id }) => `memory ${id}`),
    ...similar_episodes.map(({ id }) => `episode ${id}`),
  ];
}
