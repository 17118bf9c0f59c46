// Maintenance of one project: importance declines, old episodes are summarised and set aside, what says the same
// becomes one. Each page can be repeated: a second run at the same time finds nothing to do.
import { decayed } from "../experience/decay";
import { planMerges } from "../experience/matching";
import { retentionOf, summariseEpisode } from "../experience/retention";
import { EXPERIENCE } from "../limits";
import { statusOf } from "../long-term/rows";
import type { LongTermStore } from "../long-term/store";
import type { Episode, MaintenanceAnswer } from "../schemas/experience";
import type { Memory } from "../schemas/memory";
import { contradictionsOf } from "./consolidation";
import { mergeable } from "./plan";
import type { Embed } from "./vectors";

type Done = { summarised: string[]; archived: string[]; merged: string[]; decayed: number };

export async function maintainProject(
  store: LongTermStore,
  { project_id, now }: { project_id: string; now: string },
  embed: Embed | null,
): Promise<MaintenanceAnswer> {
  const done: Done = { summarised: [], archived: [], merged: [], decayed: 0 };
  await maintainEpisodes(store, project_id, now, done);
  const patterns = await store.allMarked("category", project_id);
  const learnings = await store.allMarked("trigger", project_id);
  const live = [...patterns, ...learnings].filter((memory) => statusOf(memory) === "live");
  const declined = await store.changeAll(
    live.filter((memory) => declineOf(memory, now) !== null).map(({ id }) => id),
    (memory) => declineOf(memory, now),
  );
  done.decayed += declined.length;
  if (embed !== null) done.merged = await mergeDuplicates(store, patterns, embed);
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
  store: LongTermStore,
  projectId: string,
  now: string,
  done: Done,
): Promise<void> {
  for (let after: { timestamp: string; id: string } | null = null; ; ) {
    const window = { since: BEGINNING, until: now, after, limit: EXPERIENCE.page };
    const page = await store.episodesInOrder(projectId, window);
    const referred = await store.referredTo(page.map(({ id }) => id));
    const change = (episode: Episode) => aged(episode, now, referred.has(episode.id));
    const due = page.filter((episode) => change(episode) !== null);
    const before = new Map(due.map((episode) => [episode.id, episode]));
    for (const episode of await store.changeEpisodes([...before.keys()], change)) {
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

/** An episode as it is at a time; null when it is so already. */
function aged(episode: Episode, now: string, referred: boolean): Episode | null {
  const from = episode.decayed_at ?? episode.timestamp;
  const importance = decayed(episode.importance, from, now);
  const keep = retentionOf(episode, now, referred);
  if (keep === "keep" && importance === episode.importance) return null;
  const kept = keep === "keep" || episode.summarised ? episode : summariseEpisode(episode);
  return {
    ...kept,
    importance,
    decayed_at: now > from ? now : from,
    ...(keep === "archive" && { archived: true, archived_at: now }),
  };
}

/** A pattern or a learning as it is at a time; null when it is so already. */
function declineOf(memory: Memory, now: string): Memory | null {
  const from = memory.properties.decayedAt?.[0] ?? memory.timestamp;
  const importance = decayed(memory.importance, from, now);
  if (importance === memory.importance) return null;
  return { ...memory, importance, properties: { ...memory.properties, decayedAt: [now] } };
}

async function mergeDuplicates(
  store: LongTermStore,
  patterns: readonly Memory[],
  embed: Embed,
): Promise<string[]> {
  const live = patterns.filter((memory) => statusOf(memory) === "live");
  const merges = planMerges(await mergeable(live, embed), await contradictionsOf(store, live));
  const merged: string[] = [];
  for (const { keep, others } of merges) merged.push(...(await store.mergeMemories(keep, others)));
  return merged;
}
