// What becomes of an episode as it grows old: its steps give way to a summary, then it leaves sight, unless something
// refers to it. Its errors, files and outcome stay as they are.

import { EXPERIENCE } from "../../../limits";
import { DAY_MS } from "../../../platform/time";
import type { Action, Episode, EpisodeError } from "../../../schemas/episode";
import { clip, collapseWhitespace } from "../../../text/normalise-text";
import { endSentence, stripEndPunctuation } from "../../../text/sentences";

export type Retention = "keep" | "summarise" | "archive";

/**
 * What is due at `now`. An episode that was never summarised when it is due for the archive is put there summarised:
 * whoever archives it applies `summariseEpisode`, which leaves a summarised one as it is.
 */
export function decideRetention(
  { timestamp, summarised, archived }: Pick<Episode, "timestamp" | "summarised" | "archived">,
  now: string,
  referenced: boolean,
): Retention {
  const days = (Date.parse(now) - Date.parse(timestamp)) / DAY_MS;
  if (archived) return "keep";
  if (days > EXPERIENCE.archiveDays && !referenced) return "archive";
  return days > EXPERIENCE.wholeDays && !summarised ? "summarise" : "keep";
}

/** Characters of a summary, and of its parts, so that none pushes out another. */
const SUMMARY_CHARS = 1_000;
const PART = { goal: 240, did: 240, error: 150, errors: 320, made: 140 } as const;

export function summariseEpisode(episode: Episode): Episode {
  if (episode.summarised) return episode;
  return { ...episode, action_log: [], summary: renderSummary(episode), summarised: true };
}

function renderSummary(episode: Episode): string {
  const { context, outcome, duration_seconds, action_log, errors_encountered, artifacts_produced } = episode;
  const time = duration_seconds === null ? "" : ` after ${renderDuration(duration_seconds)}`;
  const parts = [
    `${stripEndPunctuation(clip(collapseWhitespace(context.goal), PART.goal))}: ${outcome}${time}.`,
    renderPart("Did", countActions(action_log).join(", "), PART.did),
    renderPart("Met", errors_encountered.map(renderEpisodeError).join("; "), PART.errors),
    renderPart("Made", artifacts_produced.join(", "), PART.made),
  ];
  return clip(parts.filter((part) => part !== "").join(" "), SUMMARY_CHARS);
}

function renderPart(label: string, said: string, max: number): string {
  return said === "" ? "" : `${label} ${endSentence(clip(collapseWhitespace(said), max))}`;
}

/** "read_file, run_test ×2", in the order of their first use. */
function countActions(actions: readonly Action[]): string[] {
  const counts = new Map<string, number>();
  for (const { action } of actions) counts.set(action, (counts.get(action) ?? 0) + 1);
  return [...counts].map(([action, count]) => (count === 1 ? action : `${action} ×${count}`));
}

function renderEpisodeError({ type, message, resolution }: EpisodeError): string {
  const said =
    message === ""
      ? stripEndPunctuation(type)
      : `${stripEndPunctuation(type)}: ${stripEndPunctuation(message)}`;
  const met = clip(said, PART.error);
  return resolution === null
    ? `${met} (not resolved)`
    : `${met} (resolved: ${clip(stripEndPunctuation(resolution), PART.error)})`;
}

function renderDuration(seconds: number): string {
  if (Math.round(seconds) < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
