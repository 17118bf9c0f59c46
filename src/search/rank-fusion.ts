// The ranking: what each channel found, as one score that each hit can explain. Pure.
import { DAY_MS } from "../platform/time";
import type { Signals } from "../schemas/common";
import type { RankingOptions } from "../schemas/memory";
import type { CorpusKind } from "./corpus";
import { querySignals } from "./query-signals";

/** Something that was found, with no more of it than the ranking needs. */
export type Candidate = {
  kind: CorpusKind;
  seq: number;
  timestamp: string;
  /** When it was so: a memory may say that itself. */
  day: string;
  name: string | null;
  role: string | null;
  /** Null for messages, which have neither. */
  importance: number | null;
  confidence: number | null;
  /** FTS5's rank: negative, the best the lowest. */
  bm25: number | null;
  cosine: number | null;
};

export type Ranked<T extends Candidate> = { candidate: T; score: number; signals: Signals };

/**
 * The text decides, the meaning finds what it misses, the rest breaks near-ties. Chosen once for all kinds of
 * conversation: see docs/decisions/0008-ranking.md.
 */
export const WEIGHTS = {
  lexical: 1,
  speaker: 0.4,
  date: 0.2,
  recency: 0.15,
  importance: 0.05,
} as const;

/** Recency halves with every so many days before the newest of what was found. */
const RECENCY_HALF_LIFE_DAYS = 14;

/** The constant of reciprocal rank fusion, as its authors have it. */
const RRF_K = 60;

export type Mode = "text" | "semantic" | "hybrid";

export type RankOptions = {
  query: string;
  mode: Mode;
  ranking: RankingOptions;
  /** The cosine of what was not found by meaning. */
  cutOff: Partial<Record<CorpusKind, number>>;
};

export function rank<T extends Candidate>(candidates: readonly T[], options: RankOptions): Ranked<T>[] {
  const { query, mode, ranking } = options;
  const asked = querySignals(
    query,
    candidates.map(({ name }) => name),
  );
  const newest = Math.max(...candidates.map(({ timestamp }) => Date.parse(timestamp)));
  const found = channels(candidates, options);
  return candidates
    .map((candidate) => {
      const { timestamp, day, name, role, importance, confidence, bm25, cosine } = candidate;
      const recency = recencyOf(timestamp, newest);
      const speaker = asked.speaks(name);
      const date = asked.dated(day);
      const { lexical, score } = found(candidate);
      const total =
        score +
        (speaker ? WEIGHTS.speaker : 0) +
        (date ? WEIGHTS.date : 0) +
        WEIGHTS.recency * recency +
        WEIGHTS.importance * (importance ?? 0) * (confidence ?? 0) +
        (role === "user" ? ranking.user_prior : 0);
      const signals: Signals = {
        ...(bm25 === null ? {} : { lexical: round(lexical) }),
        ...(cosine === null ? {} : { semantic: round(cosine) }),
        ...(speaker ? { speaker: WEIGHTS.speaker } : {}),
        ...(date ? { date: WEIGHTS.date } : {}),
        recency: round(recency),
        ...(importance === null ? {} : { importance: round(importance) }),
        mode,
      };
      return { candidate, score: round(total), signals };
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        Date.parse(b.candidate.timestamp) - Date.parse(a.candidate.timestamp) ||
        b.candidate.seq - a.candidate.seq ||
        // A memory and a message may have the same number.
        (a.candidate.kind < b.candidate.kind ? -1 : 1),
    );
}

/** What the text and the meaning give a candidate. Each kind's text scores are taken against the best of its kind. */
function channels(
  candidates: readonly Candidate[],
  { ranking, cutOff }: RankOptions,
): (candidate: Candidate) => { lexical: number; score: number } {
  const best = new Map<CorpusKind, number>();
  for (const { kind, bm25 } of candidates) best.set(kind, Math.min(best.get(kind) ?? 0, bm25 ?? 0));
  const lexicalOf = ({ kind, bm25 }: Candidate) => {
    const lowest = best.get(kind) ?? 0;
    return bm25 === null ? 0 : lowest === 0 ? 1 : bm25 / lowest;
  };
  if (ranking.fusion === "rrf") {
    const byText = ranks(candidates, (candidate) => (candidate.bm25 === null ? null : lexicalOf(candidate)));
    const byMeaning = ranks(candidates, ({ cosine }) => cosine);
    const share = (place: number | undefined) => (place === undefined ? 0 : (RRF_K + 1) / (RRF_K + place));
    return (candidate) => ({
      lexical: lexicalOf(candidate),
      score: share(byText.get(candidate)) + ranking.semantic_weight * share(byMeaning.get(candidate)),
    });
  }
  return (candidate) => {
    const lexical = lexicalOf(candidate);
    const semantic = candidate.cosine === null ? 0 : candidate.cosine - (cutOff[candidate.kind] ?? 0);
    return { lexical, score: WEIGHTS.lexical * lexical + ranking.semantic_weight * semantic };
  };
}

/** Places from 1, best first. Equals share a place. */
function ranks(
  candidates: readonly Candidate[],
  scoreOf: (candidate: Candidate) => number | null,
): Map<Candidate, number> {
  const scored = candidates.flatMap((candidate) => {
    const score = scoreOf(candidate);
    return score === null ? [] : [{ candidate, score }];
  });
  scored.sort((a, b) => b.score - a.score);
  const places = new Map<number, number>();
  for (const [i, { score }] of scored.entries()) if (!places.has(score)) places.set(score, i + 1);
  return new Map(scored.map(({ candidate, score }) => [candidate, places.get(score) ?? 0]));
}

function recencyOf(timestamp: string, newest: number): number {
  const days = (newest - Date.parse(timestamp)) / DAY_MS;
  return 0.5 ** (days / RECENCY_HALF_LIFE_DAYS);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
