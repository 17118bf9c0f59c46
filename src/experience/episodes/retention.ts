// Retention of episodes: importance decays, after a week a summary replaces the action log, after a month an unreferenced
// episode is archived. Errors, files and outcome stay unchanged.
import { DAY_MS } from "../../kernel/time";
import { clip, collapseWhitespace } from "../../language/normalise-text";
import { endSentence, stripEndPunctuation } from "../../language/sentences";
import type { Memory } from "../../memories/memory-schemas";
import type { Action, Episode, EpisodeError } from "./episode-schemas";

const SUMMARISE_AFTER_DAYS = 7;
const ARCHIVE_AFTER_DAYS = 30;

type Retention = "keep" | "summarise" | "archive";

/** Returns an episode as of a maintenance run: decayed, summarised or archived; null if it stays the same. */
export function ageEpisode(episode: Episode, schedule: DecaySchedule, referenced: boolean): Episode | null {
  const from = episode.decayed_at ?? episode.timestamp;
  const importance = decayOnSchedule(episode.importance, from, schedule);
  const retention = decideRetention(episode, schedule.now, referenced);
  if (retention === "keep" && importance === episode.importance) return null;
  // An episode is summarised at the latest when it is archived.
  const retained = retention === "keep" ? episode : summariseEpisode(episode);
  return {
    ...retained,
    importance,
    decayed_at: importance === episode.importance ? episode.decayed_at : schedule.now,
    ...(retention === "archive" && { archived: true, archived_at: schedule.now }),
  };
}

/** Returns the action that is due for an episode at `now`. */
export function decideRetention(
  { timestamp, summarised, archived }: Pick<Episode, "timestamp" | "summarised" | "archived">,
  now: string,
  referenced: boolean,
): Retention {
  const days = (Date.parse(now) - Date.parse(timestamp)) / DAY_MS;
  if (archived) return "keep";
  if (days > ARCHIVE_AFTER_DAYS && !referenced) return "archive";
  return days > SUMMARISE_AFTER_DAYS && !summarised ? "summarise" : "keep";
}

/** Characters of a summary, and of its parts, so that none displaces another. */
const SUMMARY_CHARS = 1_000;
const PART_CHARS = { goal: 240, did: 240, error: 150, errors: 320, made: 140 } as const;

/** Replaces the action log with a summary; an episode that is summarised already stays the same. */
export function summariseEpisode(episode: Episode): Episode {
  if (episode.summarised) return episode;
  return { ...episode, action_log: [], summary: renderSummary(episode), summarised: true };
}

function renderSummary(episode: Episode): string {
  const { context, outcome, duration_seconds, action_log, errors_encountered, artifacts_produced } = episode;
  const time = duration_seconds === null ? "" : ` after ${renderDuration(duration_seconds)}`;
  const parts = [
    `${stripEndPunctuation(clip(collapseWhitespace(context.goal), PART_CHARS.goal))}: ${outcome}${time}.`,
    renderPart("Did", countActions(action_log).join(", "), PART_CHARS.did),
    renderPart("Met", errors_encountered.map(renderEpisodeError).join("; "), PART_CHARS.errors),
    renderPart("Made", artifacts_produced.join(", "), PART_CHARS.made),
  ];
  return clip(parts.filter((part) => part !== "").join(" "), SUMMARY_CHARS);
}

function renderPart(label: string, text: string, max: number): string {
  return text === "" ? "" : `${label} ${endSentence(clip(collapseWhitespace(text), max))}`;
}

/** Lists actions with their counts, such as "run_test ×2", in the order of first use. */
function countActions(actions: readonly Action[]): string[] {
  const counts = new Map<string, number>();
  for (const { action } of actions) counts.set(action, (counts.get(action) ?? 0) + 1);
  return [...counts].map(([action, count]) => (count === 1 ? action : `${action} ×${count}`));
}

function renderEpisodeError({ type, message, resolution }: EpisodeError): string {
  const text =
    message === ""
      ? stripEndPunctuation(type)
      : `${stripEndPunctuation(type)}: ${stripEndPunctuation(message)}`;
  const error = clip(text, PART_CHARS.error);
  return resolution === null
    ? `${error} (not resolved)`
    : `${error} (resolved: ${clip(stripEndPunctuation(resolution), PART_CHARS.error)})`;
}

function renderDuration(seconds: number): string {
  if (Math.round(seconds) < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Importance decays by a factor of e^(-rate) per period, down to the floor. */
const DECAY_RATE = 0.1;
const DECAY_PERIOD_DAYS = 30;
export const IMPORTANCE_FLOOR = 0.01;

/** Returns the importance at `to` of an item whose importance was set at `from`. Consecutive spans compose. */
export function decayImportance(importance: number, from: string, to: string): number {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
  // The floor stops the decay; it does not raise an importance that was set lower.
  if (days <= 0 || importance <= IMPORTANCE_FLOOR) return importance;
  return Math.max(IMPORTANCE_FLOOR, importance * Math.exp((-DECAY_RATE * days) / DECAY_PERIOD_DAYS));
}

/** When a maintenance run takes place, and the age in days from which it updates an importance. */
export type DecaySchedule = { now: string; intervalDays: number };

/** Returns the importance at the time of a run; unchanged if it was set less than an interval ago. */
function decayOnSchedule(importance: number, from: string, { now, intervalDays }: DecaySchedule): number {
  const recent = Date.parse(now) - Date.parse(from) < intervalDays * DAY_MS;
  return recent ? importance : decayImportance(importance, from, now);
}

/** Returns a pattern or learning with its importance decayed; null if it stays the same. */
export function decayMemory(memory: Memory, schedule: DecaySchedule): Memory | null {
  const from = memory.properties.decayedAt?.[0] ?? memory.timestamp;
  const importance = decayOnSchedule(memory.importance, from, schedule);
  if (importance === memory.importance) return null;
  return { ...memory, importance, properties: { ...memory.properties, decayedAt: [schedule.now] } };
}
