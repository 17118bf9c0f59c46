// Rank fusion: combines lexical, semantic and other signals into one explained score per candidate. Pure.
import type { Signals } from "../../kernel/common";
import { DAY_MS } from "../../kernel/time";
import { findSpeakerName } from "../../language/questions";
import { scoreTimeProximity, type TimeRange } from "../../language/times/time-ranges";
import type { RankingOptions } from "../../memories/memory-schemas";
import { addPackedUsage } from "../../memories/usage/usage-counts";
import type { CorpusKind } from "./corpus";
import { createTextSignals, measureSessionSupport } from "./term-coverage";

// Detects ranking signals in a query: the one speaker it names, and the times it mentions.

/** A candidate as its speaker is detected: a memory may name who it is by, or of whom it speaks, in its text. */
type SpokenText = { kind: CorpusKind; name: string | null; text: string | null };

type QuerySignals = {
  /** Whether the text is by the only speaker that the query names, or a memory that speaks of this person. */
  matchesSpeaker(spoken: SpokenText): boolean;
  /** Returns how well a date fits the times that the query mentions, from 0 to 1. */
  scoreDate(timestamp: string): number;
};

/** `times` are those of the query. */
export function detectQuerySignals(
  query: string,
  candidates: readonly SpokenText[],
  times: readonly TimeRange[],
): QuerySignals {
  const queryWords = new Set(splitWords(query));
  const named = new Set<string>();
  for (const name of new Set(candidates.map(findSpeaker)))
    if (name !== null && splitWords(name).some((word) => queryWords.has(word))) named.add(name);
  const [only = ""] = named;
  const words = splitWords(only).filter((word) => queryWords.has(word));
  return {
    matchesSpeaker: (spoken) => {
      if (named.size !== 1) return false;
      if (findSpeaker(spoken) === only) return true;
      return spoken.kind === "memory" && splitWords(spoken.text ?? "").some((word) => words.includes(word));
    },
    scoreDate: (timestamp) => scoreTimeProximity(times, timestamp),
  };
}

/** Returns who a message or memory is by: of a memory, the name before its statement, or its user. */
function findSpeaker({ kind, name, text }: SpokenText): string | null {
  return kind === "memory" ? (findSpeakerName(text ?? "") ?? name) : name;
}

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A matching row, reduced to the columns that the ranking reads. */
export type SearchCandidate = {
  kind: CorpusKind;
  seq: number;
  timestamp: string;
  /** The date that the row is about: `valid_from` of a memory, otherwise the timestamp. */
  day: string;
  name: string | null;
  role: string | null;
  /** Null for episodes, and for memories without one. */
  session_id: string | null;
  /** The beginning of the text of a memory or message; null for episodes. */
  text: string | null;
  /** Null for messages. */
  importance: number | null;
  confidence: number | null;
  /** Null for messages and episodes. */
  access_count: number | null;
  /** Usage that is added to importance and access count, as the store packs it. */
  usage?: string | null;
  /** The FTS5 rank: negative, lower is better. */
  bm25: number | null;
  /** The share of the query's terms that stand only within words of the row. */
  parts: number;
  cosine: number | null;
};

export type RankedCandidate<T extends SearchCandidate> = { candidate: T; score: number; signals: Signals };

/**
 * Lexical score first; semantic similarity adds the rows without a common term, and the other signals break near-ties.
 * The same weights serve all kinds of conversation: see docs/decisions/0008-ranking.md.
 */
export const RANKING_WEIGHTS = {
  lexical: 1,
  speaker: 0.5,
  date: 0.2,
  when: 0.2,
  count: 0.2,
  session: 0.3,
  length: 0.05,
  question: -0.05,
  recency: 0.15,
  importance: 0.05,
  access: 0.03,
} as const;

/** Counted back from the newest candidate. */
const RECENCY_HALF_LIFE_DAYS = 14;

/** Accesses that give half of the access signal: it grows ever more slowly, so that use alone ranks nothing first. */
const HALF_ACCESSES = 10;

/** The constant k of reciprocal rank fusion, as in its paper. */
const RRF_K = 60;

export type SearchMode = "text" | "semantic" | "hybrid";

export type RankOptions = {
  query: string;
  mode: SearchMode;
  ranking: RankingOptions;
  /** The cosine similarity assumed for candidates without a semantic match. */
  cutOff: Partial<Record<CorpusKind, number>>;
  /** The times that the query mentions. */
  times?: readonly TimeRange[];
};

