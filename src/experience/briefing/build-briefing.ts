// Builds the briefing before a task: scores the candidates for its kind and renders them at levels of detail that fit
// the token budget.
import { DAY_MS } from "../../kernel/time";
import { normaliseContent } from "../../language/normalise-text";
import type { Memory } from "../../memories/memory-schemas";
import type { Episode } from "../episodes/episode-schemas";
import type { Learning, Pattern } from "../patterns/pattern-schemas";
import type { StoredSkill } from "../skills/skill-schemas";
import type { DetailLevel, PrimeAnswer, PrimedVia } from "./briefing-schemas";
import { type BriefingItem, type BriefingList, compareRank, fitToBudget } from "./detail-levels";
import { renderEpisode, renderFact, renderLesson, renderPattern, renderSkill } from "./render-briefing";
import type { BriefingKind } from "./task-kind";

/** An item that may go into the briefing, with its relevance to the goal, from 0 to 1, and the link that led to it. */
export type BriefingCandidate<T> = { of: T; relevance: number; via?: NonNullable<PrimedVia> };

export type BriefingCandidates = {
  /** Patterns, and facts and decisions as memories. */
  patterns: readonly BriefingCandidate<Pattern | Memory>[];
  /** Anti-patterns and learnings. */
  lessons: readonly BriefingCandidate<Pattern | Learning>[];
  skills: readonly BriefingCandidate<StoredSkill>[];
  episodes: readonly BriefingCandidate<Episode>[];
};

type BriefingInput = {
  kind: BriefingKind;
  candidates: BriefingCandidates;
  /** In tokens. */
  budget: number;
  /** Maximum number of items in all lists together; by default each list has its own. */
  limit?: number;
  /** In milliseconds. */
  now: number;
};

/** Builds the response of prime, and its prompt in Markdown. */
export function buildBriefing({
  kind,
  candidates,
  budget,
  limit,
  now,
}: BriefingInput): Omit<PrimeAnswer, "degraded"> {
  const score = (list: BriefingList, factors: ScoreFactors) => ({
    list,
    score: computeScore(factors, RELEVANCE_WEIGHTS[kind][list], now),
    unweightedScore: computeScore(factors, 1, now),
  });
  const patterns = candidates.patterns.map(({ of, relevance, via }) =>
    renderLevels(score("patterns", { relevance, ...getPatternFactors(of) }), via, (level) =>
      "content" in of ? renderFact(of, level) : renderPattern(of, level),
    ),
  );
  const lessons = dropRepeatedLessons(candidates.lessons).map(({ of, relevance, via }) =>
    renderLevels(score("lessons", { relevance, ...getLessonFactors(of) }), via, (level) =>
      renderLesson(of, level),
    ),
  );
  const skills = candidates.skills.map(({ of, relevance, via }) =>
    renderLevels(score("skills", { relevance, ...getSkillFactors(of) }), via, (level) =>
      renderSkill(of, level),
    ),
  );
  const episodes = candidates.episodes.map(({ of, relevance, via }) =>
    renderLevels(score("episodes", { relevance, ...getEpisodeFactors(of, kind) }), via, (level) =>
      renderEpisode(of, level),
    ),
  );
  const { levels, prompt, tokens } = fitToBudget(
    [...patterns, ...lessons, ...skills, ...episodes],
    budget,
    limit,
  );
  const listEntries = <E>(items: readonly RenderedItem<E>[]) =>
    items.toSorted(compareRank).flatMap((item) => {
      const level = levels.get(item);
      return level === undefined ? [] : [item.entries[level]];
    });
  return {
    kind,
    relevant_patterns: listEntries(patterns),
    avoid_these: listEntries(lessons),
    applicable_skills: listEntries(skills),
    similar_episodes: listEntries(episodes),
    prompt,
    tokens,
  };
}

type RenderedItem<E> = BriefingItem & {
  entries: Readonly<Record<DetailLevel, E & { layer: DetailLevel; score: number }>>;
};

