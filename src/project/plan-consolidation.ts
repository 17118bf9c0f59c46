// What a consolidation will do: episodes that are alike become patterns, errors of failed ones become anti-patterns,
// what says the same becomes one. It reads nothing and writes nothing; only the vectors are asked for.

import { clusterEpisodes, computeCentroid } from "../domain/experience/clustering/cluster-episodes";
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
import { newMemory } from "../store/memories/commit-plan";
import { identityOf } from "../store/memories/memory-id";
import { normaliseContent } from "../text/normalise-text";
import type { Embed } from "./embedding-cache";

export type Step =
  | { kind: "create"; memory: NewMemory }
  | ({ kind: "gain"; id: string } & PatternGain)
  | { kind: "merge"; keep: string; others: string[] };

export type Plan = { steps: Step[]; answer: Omit<ConsolidateAnswer, "dry_run"> };

export type Planned = {
  tenant: string;
  project_id: string;
  /** By timestamp, then id. */
  episodes: readonly Episode[];
  /** All the project's patterns, also those that no longer hold. */
  patterns: readonly Memory[];
  /** Whether two patterns contradict each other: then they are not one. */
  apart: (a: string, b: string) => boolean;
  embed: Embed;
};

/** A step that has something to say of a pattern's id. */
type Planning = { id: string; step: Exclude<Step, { kind: "merge" }>; anti: boolean };

export async function planConsolidation(given: Planned): Promise<Plan> {
  const { episodes, patterns, apart, embed } = given;
  const vectors = await embed(episodes.map(getEpisodeText));
  const groups = clusterEpisodes(
    vectors.map((vector) => ({ vector })),
    EXPERIENCE.alike,
  )
    // One alone makes no pattern.
    .filter((members) => members.length >= EXPERIENCE.cluster)
    .map((members) => ({
      episodes: members.flatMap((i) => episodes[i] ?? []),
      centroid: computeCentroid(members.flatMap((i) => vectors[i] ?? [])),
    }));
  const planned = [...(await planPatterns(given, groups)), ...(await planAntiPatterns(given))];
  const merges = planPatternMerges(await after(planned, patterns, embed), apart);
  const ids = (of: readonly Planning[]) => of.map(({ id }) => id);
  const created = planned.filter(({ step }) => step.kind === "create");
  return {
    steps: [
      ...planned.map(({ step }) => step),
      ...merges.map(({ keep, others }) => ({ kind: "merge" as const, keep, others })),
    ],
    answer: {
      episodes: episodes.length,
      clusters: groups.length,
      created: ids(created.filter(({ anti }) => !anti)),
      updated: ids(planned.filter(({ step }) => step.kind === "gain")),
      anti_patterns: ids(created.filter(({ anti }) => anti)),
      merged: merges.flatMap(({ others }) => others),
    },
  };
}

/** A group that may be a pattern of its own, or more cases of one that is known. */
type Candidate = Group & { ids: string[]; found: NewPattern };

type Group = { episodes: readonly Episode[]; centroid: Float32Array };

async function planPatterns(
  { tenant, project_id, patterns, embed }: Planned,
  groups: readonly Group[],
): Promise<Planning[]> {
  const usual = patterns.filter((memory) => !isAnti(memory));
  const byId = new Map(usual.map((memory) => [memory.id, memory]));
  const known = await recognisable(usual, embed);
  const live = known.filter(({ id }) => isLive(byId.get(id)));
  const gone = known.filter(({ id }) => !isLive(byId.get(id)));
  const gains = new Map<string, PatternGain>();
  const creates = new Map<string, NewMemory>();
  const candidates = groups.flatMap((group): Candidate[] => {
    const ids = group.episodes.map(({ id }) => id);
    const found = extractPattern(group.episodes);
    return found === null ? [] : [{ ...group, ids, found }];
  });
  const vectors = await embed(candidates.map(({ found }) => found.pattern));
  const themes = await embed(candidates.map(({ found }) => found.theme));
  for (const [i, { ids, centroid, found }] of candidates.entries()) {
    const vector = vectors[i] ?? centroid;
    const candidate = { vector, themeVector: themes[i] ?? centroid, centroid, sources: ids };
    const same = findSamePattern(candidate, live) ?? findSamePattern(candidate, gone);
    if (same !== null) {
      const { standing, passed } = standingFor(same, byId);
      if (standing === null) continue;
      const fresh = ids.filter((id) => !passed.has(id));
      const before = gains.get(standing.id)?.episodes ?? [];
      gains.set(standing.id, { episodes: [...before, ...fresh], lesson: null, found });
    } else {
      const memory = toPatternMemory({ project_id, ...found });
      const id = await identityOf(tenant, memory);
      creates.set(id, joined(creates.get(id), memory));
    }
  }
  return [
    ...[...creates].map(([id, memory]) => ({ id, anti: false, step: { kind: "create" as const, memory } })),
    ...[...gains].flatMap(([id, more]) => gain(byId.get(id), more)),
  ];
}

