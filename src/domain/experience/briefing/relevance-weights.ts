// What each kind of memory is worth to each kind of task, and the score that comes of it.

import { EXPERIENCE } from "../../../limits";
import { DAY_MS } from "../../../platform/time";
import type { Episode } from "../../../schemas/episode";
import type { BriefingList } from "./detail-levels";
import type { BriefingKind } from "./task-kind";

export const RELEVANCE_WEIGHTS: Readonly<Record<BriefingKind, Readonly<Record<BriefingList, number>>>> = {
  exploration: { episodes: 0.6, patterns: 0.3, skills: 0.1, lessons: 0 },
  implementation: { episodes: 0.15, patterns: 0.5, skills: 0.35, lessons: 0 },
  debugging: { episodes: 0.4, patterns: 0.2, skills: 0, lessons: 0.4 },
  review: { episodes: 0.3, patterns: 0.5, skills: 0, lessons: 0.2 },
  refactoring: { episodes: 0.25, patterns: 0.45, skills: 0.3, lessons: 0 },
  general: { episodes: 0.3, patterns: 0.5, skills: 0.2, lessons: 0 },
};

export type ScoreFactors = {
  /** How near it is to the goal, from 0 to 1. */
  relevance: number;
  importance: number;
  confidence: number;
  timestamp: string;
};

/** To four places. `now` is in milliseconds. */
export function computeScore(merits: ScoreFactors, weight: number, now: number): number {
  const { relevance, importance, confidence, timestamp } = merits;
  const score =
    weight * relevance * (0.7 + 0.3 * importance) * confidence * computeRecencyBoost(timestamp, now);
  return Math.round(score * 10_000) / 10_000;
}

/** What is dated in the future is of now. */
function computeRecencyBoost(timestamp: string, now: number): number {
  const { lift, days } = EXPERIENCE.recency;
  const age = Math.max(0, (now - Date.parse(timestamp)) / DAY_MS);
  return 1 + lift * Math.max(0, 1 - age / days);
}

const OUTCOME_WEIGHTS: Readonly<Record<Episode["outcome"], number>> = {
  success: 1,
  partial: 0.9,
  failure: 0.8,
};

/** What went well is the better example; but whoever debugs learns as much from a failure that says what helped. */
export function weighOutcome(
  episode: Pick<Episode, "outcome" | "errors_encountered">,
  kind: BriefingKind,
): number {
  const resolved = episode.errors_encountered.some(({ resolution }) => resolution !== null);
  return kind === "debugging" && resolved ? 1 : OUTCOME_WEIGHTS[episode.outcome];
}
