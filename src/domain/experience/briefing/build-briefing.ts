// What to know before a task: the candidates scored for its kind, told in layers within the budget.

import type { DetailLevel, PrimeAnswer } from "../../../schemas/briefing";
import type { Episode } from "../../../schemas/episode";
import type { Learning } from "../../../schemas/learning";
import type { Pattern } from "../../../schemas/pattern";
import type { Skill } from "../../../schemas/skill";
import { type BriefingItem, type BriefingList, compareRank, fitToBudget } from "./detail-levels";
import { computeScore, RELEVANCE_WEIGHTS, type ScoreFactors, weighOutcome } from "./relevance-weights";
import { renderEpisode, renderLesson, renderPattern, renderSkill } from "./render-briefing";
import type { BriefingKind } from "./task-kind";

/** Something that may be worth telling, and how near it is to the goal, from 0 to 1. */
export type BriefingCandidate<T> = { of: T; relevance: number };

export type BriefingCandidates = {
  patterns: readonly BriefingCandidate<Pattern>[];
  /** Anti-patterns and learnings. */
  lessons: readonly BriefingCandidate<Pattern | Learning>[];
  skills: readonly BriefingCandidate<Skill>[];
  episodes: readonly BriefingCandidate<Episode>[];
};

export type BriefingInput = {
  kind: BriefingKind;
  candidates: BriefingCandidates;
  /** In tokens. */
  budget: number;
  /** In milliseconds. */
  now: number;
};

export function buildBriefing({
  kind,
  candidates,
  budget,
  now,
}: BriefingInput): Omit<PrimeAnswer, "degraded"> {
  const scored = (list: BriefingList, merits: ScoreFactors) => ({
    list,
    score: computeScore(merits, RELEVANCE_WEIGHTS[kind][list], now),
    merit: computeScore(merits, 1, now),
  });
  const patterns = candidates.patterns.map(({ of, relevance }) =>
    renderLevels(scored("patterns", { relevance, ...getPatternFactors(of) }), (layer) =>
      renderPattern(of, layer),
    ),
  );
  const lessons = candidates.lessons.map(({ of, relevance }) =>
    renderLevels(scored("lessons", { relevance, ...getLessonFactors(of) }), (layer) =>
      renderLesson(of, layer),
    ),
  );
  const skills = candidates.skills.map(({ of, relevance }) =>
    renderLevels(scored("skills", { relevance, ...getSkillFactors(of) }), (layer) => renderSkill(of, layer)),
  );
  const episodes = candidates.episodes.map(({ of, relevance }) =>
    renderLevels(scored("episodes", { relevance, ...getEpisodeFactors(of, kind) }), (layer) =>
      renderEpisode(of, layer),
    ),
  );
  const { told, prompt, tokens } = fitToBudget([...patterns, ...lessons, ...skills, ...episodes], budget);
  const entries = <E>(items: readonly RenderedItem<E>[]) =>
    items.toSorted(compareRank).flatMap((item) => {
      const layer = told.get(item);
      return layer === undefined ? [] : [item.entries[layer]];
    });
  return {
    kind,
    relevant_patterns: entries(patterns),
    avoid_these: entries(lessons),
    applicable_skills: entries(skills),
    similar_episodes: entries(episodes),
    prompt,
    tokens,
  };
}

type RenderedItem<E> = BriefingItem & {
  entries: Readonly<Record<DetailLevel, E & { layer: DetailLevel; score: number }>>;
};

/** An item as it would be told at each layer. */
function renderLevels<E extends { id: string; text: string }>(
  scored: Pick<BriefingItem, "list" | "score" | "merit">,
  tell: (layer: DetailLevel) => E,
): RenderedItem<E> {
  const at = (layer: DetailLevel) => ({ ...tell(layer), layer, score: scored.score });
  const entries = { index: at("index"), timeline: at("timeline"), full: at("full") };
  const { index, timeline, full } = entries;
  return {
    ...scored,
    id: index.id,
    texts: { index: index.text, timeline: timeline.text, full: full.text },
    entries,
  };
}

type OwnFactors = Omit<ScoreFactors, "relevance">;

/** What is in use is of today, however long ago it was found. */
function getPatternFactors({ importance, confidence, last_used, created_at }: Pattern): OwnFactors {
  return { importance, confidence, timestamp: last_used ?? created_at };
}

function getLessonFactors(lesson: Pattern | Learning): OwnFactors {
  if (!("trigger" in lesson)) return getPatternFactors(lesson);
  const { importance, confidence, last_seen } = lesson;
  return { importance, confidence, timestamp: last_seen };
}

/** A skill was written down by somebody who knows it. */
function getSkillFactors({ importance, last_used, updated_at }: Skill): OwnFactors {
  return { importance, confidence: 1, timestamp: last_used ?? updated_at };
}

function getEpisodeFactors(episode: Episode, kind: BriefingKind): OwnFactors {
  const { importance, timestamp } = episode;
  return { importance, confidence: weighOutcome(episode, kind), timestamp };
}
