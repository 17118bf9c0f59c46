// Maintenance of a project: importance decays, old episodes are summarised and archived, near-duplicate patterns merge,
// contradictions are found.
// Idempotent: a second run at the same time changes nothing.

import { EXPERIENCE } from "../../kernel/limits";
import { getMemoryStatus, type Memory } from "../../memories/memory-schemas";
import type { Repositories } from "../../services/repositories";
import type { Episode } from "../episodes/episode-schemas";
import { ageEpisode, type DecaySchedule, decayMemory } from "../episodes/retention";
import { type PatternMerge, planPatternMerges } from "../patterns/match-patterns";
import type { PatternProperty } from "../patterns/pattern-repository";
import { loadContradictions, READ_PAGE } from "./consolidate";
import type { MaintenanceAnswer } from "./consolidation-schemas";
import type { EmbedTexts } from "./embedding-cache";
import { selectComparable, toMergeablePatterns } from "./plan-consolidation";
import {
  applyContradiction,
  type ContradictStep,
  listFacts,
  planContradictions,
  toComparableFacts,
} from "./plan-proposals";

/** Days between updates of importance by scheduled maintenance: each update rewrites every episode. */
export const DECAY_INTERVAL_DAYS = 7;
/** Earlier than any timestamp. */
const BEGINNING_OF_TIME = "0000-01-01T00:00:00.000Z";

type Changes = {
  summarised: string[];
  archived: string[];
  merged: string[];
  contradictions: string[];
  decayed: number;
};

/** Maintains a project; without an embedder nothing merges. */
export async function maintainProject(
  store: Repositories,
  { project_id, ...schedule }: DecaySchedule & { project_id: string },
  embed: EmbedTexts | null,
): Promise<MaintenanceAnswer> {
  const changes: Changes = { summarised: [], archived: [], merged: [], contradictions: [], decayed: 0 };
  const patterns = await listLiveMemories(store, "category", project_id);
  const learnings = await listLiveMemories(store, "trigger", project_id);
  // Planned before the first write: if the embedder fails, nothing has changed.
  const { merges, contradictions } =
    embed === null ? NOTHING_COMPARED : await compareMemories(store, project_id, patterns, embed);
  await maintainEpisodes(store, project_id, schedule, changes);
  const due = [...patterns, ...learnings].filter((memory) => decayMemory(memory, schedule) !== null);
  const decayed = await store.memories.changeMany(
    due.map(({ id }) => id),
    (memory) => decayMemory(memory, schedule),
  );
  changes.decayed += decayed.length;
  for (const { keep, others } of merges) changes.merged.push(...(await store.memories.merge(keep, others)));
  for (const { id, step } of contradictions) {
    await applyContradiction(store, step);
    changes.contradictions.push(id);
  }
  const limitIds = (ids: string[]) => ids.slice(0, EXPERIENCE.reportedIds);
  return {
    summarised: changes.summarised.length,
    archived: changes.archived.length,
    merged: changes.merged.length,
    decayed: changes.decayed,
    contradictions: changes.contradictions.length,
    ids: {
      summarised: limitIds(changes.summarised),
      archived: limitIds(changes.archived),
      merged: limitIds(changes.merged),
      contradictions: limitIds(changes.contradictions),
    },
  };
}

async function maintainEpisodes(
  store: Repositories,
  projectId: string,
  schedule: DecaySchedule,
  changes: Changes,
): Promise<void> {
  for (let after: { timestamp: string; id: string } | null = null; ; ) {
    const window = { since: BEGINNING_OF_TIME, until: schedule.now, after, limit: READ_PAGE };
    const page: Episode[] = await store.episodes.listInOrder(projectId, window);
    const referenced = await store.episodes.findReferenced(page.map(({ id }) => id));
    const change = (episode: Episode) => ageEpisode(episode, schedule, referenced.has(episode.id));
    const due = page.filter((episode) => change(episode) !== null);
    const before = new Map(due.map((episode) => [episode.id, episode]));
    for (const episode of await store.episodes.changeMany([...before.keys()], change)) {
      const previous = before.get(episode.id);
      if (previous?.importance !== episode.importance) changes.decayed += 1;
      if (episode.archived) changes.archived.push(episode.id);
      else if (previous?.summarised === false && episode.summarised) changes.summarised.push(episode.id);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < READ_PAGE) return;
    after = { timestamp: last.timestamp, id: last.id };
  }
}

async function listLiveMemories(
  store: Repositories,
  mark: PatternProperty,
  projectId: string,
): Promise<Memory[]> {
  return (await store.patterns.listAll(mark, projectId)).filter(
    (memory) => getMemoryStatus(memory) === "live",
  );
}

type Comparison = {
  merges: PatternMerge[];
  contradictions: { id: string; step: ContradictStep }[];
};

const NOTHING_COMPARED: Comparison = { merges: [], contradictions: [] };

/** Compares the patterns of a project with each other, and its facts and decisions. */
async function compareMemories(
  store: Repositories,
  projectId: string,
  patterns: readonly Memory[],
  embed: EmbedTexts,
): Promise<Comparison> {
  const facts = await listFacts(store, projectId);
  const apart = await loadContradictions(store, [...patterns, ...facts]);
  const mergeable = await toMergeablePatterns(patterns, embed);
  const merges = planPatternMerges(mergeable, apart);
  const merged = new Set(merges.flatMap(({ others }) => others));
  const compared = [
    ...selectComparable(patterns, mergeable, merged),
    ...(await toComparableFacts(facts, embed)),
  ];
  return { merges, contradictions: await planContradictions(store.tenant, compared, apart) };
}