async function planAntiPatterns({ tenant, project_id, episodes, patterns }: Planned): Promise<Planning[]> {
  const lessons = patterns.filter(isAnti);
  const byId = new Map(lessons.map((memory) => [memory.id, memory]));
  const byKey = Map.groupBy(lessons, (memory) => normaliseContent(whatFails(memory)));
  const planned: Planning[] = [];
  const gains = new Map<string, { episodes: string[]; lesson: NonNullable<PatternGain["lesson"]> }>();
  // Who comes through may know what prevents an error that others failed by, also in a later run.
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
      planned.push({ id: await identityOf(tenant, memory), anti: true, step: { kind: "create", memory } });
      continue;
    }
    const live = known.find((memory) => getMemoryStatus(memory) === "live") ?? first;
    const { standing, passed } = standingFor(live.id, byId);
    if (standing === null) continue;
    // Two types of error may have become one lesson, which gains by both once.
    const gained = gains.get(standing.id) ?? { episodes: [], lesson: { why, prevention } };
    gained.episodes.push(...rest.source_episodes.filter((id) => !passed.has(id)));
    gains.set(standing.id, gained);
  }
  for (const [key, prevention] of remedies) {
    const known = (byKey.get(key) ?? []).find((memory) => isLive(memory) && !gains.has(memory.id));
    if (known !== undefined) gains.set(known.id, { episodes: [], lesson: { why: "", prevention } });
  }
  return [...planned, ...[...gains].flatMap(([id, more]) => gain(byId.get(id), { ...more, found: null }))];
}

function isLive(memory: Memory | undefined): boolean {
  return memory !== undefined && getMemoryStatus(memory) === "live";
}

function gain(memory: Memory | undefined, more: PatternGain): Planning[] {
  if (memory === undefined || strengthenPattern(memory, more) === null) return [];
  const { id } = memory;
  return [{ id, anti: isAnti(memory), step: { kind: "gain", id, ...more } }];
}

/** Two clusters that come to the very same words are one pattern of both, as certain as the first makes it. */
function joined(first: NewMemory | undefined, second: NewMemory): NewMemory {
  if (first === undefined) return second;
  const evidence = [...new Set([...first.evidence, ...second.evidence])];
  return { ...first, evidence: evidence.slice(0, EXPERIENCE.sources) };
}

/**
 * The live pattern that a pattern has become; null when somebody forgot it: then it does not come back. `passed` is what
 * those before it rested on, which is nothing new to it.
 */
function standingFor(
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

async function recognisable(patterns: readonly Memory[], embed: Embed) {
  const vectors = await vectorsOf(patterns, embed);
  return patterns.map(({ id, confidence, evidence }, i) => ({
    id,
    confidence,
    sources: new Set(evidence),
    ...(vectors[i] ?? NO_VECTORS),
  }));
}

const NO_VECTORS = { vector: new Float32Array(0), themeVector: null };

/** Of what each pattern says, and of its theme, if it has one. */
async function vectorsOf(patterns: readonly Memory[], embed: Embed) {
  const vectors = await embed(patterns.map(({ content }) => content));
  const themed = patterns.flatMap(({ properties }) => properties.theme ?? []);
  const themes = new Map((await embed(themed)).map((vector, i) => [themed[i], vector]));
  return patterns.map(({ properties }, i) => ({
    vector: vectors[i] ?? NO_VECTORS.vector,
    themeVector: themes.get(properties.theme?.[0]) ?? null,
  }));
}

/** The live patterns as they will be. */
async function after(planned: readonly Planning[], patterns: readonly Memory[], embed: Embed) {
  const live = new Map(
    patterns.filter((memory) => getMemoryStatus(memory) === "live").map((memory) => [memory.id, memory]),
  );
  for (const { id, step } of planned) {
    const memory = live.get(id);
    if (step.kind === "create") live.set(id, newMemory(id, step.memory, step.memory.timestamp));
    else if (memory !== undefined) live.set(id, strengthenPattern(memory, step) ?? memory);
  }
  return mergeable([...live.values()], embed);
}

/** Patterns as they are compared for merging. */
export async function mergeable(patterns: readonly Memory[], embed: Embed) {
  const vectors = await vectorsOf(patterns, embed);
  return patterns.map((memory, i) => ({
    id: memory.id,
    text: memory.content,
    ...(vectors[i] ?? NO_VECTORS),
    confidence: memory.confidence,
    created_at: memory.timestamp,
    group: isAnti(memory) ? "lessons" : "patterns",
  }));
}

function isAnti({ properties }: Memory): boolean {
  return properties.category?.[0] === ANTI_PATTERN;
}

function whatFails({ properties, content }: Memory): string {
  return properties.incorrectApproach?.[0] ?? content;
}
