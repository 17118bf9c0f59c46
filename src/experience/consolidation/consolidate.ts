// Consolidation of a project: loads its episodes and patterns, plans the run, and applies the plan step by step. Every
// step is idempotent.

import { failure, unwrap } from "../../kernel/errors";
import { EXPERIENCE } from "../../kernel/limits";
import type { Memory } from "../../memories/memory-schemas";
import type { Repositories } from "../../services/repositories";
import type { Episode } from "../episodes/episode-schemas";
import { strengthenPattern } from "../patterns/pattern-memory";
import type { ConsolidateInput } from "./consolidation-schemas";
import type { EmbedTexts } from "./embedding-cache";
import { type ConsolidationPlan, type ConsolidationStep, planConsolidation } from "./plan-consolidation";
import { applyLearning } from "./plan-learnings";
import { applyContradiction, listFacts } from "./plan-proposals";
import { splitByOwner } from "./project-facts";
import { CONSOLIDATION_WINDOW_MS } from "./project-schedule";

/** Rows of one read from the store. */
export const READ_PAGE = 100;
/** Steps applied in one batch, after which the progress of the run is stored. */
export const STEPS_PER_BATCH = 50;
/** Actions of an episode that are compared: thousands of episodes are in memory at once. */
const COMPARED_ACTIONS = 200;
/** Later than any timestamp. */
const END_OF_TIME = "9999-12-31T23:59:59.999Z";

/** Loads the project's experience in the window and plans the run. */
export async function prepareConsolidation(
  store: Repositories,
  { project_id, since, now }: ConsolidateInput,
  { clock, embed }: { clock: number; embed: EmbedTexts },
): Promise<ConsolidationPlan> {
  const until = now === undefined ? clock : Date.parse(now);
  const window = {
    since: since ?? new Date(until - CONSOLIDATION_WINDOW_MS).toISOString(),
    // With `since` alone, the window is open-ended: it includes episodes dated ahead of this clock.
    until: now ?? (since === undefined ? new Date(clock).toISOString() : END_OF_TIME),
  };
  const [episodes, patterns, learnings, facts, proposals, slugs] = await Promise.all([
    loadEpisodes(store, project_id, window),
    store.patterns.listAll("category", project_id),
    store.patterns.listAll("trigger", project_id),
    listFacts(store, project_id),
    store.skillProposals.listAll(project_id),
    store.skills.listSlugs(project_id),
  ]);
  const apart = await loadContradictions(store, [...patterns, ...facts]);
  const plans: ConsolidationPlan[] = [];
  for (const owned of splitByOwner(project_id, { episodes, patterns, learnings }))
    plans.push(
      await planConsolidation({ tenant: store.tenant, ...owned, apart, facts, proposals, slugs, embed }),
    );
  return joinPlans(plans);
}

function joinPlans(plans: readonly ConsolidationPlan[]): ConsolidationPlan {
  const answers = plans.map(({ answer }) => answer);
  const count = (name: "episodes" | "clusters") => answers.reduce((sum, answer) => sum + answer[name], 0);
  return {
    steps: plans.flatMap(({ steps }) => steps),
    answer: {
      episodes: count("episodes"),
      clusters: count("clusters"),
      created: answers.flatMap(({ created }) => created),
      updated: answers.flatMap(({ updated }) => updated),
      anti_patterns: answers.flatMap(({ anti_patterns }) => anti_patterns),
      merged: answers.flatMap(({ merged }) => merged),
      learnings: answers.flatMap(({ learnings }) => learnings),
      contradictions: answers.flatMap(({ contradictions }) => contradictions),
      proposed_skills: answers.flatMap(({ proposed_skills }) => proposed_skills),
    },
  };
}

async function loadEpisodes(
  store: Repositories,
  projectId: string,
  window: { since: string; until: string },
): Promise<Episode[]> {
  const episodes: Episode[] = [];
  for (;;) {
    const last = episodes.at(-1);
    const after = last === undefined ? null : { timestamp: last.timestamp, id: last.id };
    const page = await store.episodes.listInOrder(projectId, { ...window, after, limit: READ_PAGE });
    episodes.push(...page.map(trimActionLog));
    if (page.length < READ_PAGE && episodes.length <= EXPERIENCE.episodesPerRun) return episodes;
    if (episodes.length > EXPERIENCE.episodesPerRun)
      throw failure(
        "limit_exceeded",
        `There are more than ${EXPERIENCE.episodesPerRun} episodes since ${window.since}, the limit of one run. Narrow the window with since and now.`,
      );
  }
}

/** Drops the parts of an action log that patterns do not use. */
function trimActionLog(episode: Episode): Episode {
  return {
    ...episode,
    action_log: episode.action_log.slice(0, COMPARED_ACTIONS).map(({ action, target, result, error }) => ({
      action,
      ...(target !== undefined && { target }),
      ...(result !== undefined && { result }),
      ...(error !== undefined && { error }),
    })),
  };
}

/** Loads the links that mark patterns as contradictory; returns a test for two ids. */
export async function loadContradictions(
  store: Repositories,
  patterns: readonly Memory[],
): Promise<(a: string, b: string) => boolean> {
  const links = await store.links.listFrom(patterns.map(({ id }) => id));
  const pairs = new Set(
    [...links].flatMap(([from, list]) =>
      list.flatMap(({ to, relation }) =>
        relation === "contradicts" ? [`${from} ${to}`, `${to} ${from}`] : [],
      ),
    ),
  );
  return (a, b) => pairs.has(`${a} ${b}`);
}

/** Applies the next steps of a run. The store skips a step that was applied, by its number in the run. */
export async function applySteps(
  store: Repositories,
  steps: readonly ConsolidationStep[],
  run: { id: string; done: number },
): Promise<void> {
  const toOp = (n: number) => `consolidation:${run.id}:${run.done + n}`;
  const activity = { kind: "consolidation" as const, run: run.id };
  const creates = steps.flatMap((step, n) =>
    step.kind === "create" ? [{ op: toOp(n), memory: { ...step.memory, activity } }] : [],
  );
  const duplicates = new Map<string, readonly string[]>();
  for (const [i, result] of (await store.memories.commit(creates)).entries()) {
    const { memory_id, deduplicated } = unwrap(result);
    if (deduplicated) duplicates.set(memory_id, creates[i]?.memory.evidence ?? []);
  }
  // A duplicate keeps its memory and gains all sources, which may be more than a commit merges.
  await store.memories.changeMany([...duplicates.keys()], (memory) => {
    const evidence = [...new Set([...memory.evidence, ...(duplicates.get(memory.id) ?? [])])];
    return evidence.length === memory.evidence.length ? null : { ...memory, evidence };
  });
  const gains = new Map(steps.flatMap((step) => (step.kind === "gain" ? [[step.id, step] as const] : [])));
  await store.memories.changeMany([...gains.keys()], (memory) => {
    const gain = gains.get(memory.id);
    return gain === undefined ? null : strengthenPattern(memory, gain);
  });
  for (const [n, step] of steps.entries()) {
    if (step.kind === "learn")
      await applyLearning(store, { ...step, memory: { ...step.memory, activity } }, toOp(n));
    if (step.kind === "merge") await store.memories.merge(step.keep, step.others);
    if (step.kind === "contradict") await applyContradiction(store, step);
    if (step.kind === "propose") await store.skillProposals.add(step.proposal);
  }
}