export function rankCandidates<T extends SearchCandidate>(
  candidates: readonly T[],
  options: RankOptions,
): RankedCandidate<T>[] {
  const { query, mode, ranking, times = [] } = options;
  const querySignals = detectQuerySignals(query, candidates, times);
  const dates = new Map(candidates.map((one) => [one, querySignals.scoreDate(one.day)]));
  // Who asks about last week does not ask for the newest, unless nothing is from then.
  const ignoresRecency = times.some(({ isRelative }) => isRelative) && Math.max(0, ...dates.values()) > 0;
  const newest = Math.max(...candidates.map(({ timestamp }) => Date.parse(timestamp)));
  const fuse = createFusion(candidates, options);
  const detectTextSignals = createTextSignals(query);
  const getSupport = measureSessionSupport(candidates);
  return candidates
    .map((candidate) => {
      const { timestamp, role, confidence, cosine, text } = candidate;
      const { importance, access_count } = addUsage(candidate);
      const recency = ignoresRecency ? 0 : computeRecency(timestamp, newest);
      const speaker = querySignals.matchesSpeaker(candidate);
      const date = RANKING_WEIGHTS.date * (dates.get(candidate) ?? 0);
      const access = computeAccess(access_count ?? 0);
      const support = getSupport(candidate);
      const own = text === null ? null : detectTextSignals(text);
      const { lexical, score } = fuse(candidate);
      const total =
        score +
        (speaker ? RANKING_WEIGHTS.speaker : 0) +
        date +
        (own?.answersWhen ? RANKING_WEIGHTS.when : 0) +
        (own?.answersCount ? RANKING_WEIGHTS.count : 0) +
        (own?.asks ? RANKING_WEIGHTS.question : 0) +
        RANKING_WEIGHTS.length * (own?.length ?? 0) +
        RANKING_WEIGHTS.session * support +
        RANKING_WEIGHTS.recency * recency +
        RANKING_WEIGHTS.importance * (importance ?? 0) * (confidence ?? 0) +
        RANKING_WEIGHTS.access * access +
        (role === "user" ? ranking.user_prior : 0);
      const signals: Signals = {
        ...(isLexicalMatch(candidate) ? { lexical: roundScore(lexical) } : {}),
        ...(cosine === null ? {} : { semantic: roundScore(cosine) }),
        ...(speaker ? { speaker: RANKING_WEIGHTS.speaker } : {}),
        ...(date > 0 ? { date: roundScore(date) } : {}),
        ...(own?.answersWhen ? { when: RANKING_WEIGHTS.when } : {}),
        ...(own?.answersCount ? { count: RANKING_WEIGHTS.count } : {}),
        ...(own?.asks ? { question: RANKING_WEIGHTS.question } : {}),
        ...(own === null ? {} : { length: roundScore(own.length) }),
        ...(support === 0 ? {} : { session: roundScore(support) }),
        recency: roundScore(recency),
        ...(importance === null ? {} : { importance: roundScore(importance) }),
        ...(access_count === null ? {} : { access: roundScore(access) }),
        mode,
      };
      return { candidate, score: roundScore(total), signals };
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        Date.parse(b.candidate.timestamp) - Date.parse(a.candidate.timestamp) ||
        b.candidate.seq - a.candidate.seq ||
        // Sequence numbers are unique only within a kind.
        (a.candidate.kind < b.candidate.kind ? -1 : 1),
    );
}

/** Returns the importance and access count of a row with its usage. */
function addUsage({ importance, access_count, usage }: SearchCandidate) {
  if (importance === null) return { importance, access_count };
  const used = addPackedUsage({ count: access_count ?? 0, last: null, importance }, usage);
  return { importance: used.importance, access_count: access_count === null ? null : used.count };
}

/** Whether lexical search found a row: by its words, or by parts of them. */
function isLexicalMatch({ bm25, parts }: SearchCandidate): boolean {
  return bm25 !== null || parts > 0;
}

/** Returns the function that fuses lexical and semantic scores. Lexical scores are relative to the best of the kind. */
function createFusion(
  candidates: readonly SearchCandidate[],
  { ranking, cutOff }: RankOptions,
): (candidate: SearchCandidate) => { lexical: number; score: number } {
  const best = new Map<CorpusKind, number>();
  for (const { kind, bm25 } of candidates) best.set(kind, Math.min(best.get(kind) ?? 0, bm25 ?? 0));
  const addParts = ({ kind, bm25, parts }: SearchCandidate) => {
    const lowest = best.get(kind) ?? 0;
    return parts + (bm25 === null ? 0 : lowest === 0 ? 1 : bm25 / lowest);
  };
  const highest = new Map<CorpusKind, number>();
  for (const candidate of candidates)
    highest.set(candidate.kind, Math.max(highest.get(candidate.kind) ?? 1, addParts(candidate)));
  const computeLexical = (candidate: SearchCandidate) =>
    addParts(candidate) / (highest.get(candidate.kind) ?? 1);
  if (ranking.fusion === "rrf") {
    const lexicalRanks = computeRanks(candidates, (candidate) =>
      isLexicalMatch(candidate) ? computeLexical(candidate) : null,
    );
    const semanticRanks = computeRanks(candidates, ({ cosine }) => cosine);
    const reciprocal = (rank: number | undefined) => (rank === undefined ? 0 : (RRF_K + 1) / (RRF_K + rank));
    return (candidate) => ({
      lexical: computeLexical(candidate),
      score:
        reciprocal(lexicalRanks.get(candidate)) +
        ranking.semantic_weight * reciprocal(semanticRanks.get(candidate)),
    });
  }
  return (candidate) => {
    const lexical = computeLexical(candidate);
    const semantic = candidate.cosine === null ? 0 : candidate.cosine - (cutOff[candidate.kind] ?? 0);
    return { lexical, score: RANKING_WEIGHTS.lexical * lexical + ranking.semantic_weight * semantic };
  };
}

/** Returns ranks from 1, best first; equal scores share a rank. */
function computeRanks(
  candidates: readonly SearchCandidate[],
  getScore: (candidate: SearchCandidate) => number | null,
): Map<SearchCandidate, number> {
  const scored = candidates.flatMap((candidate) => {
    const score = getScore(candidate);
    return score === null ? [] : [{ candidate, score }];
  });
  scored.sort((a, b) => b.score - a.score);
  const ranks = new Map<number, number>();
  for (const [i, { score }] of scored.entries()) if (!ranks.has(score)) ranks.set(score, i + 1);
  return new Map(scored.map(({ candidate, score }) => [candidate, ranks.get(score) ?? 0]));
}

function computeRecency(timestamp: string, newest: number): number {
  const days = (newest - Date.parse(timestamp)) / DAY_MS;
  return 0.5 ** (days / RECENCY_HALF_LIFE_DAYS);
}

/** Returns the signal of a number of accesses: 0 for none, below 1 for any. */
function computeAccess(count: number): number {
  return count / (count + HALF_ACCESSES);
}

/** Rounds to four decimals, as in answers. */
export function roundScore(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