/** Renders an item at every level of detail. */
function renderLevels<E extends { id: string; text: string }>(
  ranking: Pick<BriefingItem, "list" | "score" | "unweightedScore">,
  via: PrimedVia,
  render: (level: DetailLevel) => E,
): RenderedItem<E> {
  const at = (level: DetailLevel) => ({
    ...render(level),
    layer: level,
    score: ranking.score,
    ...(via !== undefined && { via }),
  });
  const entries = { index: at("index"), timeline: at("timeline"), full: at("full") };
  const { index, timeline, full } = entries;
  return {
    ...ranking,
    id: index.id,
    texts: { index: index.text, timeline: timeline.text, full: full.text },
    entries,
  };
}

type LessonCandidate = BriefingCandidates["lessons"][number];

/**
 * Keeps one of several lessons on the same failure and cause, with the highest relevance of all: a resolved error gives
 * both an anti-pattern and a learning.
 */
function dropRepeatedLessons(lessons: readonly LessonCandidate[]): LessonCandidate[] {
  const groups = Map.groupBy(lessons, ({ of }) => toLessonKey(of));
  return [...groups.values()].flatMap((same) => {
    const [best] = same.toSorted((a, b) => rateLesson(b) - rateLesson(a));
    return best === undefined
      ? []
      : [{ ...best, relevance: Math.max(...same.map(({ relevance }) => relevance)) }];
  });
}

/** Rates an extracted learning below all others: it says no more than the anti-pattern of the same error. */
function rateLesson({ of, relevance }: LessonCandidate): number {
  const isExtracted = "trigger" in of && of.fix === of.prevention;
  return isExtracted ? 0 : relevance * of.confidence;
}

function toLessonKey(lesson: Pattern | Learning): string {
  const [fails, why] =
    "trigger" in lesson
      ? [lesson.trigger, lesson.root_cause]
      : [lesson.what_fails ?? lesson.pattern, lesson.why];
  return JSON.stringify([fails, why ?? ""].map(normaliseContent));
}

type OwnFactors = Omit<ScoreFactors, "relevance">;

/** The last use counts as the date: a pattern in use is current, no matter when it was found. */
function getPatternFactors(pattern: Pattern | Memory): OwnFactors {
  const { importance, confidence } = pattern;
  if ("content" in pattern) return { importance, confidence, timestamp: pattern.timestamp };
  return { importance, confidence, timestamp: pattern.last_used ?? pattern.created_at };
}

function getLessonFactors(lesson: Pattern | Learning): OwnFactors {
  if (!("trigger" in lesson)) return getPatternFactors(lesson);
  const { importance, confidence, last_seen } = lesson;
  return { importance, confidence, timestamp: last_seen };
}

/** A skill has no confidence of its own: its author vouches for it. */
function getSkillFactors({ importance, last_used, updated_at }: StoredSkill): OwnFactors {
  return { importance, confidence: 1, timestamp: last_used ?? updated_at };
}

function getEpisodeFactors(episode: Episode, kind: BriefingKind): OwnFactors {
  const { importance, timestamp } = episode;
  return { importance, confidence: weighOutcome(episode, kind), timestamp };
}

/** Weights of the lists by kind of task. */
export const RELEVANCE_WEIGHTS: Readonly<Record<BriefingKind, Readonly<Record<BriefingList, number>>>> = {
  exploration: { episodes: 0.6, patterns: 0.3, skills: 0.1, lessons: 0 },
  implementation: { episodes: 0.15, patterns: 0.5, skills: 0.35, lessons: 0 },
  debugging: { episodes: 0.4, patterns: 0.2, skills: 0, lessons: 0.4 },
  review: { episodes: 0.3, patterns: 0.5, skills: 0, lessons: 0.2 },
  refactoring: { episodes: 0.25, patterns: 0.45, skills: 0.3, lessons: 0 },
  general: { episodes: 0.3, patterns: 0.5, skills: 0.2, lessons: 0 },
};

type ScoreFactors = {
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
