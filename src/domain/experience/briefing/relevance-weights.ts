// Relevance scores of briefing items: the weight of each kind of memory for each kind of task, scaled by relevance,
// importance, confidence and recency.

import { DAY_MS } from "../../../platform/time";
import type { Episode } from "../../../schemas/episode";
import type { BriefingList } from "./detail-levels";
import type { BriefingKind } from "./task-kind";

/** Weights of the lists by kind of task. */
export const RELEVANCE_WEIGHTS: Readonly<Record<BriefingKind, Readonly<Record<BriefingList, number>>>> = {
  exploration: { episodes: 0.6, patterns: 0.3, skills: 0.1, lessons: 0 },
  implementation: { episodes: 0.15, patterns: 0.5, skills: 0.35, lessons: 0 },
  debugging: { episodes: 0.4, patterns: 0.2, skills: 0, lessons: 0.4 },
  review: { episodes: 0.3, patterns: 0.5, skills: 0, lessons: 0.2 },
  refactoring: { episodes: 0.25, patterns: 0.45, skills: 0.3, lessons: 0 },
  general: { episodes: 0.3, patterns: 0.5, skills: 0.2, lessons: 0 },
};

export type ScoreFactors = {
  /** Relevance to the goal, from 0 to 1. */
  relevance: number;
  importance: number;
  confidence: number;
  timestamp: string;
};

/** Recency raises a score by at most this share, declining to nothing over this many days. */
const RECENCY_BOOST = 0.1;
const RECENCY_DAYS = 30;

/** Computes a score, rounded to four decimals. `now` is in milliseconds. */
export function computeScore(factors: ScoreFactors, weight: number, now: number): number {
  const { relevance, importance, confidence, timestamp } = factors;
  const score =
    weight * relevance * (0.7 + 0.3 * importance) * confidence * computeRecencyBoost(timestamp, now);
  return Math.round(score * 10_000) / 10_000;
}

/** Returns the factor for recency; a date in the future counts as now. */
function computeRecencyBoost(timestamp: string, now: number): number {
  const age = Math.max(0, (now - Date.parse(timestamp)) / DAY_MS);
  return 1 + RECENCY_BOOST * Math.max(0, 1 - age / RECENCY_DAYS);
}

const OUTCOME_WEIGHTS: Readonly<Record<Episode["outcome"], number>> = {
  success: 1,
  partial: 0.9,
  failure: 0.8,
};

/** Weighs an episode by its outcome: a success is the better example, except for debugging, if errors were resolved. */
export function weighOutcome(
  episode: Pick<Episode, "outcome" | "errors_encountered">,
  kind: BriefingKind,
): number {
  const resolved = episode.errors_encountered.some(({ resolution }) => resolution !== null);
  return kind === "debugging" && resolved ? 1 : OUTCOME_WEIGHTS[episode.outcome];
}
