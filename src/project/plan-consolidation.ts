// Plans a consolidation: clusters of similar episodes become patterns, errors of failed episodes anti-patterns, and
// near-duplicate patterns merge. Embeds texts, but reads and writes no store.

import {
  CLUSTER_SIMILARITY,
  clusterEpisodes,
  computeCentroid,
  MIN_CLUSTER_SIZE,
} from "../domain/experience/clustering/cluster-episodes";
import { getEpisodeText } from "../domain/experience/episode-record";
import { extractAntiPatterns, findRemedies } from "../domain/experience/extraction/anti-patterns";
import { extractPattern, type NewPattern } from "../domain/experience/extraction/extract-pattern";
import { findSamePattern, planPatternMerges } from "../domain/experience/matching/match-patterns";
import { type PatternGain, strengthenPattern, toPatternMemory } from "../domain/experience/pattern-memory";
import { getMemoryStatus } from "../domain/memory-status";
import { EXPERIENCE } from "../limits";
import type { ConsolidateAnswer } from "../schemas/consolidation";
import type { Episode } from "../schemas/episode";
import type { Memory, NewMemory } from "../schemas/memory";
import { ANTI_PATTERN } from "../schemas/pattern";
import { createMemory } from "../store/memories/commit-plan";
import { computeIdentity } from "../store/memories/memory-id";
import { normaliseContent } from "../text/normalise-text";
import type { EmbedTexts } from "./embedding-cache";

/** A step of a plan, stored as JSON until it is applied. */
export type ConsolidationStep =
  | { kind: "create"; memory: NewMemory }
  | ({ kind: "gain"; id: string } & PatternGain)
  | { kind: "merge"; keep: string; others: string[] };

export type ConsolidationPlan = { steps: ConsolidationStep[]; answer: Omit<ConsolidateAnswer, "dry_run"> };

export type PlanInput = {
  tenant: string;
  project_id: string;
  /** Sorted by timestamp, then id. */
  episodes: readonly Episode[];
  /** All patterns of the project, including those that are no longer live. */
  patterns: readonly Memory[];
  /** Whether two patterns are linked as contradictory: those do not merge. */
  apart: (a: string, b: string) => boolean;
  embed: EmbedTexts;
};

/** A step with the id of the pattern that it creates or strengthens. */
type PlannedStep = { id: string; step: Exclude<ConsolidationStep, { kind: "merge" }>; anti: boolean };

/** Plans the steps of a run, and its answer. */
export async function planConsolidation(input: PlanInput): Promise<ConsolidationPlan> {
  const { episodes, patterns, apart, embed } = input;
  const vectors = await embed(episodes.map(getEpisodeText));
  const clusters = clusterEpisodes(
    vectors.map((vector) => ({ vector })),
    CLUSTER_SIMILARITY,
  )
    .filter((members) => members.length >= MIN_CLUSTER_SIZE)
    .map((members) => ({
      episodes: members.flatMap((i) => episodes[i] ?? []),
      centroid: computeCentroid(members.flatMap((i) => vectors[i] ?? [])),
    }));
  const planned = [...(await planPatterns(input, clusters)), ...(await planAntiPatterns(input))];
  const merges = planPatternMerges(await applyPlannedSteps(planned, patterns, embed), apart);
  const listIds = (steps: readonly PlannedStep[]) => steps.map(({ id }) => id);
  const created = planned.filter(({ step }) => step.kind === "create");
  return {
    steps: [
      ...planned.map(({ step }) => step),
      ...merges.map(({ keep, others }) => ({ kind: "merge" as const, keep, others })),
    ],
    answer: {
      episodes: episodes.length,
      clusters: clusters.length,
      created: listIds(created.filter(({ anti }) => !anti)),
      updated: listIds(planned.filter(({ step }) => step.kind === "gain")),
      anti_patterns: listIds(created.filter(({ anti }) => anti)),
      merged: merges.flatMap(({ others }) => others),
    },
  };
}

/** A cluster with its extracted pattern, which is new or belongs to a known one. */
type ClusterCandidate = Cluster & { ids: string[]; found: NewPattern };

type Cluster = { episodes: readonly Episode[]; centroid: Float32Array };

