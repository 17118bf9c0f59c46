// What to know before a task: the candidates scored for its kind, told in layers within the budget.

import type { Layer, PrimeAnswer } from "../../../schemas/briefing";
import type { Episode } from "../../../schemas/episode";
import type { Learning } from "../../../schemas/learning";
import type { Pattern } from "../../../schemas/pattern";
import type { Skill } from "../../../schemas/skill";
import { byRank, type Item, type List, layered } from "./detail-levels";
import { episodeWorth, type Merits, scoreOf, WEIGHTS } from "./relevance-weights";
import { tellEpisode, tellLesson, tellPattern, tellSkill } from "./render-briefing";
import type { Kind } from "./task-kind";

/** Something that may be worth telling, and how near it is to the goal, from 0 to 1. */
export type Candidate<T> = { of: T; relevance: number };

export type Candidates = {
  patterns: readonly Candidate<Pattern>[];
  /** Anti-patterns and learnings. */
  lessons: readonly Candidate<Pattern | Learning>[];
  skills: readonly Candidate<Skill>[];
  episodes: readonly Candidate<Episode>[];
};

export type Preparation = {
  kind: Kind;
  candidates: Candidates;
  /** In tokens. */
  budget: number;
  /** In milliseconds. */
  now: number;
};

export function prepare({ kind, candidates, budget, now }: Preparation): Omit<PrimeAnswer, "degraded"> {
  const scored = (list: List, merits: Merits) => ({
    list,
    score: scoreOf(merits, WEIGHTS[kind][list], now),
    merit: scoreOf(merits, 1, now),
  });
  const patterns = candidates.patterns.map(({ of, relevance }) =>
    ready(scored("patterns", { relevance, ...patternMerits(of) }), (layer) => tellPattern(of, layer)),
  );
  const lessons = candidates.lessons.map(({ of, relevance }) =>
    ready(scored("lessons", { relevance, ...lessonMerits(of) }), (layer) => tellLesson(of, layer)),
  );
  const skills = candidates.skills.map(({ of, relevance }) =>
    ready(scored("skills", { relevance, ...skillMerits(of) }), (layer) => tellSkill(of, layer)),
  );
  const episodes = candidates.episodes.map(({ of, relevance }) =>
    ready(scored("episodes", { relevance, ...episodeMerits(of, kind) }), (layer) => tellEpisode(of, layer)),
  );
  const { told, prompt, tokens } = layered([...patterns, ...lessons, ...skills, ...episodes], budget);
  const entries = <E>(items: readonly Ready<E>[]) =>
    items.toSorted(byRank).flatMap((item) => {
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

type Ready<E> = Item & { entries: Readonly<Record<Layer, E & { layer: Layer; score: number }>> };

/** An item as it would be told at each layer. */
function ready<E extends { id: string; text: string }>(
  scored: Pick<Item, "list" | "score" | "merit">,
  tell: (layer: Layer) => E,
): Ready<E> {
  const at = (layer: Layer) => ({ ...tell(layer), layer, score: scored.score });
  const entries = { index: at("index"), timeline: at("timeline"), full: at("full") };
  const { index, timeline, full } = entries;
  return {
    ...scored,
    id: index.id,
    texts: { index: index.text, timeline: timeline.text, full: full.text },
    entries,
  };
}

type Own = Omit<Merits, "relevance">;

/** What is in use is of today, however long ago it was found. */
function patternMerits({ importance, confidence, last_used, created_at }: Pattern): Own {
  return { importance, confidence, timestamp: last_used ?? created_at };
}

function lessonMerits(lesson: Pattern | Learning): Own {
  if (!("trigger" in lesson)) return patternMerits(lesson);
  const { importance, confidence, last_seen } = lesson;
  return { importance, confidence, timestamp: last_seen };
}

/** A skill was written down by somebody who knows it. */
function skillMerits({ importance, last_used, updated_at }: Skill): Own {
  return { importance, confidence: 1, timestamp: last_used ?? updated_at };
}

function episodeMerits(episode: Episode, kind: Kind): Own {
  const { importance, timestamp } = episode;
  return { importance, confidence: episodeWorth(episode, kind), timestamp };
}
