// Plans a consolidation: clusters of similar episodes become patterns, errors anti-patterns, resolved errors learnings,
// and near-duplicate patterns merge. Embeds texts, but reads and writes no store.

import { EXPERIENCE } from "../../kernel/limits";
import { normaliseContent } from "../../language/normalise-text";
import { getMemoryStatus, type Memory, type NewMemory } from "../../memories/memory-schemas";
import { createMemory } from "../../memories/store/commit-plan";
import { computeIdentity } from "../../memories/store/memory-id";
import { getEpisodeText } from "../episodes/episode-record";
import type { Episode } from "../episodes/episode-schemas";
import { extractAntiPatterns } from "../patterns/anti-patterns";
import {
  CLUSTER_SIMILARITY,
  clusterEpisodes,
  computeCentroid,
  MIN_CLUSTER_SIZE,
} from "../patterns/cluster-episodes";
import { extractPattern, type NewPattern } from "../patterns/extract-pattern";
import { findSamePattern, type MergeablePattern, planPatternMerges } from "../patterns/match-patterns";
import {
  findStandingPattern,
  type PatternGain,
  strengthenPattern,
  toPatternMemory,
} from "../patterns/pattern-memory";
import { ANTI_PATTERN } from "../patterns/pattern-schemas";
import type { SkillProposal } from "../skills/skill-proposal-repository";
import type { ConsolidateAnswer } from "./consolidation-schemas";
import type { EmbedTexts } from "./embedding-cache";
import { type LearnStep, planLearnings } from "./plan-learnings";
import {
  type ComparedMemory,
  type ContradictStep,
  type ProposeStep,
  planContradictions,
  planSkills,
  toComparableFacts,
} from "./plan-proposals";
import type { OwnedExperience } from "./project-facts";

/** A step of a plan, stored as JSON until it is applied. */
export type ConsolidationStep =
  | { kind: "create"; memory: NewMemory }
  | ({ kind: "gain"; id: string } & PatternGain)
  | LearnStep
  | ContradictStep
  | ProposeStep
  | { kind: "merge"; keep: string; others: string[] };

export type ConsolidationPlan = { steps: ConsolidationStep[]; answer: Omit<ConsolidateAnswer, "dry_run"> };

type PlanInput = OwnedExperience & {
  tenant: string;
  /** Whether two patterns are linked as contradictory: those do not merge. */
  apart: (a: string, b: string) => boolean;
  /** The newest facts and decisions of the project. */
  facts: readonly Memory[];
  /** All skill proposals of the project, and the slugs of the skills that apply to it. */
  proposals: readonly SkillProposal[];
  slugs: ReadonlySet<string>;
  embed: EmbedTexts;
};

/** A step with the id of the pattern that it creates or strengthens. */
type PlannedStep = {
  id: string;
  step: Extract<ConsolidationStep, { kind: "create" | "gain" }>;
  anti: boolean;
};

/** Plans the steps of a run, and its answer. */
export async function planConsolidation(input: PlanInput): Promise<ConsolidationPlan> {
  const { tenant, owner, episodes, patterns, apart, embed } = input;
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
  const found = await planPatterns(input, clusters);
  const planned = [...found.steps, ...(await planAntiPatterns(input))];
  const learned = await planLearnings(input);
  const after = applyPlannedSteps(planned, patterns);
  const live = after.filter(isLive);
  const mergeable = await toMergeablePatterns(live, embed);
  const merges = planPatternMerges(mergeable, apart);
  const merged = new Set(merges.flatMap(({ others }) => others));
  const facts = owner.user_id === null ? input.facts : [];
  const comparable = [
    ...selectComparable(live, mergeable, merged),
    ...(await toComparableFacts(facts, embed)),
  ];
  const contradictions = await planContradictions(tenant, comparable, apart);
  const skills = planSkills({
    ...input,
    owner,
    patterns: after,
    clusters: found.clusters.filter(({ id }) => !merged.has(id)),
  });
  const listIds = (steps: readonly PlannedStep[]) => steps.map(({ id }) => id);
  const created = planned.filter(({ step }) => step.kind === "create");
  return {
    steps: [
      ...planned.map(({ step }) => step),
      ...learned.map(({ step }) => step),
      ...merges.map(({ keep, others }) => ({ kind: "merge" as const, keep, others })),
      ...contradictions.map(({ step }) => step),
      ...skills,
    ],
    answer: {
      episodes: episodes.length,
      clusters: clusters.length,
      created: listIds(created.filter(({ anti }) => !anti)),
      updated: listIds(planned.filter(({ step }) => step.kind === "gain")),
      anti_patterns: listIds(created.filter(({ anti }) => anti)),
      merged: [...merged],
      learnings: learned.map(({ id }) => id),
      contradictions: contradictions.map(({ id }) => id),
      proposed_skills: skills.map(({ proposal: { slug } }) => slug),
    },
  };
}