async function planPatterns(
  { tenant, project_id, patterns, embed }: PlanInput,
  clusters: readonly Cluster[],
): Promise<PlannedStep[]> {
  const positive = patterns.filter((memory) => !isAntiPattern(memory));
  const byId = new Map(positive.map((memory) => [memory.id, memory]));
  const known = await toKnownPatterns(positive, embed);
  const live = known.filter(({ id }) => isLive(byId.get(id)));
  const gone = known.filter(({ id }) => !isLive(byId.get(id)));
  const gains = new Map<string, PatternGain>();
  const creates = new Map<string, NewMemory>();
  const candidates = clusters.flatMap((cluster): ClusterCandidate[] => {
    const ids = cluster.episodes.map(({ id }) => id);
    const found = extractPattern(cluster.episodes);
    return found === null ? [] : [{ ...cluster, ids, found }];
  });
  const vectors = await embed(candidates.map(({ found }) => found.pattern));
  const themes = await embed(candidates.map(({ found }) => found.theme));
  for (const [i, { ids, centroid, found }] of candidates.entries()) {
    const vector = vectors[i] ?? centroid;
    const candidate = { vector, themeVector: themes[i] ?? centroid, centroid, sources: ids };
    const same = findSamePattern(candidate, live) ?? findSamePattern(candidate, gone);
    if (same !== null) {
      const { standing, passed } = findStandingPattern(same, byId);
      if (standing === null) continue;
      const fresh = ids.filter((id) => !passed.has(id));
      const before = gains.get(standing.id)?.episodes ?? [];
      gains.set(standing.id, { episodes: [...before, ...fresh], lesson: null, found });
    } else {
      const memory = toPatternMemory({ project_id, ...found });
      const id = await computeIdentity(tenant, memory);
      creates.set(id, joinEvidence(creates.get(id), memory));
    }
  }
  return [
    ...[...creates].map(([id, memory]) => ({ id, anti: false, step: { kind: "create" as const, memory } })),
    ...[...gains].flatMap(([id, more]) => planGain(byId.get(id), more)),
  ];
}

async function planAntiPatterns({
  tenant,
  project_id,
  episodes,
  patterns,
}: PlanInput): Promise<PlannedStep[]> {
  const lessons = patterns.filter(isAntiPattern);
  const byId = new Map(lessons.map((memory) => [memory.id, memory]));
  const byKey = Map.groupBy(lessons, (memory) => normaliseContent(readWhatFails(memory)));
  const planned: PlannedStep[] = [];
  const gains = new Map<string, { episodes: string[]; lesson: NonNullable<PatternGain["lesson"]> }>();
  // A successful episode may resolve the error of a failed one, even in a later run.
  const remedies = findRemedies(episodes);
  for (const found of extractAntiPatterns(episodes)) {
    const { key, what_fails, why, ...rest } = found;
    const prevention = found.prevention ?? remedies.get(key) ?? null;
    const known = byKey.get(key) ?? [];
    const [first] = known;
    if (first === undefined) {
      const memory = toPatternMemory({
        ...rest,
        project_id,
        category: ANTI_PATTERN,
        conditions: [],
        incorrect_approach: what_fails,
        correct_approach: prevention,
        why,
      });
      planned.push({
        id: await computeIdentity(tenant, memory),
        anti: true,
        step: { kind: "create", memory },
      });
      continue;
    }
    const live = known.find((memory) => getMemoryStatus(memory) === "live") ?? first;
    const { standing, passed } = findStandingPattern(live.id, byId);
    if (standing === null) continue;
    // Two types of error may have merged into one anti-pattern, which gains once from both.
    const gained = gains.get(standing.id) ?? { episodes: [], lesson: { why, prevention } };
    gained.episodes.push(...rest.source_episodes.filter((id) => !passed.has(id)));
    gains.set(standing.id, gained);
  }
  for (const [key, prevention] of remedies) {
    const known = (byKey.get(key) ?? []).find((memory) => isLive(memory) && !gains.has(memory.id));
    if (known !== undefined) gains.set(known.id, { episodes: [], lesson: { why: "", prevention } });
  }
  return [
    ...planned,
    ...[...gains].flatMap(([id, more]) => planGain(byId.get(id), { ...more, found: null })),
  ];
}

