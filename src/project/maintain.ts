// Maintenance of one project: importance declines, old episodes are summarised and set aside, what says the same
// becomes one. Each page can be repeated: a second run at the same time finds nothing to do.

import { type PatternMerge, planPatternMerges } from "../domain/experience/matching/match-patterns";
import { decayImportance } from "../domain/experience/retention/decay";
import { decideRetention, summariseEpisode } from "../domain/experience/retention/retention";
import { getMemoryStatus } from "../domain/memory-status";
import { EXPERIENCE } from "../limits";
import { DAY_MS } from "../platform/time";
import type { MaintenanceAnswer } from "../schemas/consolidation";
import type { Episode } from "../schemas/episode";
import type { Memory } from "../schemas/memory";
import type { Mark } from "../store/memories/pattern-queries";
import type { Repositories } from "../store/repositories";
import { contradictionsOf } from "./consolidate";
import type { Embed } from "./embedding-cache";
import { mergeable } from "./plan-consolidation";

type Done = { summarised: string[]; archived: string[]; merged: string[]; decayed: number };

export type Maintenance = {
  project_id: string;
  now: string;
  /** Importance is brought up to date once it is older than this. Two spans give what one over both gives. */
  decayEachDays: number;
};

export async function maintainProject(
  store: Repositories,
  { project_id, now, decayEachDays }: Maintenance,
  embed: Embed | null,
): Promise<MaintenanceAnswer> {
  const done: Done = { summarised: [], archived: [], merged: [], decayed: 0 };
  const patterns = await liveMarked(store, "category", project_id);
  const learnings = await liveMarked(store, "trigger", project_id);
  // Before anything is changed: an embedder that fails then costs nothing but this call.
  const merges = embed === null ? [] : await planDuplicates(store, patterns, embed);
  const decline = declineAt(now, decayEachDays);
  await maintainEpisodes(store, { project_id, now, decline }, done);
  const declining = [...patterns, ...learnings].filter((memory) => declined(memory, now, decline) !== null);
  const lessImportant = await store.memories.changeMany(
    declining.map(({ id }) => id),
    (memory) => declined(memory, now, decline),
  );
  done.decayed += lessImportant.length;
  for (const { keep, others } of merges) done.merged.push(...(await store.memories.merge(keep, others)));
  const first = (ids: string[]) => ids.slice(0, EXPERIENCE.reported);
  return {
    summarised: done.summarised.length,
    archived: done.archived.length,
    merged: done.merged.length,
    decayed: done.decayed,
    ids: {
      summarised: first(done.summarised),
      archived: first(done.archived),
      merged: first(done.merged),
    },
  };
}

const BEGINNING = "0000-01-01T00:00:00.000Z";

async function maintainEpisodes(
  store: Repositories,
  { project_id, now, decline }: { project_id: string; now: string; decline: Decline },
  done: Done,
): Promise<void> {
  for (let after: { timestamp: string; id: string } | null = null; ; ) {
    const window = { since: BEGINNING, until: now, after, limit: EXPERIENCE.page };
    const page = await store.episodes.listInOrder(project_id, window);
    const referred = await store.episodes.findReferenced(page.map(({ id }) => id));
    const change = (episode: Episode) => aged(episode, now, referred.has(episode.id), decline);
    const due = page.filter((episode) => change(episode) !== null);
    const before = new Map(due.map((episode) => [episode.id, episode]));
    for (const episode of await store.episodes.changeMany([...before.keys()], change)) {
      const was = before.get(episode.id);
      if (was?.importance !== episode.importance) done.decayed += 1;
      if (episode.archived) done.archived.push(episode.id);
      else if (was?.summarised === false && episode.summarised) done.summarised.push(episode.id);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < EXPERIENCE.page) return;
    after = { timestamp: last.timestamp, id: last.id };
  }
}

/** What is left of an importance that was right at a time. */
type Decline = (importance: number, from: string) => number;

function declineAt(now: string, eachDays: number): Decline {
  return (importance, from) =>
    Date.parse(now) - Date.parse(from) < eachDays * DAY_MS
      ? importance
      : decayImportance(importance, from, now);
}

/** An episode as it is at a time; null when it is so already. */
function aged(episode: Episode, now: string, referred: boolean, decline: Decline): Episode | null {
  const from = episode.decayed_at ?? episode.timestamp;
  const importance = decline(episode.importance, from);
  const keep = decideRetention(episode, now, referred);
  if (keep === "keep" && importance === episode.importance) return null;
  const kept = keep === "keep" || episode.summarised ? episode : summariseEpisode(episode);
  return {
    ...kept,
    importance,
    decayed_at: importance === episode.importance ? episode.decayed_at : now,
    ...(keep === "archive" && { archived: true, archived_at: now }),
  };
}

/** A pattern or a learning as it is at a time; null when it is so already. */
function declined(memory: Memory, now: string, decline: Decline): Memory | null {
  const from = memory.properties.decayedAt?.[0] ?? memory.timestamp;
  const importance = decline(memory.importance, from);
  if (importance === memory.importance) return null;
  return { ...memory, importance, properties: { ...memory.properties, decayedAt: [now] } };
}

async function liveMarked(store: Repositories, mark: Mark, projectId: string): Promise<Memory[]> {
  return (await store.patterns.listAll(mark, projectId)).filter(
    (memory) => getMemoryStatus(memory) === "live",
  );
}

async function planDuplicates(
  store: Repositories,
  patterns: readonly Memory[],
  embed: Embed,
): Promise<PatternMerge[]> {
  return planPatternMerges(await mergeable(patterns, embed), await contradictionsOf(store, patterns));
}
