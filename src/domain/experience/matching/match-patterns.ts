// Which pattern a new one is, and which patterns say the same.
import { EXPERIENCE } from "../../../limits";
import { compareText } from "../../../text/normalise-text";
import { cosineSimilarity } from "../../../text/similarity";
import { createSimHashIndex, type SimHashIndex } from "../clustering/simhash-index";
import { contradict, parseSense, type StatementSense } from "./contradiction";

export type PatternCandidate = {
  /** Of its text. */
  vector: Float32Array;
  themeVector: Float32Array;
  /** Of its episodes. */
  centroid: Float32Array;
  sources: readonly string[];
};

export type KnownPattern = {
  id: string;
  vector: Float32Array;
  /** Null for a pattern that nobody gave a theme. */
  themeVector: Float32Array | null;
  sources: ReadonlySet<string>;
  confidence: number;
};

/** The pattern that rests on most of the same episodes; if none does, the one most alike. */
export function findSamePattern(candidate: PatternCandidate, known: readonly KnownPattern[]): string | null {
  // Of a pattern without a theme somebody else said what it rests on, and it may be about something else in those.
  const made = known.filter(({ themeVector }) => themeVector !== null);
  const sharing = findBest(
    made,
    ({ sources }) => candidate.sources.filter((id) => sources.has(id)).length,
    1,
  );
  return (
    sharing ?? findBest(known, (pattern) => computeSimilarity(candidate, pattern), EXPERIENCE.samePattern)
  );
}

/** By theme where there is one: texts of two tasks that take the same steps are as alike as .9. */
function computeSimilarity({ vector, themeVector, centroid }: PatternCandidate, known: KnownPattern): number {
  const [text, other] =
    known.themeVector === null ? [vector, known.vector] : [themeVector, known.themeVector];
  return Math.max(cosineSimilarity(text, other), cosineSimilarity(centroid, other));
}

/** Of equals the most confident, then the first by id. */
function findBest(
  known: readonly KnownPattern[],
  scoreOf: (pattern: KnownPattern) => number,
  least: number,
): string | null {
  let found: { score: number; pattern: KnownPattern } | null = null;
  for (const pattern of known) {
    const score = scoreOf(pattern);
    if (score < least) continue;
    if (
      found === null ||
      score > found.score ||
      (score === found.score && compareConfidence(pattern, found.pattern) < 0)
    )
      found = { score, pattern };
  }
  return found?.pattern.id ?? null;
}

function compareConfidence(
  a: { id: string; confidence: number },
  b: { id: string; confidence: number },
): number {
  return b.confidence - a.confidence || compareText(a.id, b.id);
}

export type MergeablePattern = {
  id: string;
  text: string;
  vector: Float32Array;
  themeVector: Float32Array | null;
  confidence: number;
  created_at: string;
  /** Only patterns of one group are merged. */
  group: string;
};

export type PatternMerge = { keep: string; others: string[] };

type ParsedPattern = { pattern: MergeablePattern; sense: StatementSense };
type Group = { nearest: SimHashIndex; kept: { first: ParsedPattern; others: ParsedPattern[] }[] };

/**
 * Which patterns take the place of which. The most confident stays, of equals the oldest. None is merged with one that
 * `keepApart` names, by their ids, or that differs in a number or a negation, nor together with such a one: then both
 * stay. What stays keeps its text, so a plan over the result is empty.
 */
export function planPatternMerges(
  patterns: readonly MergeablePattern[],
  keepApart: (a: string, b: string) => boolean,
): PatternMerge[] {
  const apart = (a: ParsedPattern, b: ParsedPattern) =>
    contradict(a.sense, b.sense) || keepApart(a.pattern.id, b.pattern.id);
  const groups = new Map<string, Group>();
  const ordered = patterns.toSorted(
    (a, b) =>
      b.confidence - a.confidence || compareText(a.created_at, b.created_at) || compareText(a.id, b.id),
  );
  for (const pattern of ordered) {
    const read = { pattern, sense: parseSense(pattern.text) };
    const group = groups.get(pattern.group) ?? {
      nearest: createSimHashIndex(EXPERIENCE.duplicate),
      kept: [],
    };
    groups.set(pattern.group, group);
    const { nearest, kept } = group;
    const place = nearest.find(pattern.vector, (at) => {
      const first = kept[at]?.first;
      return first !== undefined && haveSimilarThemes(pattern, first.pattern) && !apart(read, first);
    });
    if (place === null) {
      nearest.put(kept.length, pattern.vector);
      kept.push({ first: read, others: [] });
    } else kept[place]?.others.push(read);
  }
  return [...groups.values()]
    .flatMap(({ kept }) => kept)
    .map(({ first, others }) => ({
      keep: first.pattern.id,
      others: others
        .filter((one) => !others.some((other) => other !== one && apart(one, other)))
        .map(({ pattern }) => pattern.id),
    }))
    .filter(({ others }) => others.length > 0);
}

/** Where both have one: see `likeness`. */
function haveSimilarThemes(
  { themeVector: a }: MergeablePattern,
  { themeVector: b }: MergeablePattern,
): boolean {
  return a === null || b === null || cosineSimilarity(a, b) >= EXPERIENCE.duplicate;
}
