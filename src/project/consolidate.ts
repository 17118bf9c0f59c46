// Consolidation of one project: reads, has it planned, and carries the plan out step by step. Every step can be
// repeated: what a step has done already, it does not do again.

import { strengthenPattern } from "../domain/experience/pattern-memory";
import { EXPERIENCE } from "../limits";
import { failure } from "../platform/errors";
import type { ConsolidateInput } from "../schemas/consolidation";
import type { Episode } from "../schemas/episode";
import type { Memory } from "../schemas/memory";
import type { Repositories } from "../store/repositories";
import type { Embed } from "./embedding-cache";
import { type Plan, planConsolidation, type Step } from "./plan-consolidation";

export async function planFor(
  store: Repositories,
  { project_id, since, now }: ConsolidateInput,
  { clock, embed }: { clock: number; embed: Embed },
): Promise<Plan> {
  const until = now === undefined ? clock : Date.parse(now);
  const window = {
    since: since ?? new Date(until - EXPERIENCE.windowMs).toISOString(),
    // Whoever says only since when asks for everything from then on, also what is dated ahead of this clock.
    until: now ?? (since === undefined ? new Date(clock).toISOString() : END_OF_TIME),
  };
  const [episodes, patterns] = await Promise.all([
    readEpisodes(store, project_id, window),
    store.patterns.listAll("category", project_id),
  ]);
  const apart = await contradictionsOf(store, patterns);
  return planConsolidation({ tenant: store.tenant, project_id, episodes, patterns, apart, embed });
}

const END_OF_TIME = "9999-12-31T23:59:59.999Z";

async function readEpisodes(
  store: Repositories,
  projectId: string,
  window: { since: string; until: string },
): Promise<Episode[]> {
  const episodes: Episode[] = [];
  for (;;) {
    const last = episodes.at(-1);
    const after = last === undefined ? null : { timestamp: last.timestamp, id: last.id };
    const page = await store.episodes.listInOrder(projectId, { ...window, after, limit: EXPERIENCE.page });
    episodes.push(...page.map(inBrief));
    if (page.length < EXPERIENCE.page && episodes.length <= EXPERIENCE.episodes) return episodes;
    if (episodes.length > EXPERIENCE.episodes)
      throw failure(
        "limit_exceeded",
        `There are more than ${EXPERIENCE.episodes} episodes since ${window.since}, the most that one run takes. Give since and now so that there are fewer.`,
      );
  }
}

/** As much of an episode as patterns are made of: thousands are in memory together. */
function inBrief(episode: Episode): Episode {
  return {
    ...episode,
    action_log: episode.action_log
      .slice(0, EXPERIENCE.actionsCompared)
      .map(({ action, target, result, error }) => ({
        action,
        ...(target !== undefined && { target }),
        ...(result !== undefined && { result }),
        ...(error !== undefined && { error }),
      })),
  };
}

/** Which patterns somebody has said to contradict each other. */
export async function contradictionsOf(
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

/** Carries steps out. `ops` names them, so that what was written is not written again. */
export async function applySteps(
  store: Repositories,
  steps: readonly Step[],
  ops: (n: number) => string,
): Promise<void> {
  const creates = steps.flatMap((step, n) =>
    step.kind === "create" ? [{ op: ops(n), fingerprint: "", memory: step.memory }] : [],
  );
  const known = new Map<string, readonly string[]>();
  for (const [i, result] of (await store.memories.commit(creates)).entries()) {
    if (result.status === "rejected") throw failure(result.failure.code, result.failure.detail);
    if (result.deduplicated) known.set(result.memory_id, creates[i]?.memory.evidence ?? []);
  }
  // Somebody had said the very same: it rests on all of this too, which is more than a call may give.
  await store.memories.changeMany([...known.keys()], (memory) => {
    const evidence = [...new Set([...memory.evidence, ...(known.get(memory.id) ?? [])])];
    return evidence.length === memory.evidence.length ? null : { ...memory, evidence };
  });
  const gains = new Map(steps.flatMap((step) => (step.kind === "gain" ? [[step.id, step] as const] : [])));
  await store.memories.changeMany([...gains.keys()], (memory) => {
    const gain = gains.get(memory.id);
    return gain === undefined ? null : strengthenPattern(memory, gain);
  });
  for (const step of steps) if (step.kind === "merge") await store.memories.merge(step.keep, step.others);
}