/** A cluster with its extracted pattern, which is new or belongs to a known one. */
type ClusterCandidate = Cluster & { ids: string[]; found: NewPattern };

type Cluster = { episodes: readonly Episode[]; centroid: Float32Array };

async function planPatterns(
  { tenant, owner, patterns, embed }: PlanInput,
  clusters: readonly Cluster[],
): Promise<{ steps: PlannedStep[]; clusters: { id: string; episodes: readonly Episode[] }[] }> {
  const matched: { id: string; episodes: readonly Episode[] }[] = [];
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
  for (const [i, { ids, centroid, found, episodes }] of candidates.entries()) {
    const vector = vectors[i] ?? centroid;
    const candidate = { vector, themeVector: themes[i] ?? centroid, centroid, sources: ids };
    const same = findSamePattern(candidate, live) ?? findSamePattern(candidate, gone);
    if (same !== null) {
      const { standing, passed } = findStandingPattern(same, byId);
      if (standing === null) continue;
      matched.push({ id: standing.id, episodes });
      const fresh = ids.filter((id) => !passed.has(id));
      const before = gains.get(standing.id)?.episodes ?? [];
      const at = found.timestamp;
      gains.set(standing.id, { episodes: [...before, ...fresh], at, lesson: null, found });
    } else {
      const memory = toPatternMemory({ ...owner, ...found });
      const id = await computeIdentity(tenant, memory);
      creates.set(id, joinEvidence(creates.get(id), memory));
      matched.push({ id, episodes });
    }
  }
  return {
    steps: [
      ...[...creates].map(([id, memory]) => ({ id, anti: false, step: { kind: "create" as const, memory } })),
      ...[...gains].flatMap(([id, more]) => planGain(byId.get(id), more)),
    ],
    clusters: matched,
  };
}

async function planAntiPatterns({ tenant, owner, episodes, patterns }: PlanInput): Promise<PlannedStep[]> {
  const lessons = patterns.filter(isAntiPattern);
  const byId = new Map(lessons.map((memory) => [memory.id, memory]));
  const byKey = Map.groupBy(lessons, (memory) => normaliseContent(readWhatFails(memory)));
  const planned: PlannedStep[] = [];
  const gains = new Map<
    string,
    { episodes: string[]; at: string; lesson: NonNullable<PatternGain["lesson"]> }
  >();
  for (const { key, what_fails, why, prevention, ...rest } of extractAntiPatterns(episodes)) {
    const known = byKey.get(key) ?? [];
    const [first] = known;
    if (first === undefined) {
      const memory = toPatternMemory({
        ...rest,
        ...owner,
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
    const gained = gains.get(standing.id) ?? {
      episodes: [],
      at: rest.timestamp,
      lesson: { why, prevention },
    };
    gained.episodes.push(...rest.source_episodes.filter((id) => !passed.has(id)));
    gains.set(standing.id, gained);
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

/** Returns all patterns as they will be after the planned steps. */
function applyPlannedSteps(planned: readonly PlannedStep[], patterns: readonly Memory[]): Memory[] {
  const after = new Map(patterns.map((memory) => [memory.id, memory]));
  for (const { id, step } of planned) {
    const memory = after.get(id);
    if (step.kind === "create") after.set(id, createMemory(id, step.memory));
    else if (memory !== undefined) after.set(id, strengthenPattern(memory, step) ?? memory);
  }
  return [...after.values()];
}

/**
 * Embeds patterns for a comparison of near-duplicates. Patterns and anti-patterns do not merge with each other, nor do
 * patterns of different owners.
 */
export async function toMergeablePatterns(patterns: readonly Memory[], embed: EmbedTexts) {
  const vectors = await embedPatterns(patterns, embed);
  return patterns.map((memory, i) => ({
    id: memory.id,
    text: memory.content,
    ...(vectors[i] ?? NO_VECTORS),
    confidence: memory.confidence,
    created_at: memory.timestamp,
    group: JSON.stringify([memory.project_id, memory.user_id, isAntiPattern(memory)]),
  }));
}

/** Selects the patterns that may contradict each other. Anti-patterns warn of failures, and do not. */
export function selectComparable(
  patterns: readonly Memory[],
  mergeable: readonly MergeablePattern[],
  merged: ReadonlySet<string>,
): ComparedMemory[] {
  const byId = new Map(patterns.map((memory) => [memory.id, memory]));
  return mergeable.flatMap(({ id, vector, themeVector, group }) => {
    const memory = byId.get(id);
    if (memory === undefined || isAntiPattern(memory) || merged.has(id)) return [];
    return [{ memory, vector: themeVector ?? vector, group }];
  });
}

function isAntiPattern({ properties }: Memory): boolean {
  return properties.category?.[0] === ANTI_PATTERN;
}

function readWhatFails({ properties, content }: Memory): string {
  return properties.incorrectApproach?.[0] ?? content;
}