function isLive(memory: Memory | undefined): boolean {
  return memory !== undefined && getMemoryStatus(memory) === "live";
}

function planGain(memory: Memory | undefined, more: PatternGain): PlannedStep[] {
  if (memory === undefined || strengthenPattern(memory, more) === null) return [];
  const { id } = memory;
  return [{ id, anti: isAntiPattern(memory), step: { kind: "gain", id, ...more } }];
}

/** Joins two clusters whose patterns have the same text, with the confidence of the first. */
function joinEvidence(first: NewMemory | undefined, second: NewMemory): NewMemory {
  if (first === undefined) return second;
  const evidence = [...new Set([...first.evidence, ...second.evidence])];
  return { ...first, evidence: evidence.slice(0, EXPERIENCE.sourcesPerPattern) };
}

/**
 * Follows supersessions from a pattern to the live one; null if that was forgotten, which must not come back. `passed`
 * holds the sources of the superseded patterns, which are no new evidence.
 */
function findStandingPattern(
  id: string,
  byId: ReadonlyMap<string, Memory>,
): { standing: Memory | null; passed: ReadonlySet<string> } {
  const passed = new Set<string>();
  const seen = new Set<string>();
  for (let at = byId.get(id); at !== undefined && !seen.has(at.id); ) {
    if (getMemoryStatus(at) === "live") return { standing: at, passed };
    seen.add(at.id);
    for (const source of at.evidence) passed.add(source);
    at = at.superseded_by === null ? undefined : byId.get(at.superseded_by);
  }
  return { standing: null, passed };
}

async function toKnownPatterns(patterns: readonly Memory[], embed: EmbedTexts) {
  const vectors = await embedPatterns(patterns, embed);
  return patterns.map(({ id, confidence, evidence }, i) => ({
    id,
    confidence,
    sources: new Set(evidence),
    ...(vectors[i] ?? NO_VECTORS),
  }));
}

const NO_VECTORS = { vector: new Float32Array(0), themeVector: null };

/** Embeds the text of each pattern, and its theme if it has one. */
async function embedPatterns(patterns: readonly Memory[], embed: EmbedTexts) {
  const vectors = await embed(patterns.map(({ content }) => content));
  const themed = patterns.flatMap(({ properties }) => properties.theme ?? []);
  const themes = new Map((await embed(themed)).map((vector, i) => [themed[i], vector]));
  return patterns.map(({ properties }, i) => ({
    vector: vectors[i] ?? NO_VECTORS.vector,
    themeVector: themes.get(properties.theme?.[0]) ?? null,
  }));
}

/** Returns the live patterns as they will be after the planned steps. */
async function applyPlannedSteps(
  planned: readonly PlannedStep[],
  patterns: readonly Memory[],
  embed: EmbedTexts,
) {
  const live = new Map(
    patterns.filter((memory) => getMemoryStatus(memory) === "live").map((memory) => [memory.id, memory]),
  );
  for (const { id, step } of planned) {
    const memory = live.get(id);
    if (step.kind === "create") live.set(id, createMemory(id, step.memory, step.memory.timestamp));
    else if (memory !== undefined) live.set(id, strengthenPattern(memory, step) ?? memory);
  }
  return toMergeablePatterns([...live.values()], embed);
}

/** Embeds patterns for a comparison of near-duplicates; patterns and anti-patterns do not merge with each other. */
export async function toMergeablePatterns(patterns: readonly Memory[], embed: EmbedTexts) {
  const vectors = await embedPatterns(patterns, embed);
  return patterns.map((memory, i) => ({
    id: memory.id,
    text: memory.content,
    ...(vectors[i] ?? NO_VECTORS),
    confidence: memory.confidence,
    created_at: memory.timestamp,
    group: isAntiPattern(memory) ? "lessons" : "patterns",
  }));
}

function isAntiPattern({ properties }: Memory): boolean {
  return properties.category?.[0] === ANTI_PATTERN;
}

function readWhatFails({ properties, content }: Memory): string {
  return properties.incorrectApproach?.[0] ?? content;
}
