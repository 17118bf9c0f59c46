// Matches patterns: finds the known pattern that a new cluster belongs to, and plans merges of near-duplicates.
import { compareText } from "../../language/normalise-text";
import { cosineSimilarity } from "../../language/similarity";
import { createSimHashIndex, type SimHashIndex } from "./cluster-episodes";
import { contradict, parseSense, type StatementSense } from "./contradiction";

/** Similarity from which a new cluster belongs to a known pattern. */
export const SAME_PATTERN_SIMILARITY = 0.8;

/** Similarity from which two patterns are near-duplicates and merge. */
export const MERGE_SIMILARITY = 0.9;

/** A pattern extracted from a cluster. */
type PatternCandidate = {
  /** Vector of the pattern's text. */
  vector: Float32Array;
  themeVector: Float32Array;
  /** Centroid of the cluster. */
  centroid: Float32Array;
  sources: readonly string[];
};

export type KnownPattern = {
  id: string;
  vector: Float32Array;
  /** Null for a pattern without a theme: one that a caller posted. */
  themeVector: Float32Array | null;
  sources: ReadonlySet<string>;
  confidence: number;
};

/** Finds the pattern that shares the most source episodes, or else the most similar one. */
export function findSamePattern(candidate: PatternCandidate, known: readonly KnownPattern[]): string | null {
  // The sources of a posted pattern were chosen by its caller: it may be about another aspect of those episodes.
  const extracted = known.filter(({ themeVector }) => themeVector !== null);
  const sharing = findBest(
    extracted,
    ({ sources }) => candidate.sources.filter((id) => sources.has(id)).length,
    1,
  );
  return (
    sharing ?? findBest(known, (pattern) => computeSimilarity(candidate, pattern), SAME_PATTERN_SIMILARITY)
  );
}

/** Compares themes where the pattern has one: the texts of two tasks with the same steps have a similarity of 0.9. */
function computeSimilarity({ vector, themeVector, centroid }: PatternCandidate, known: KnownPattern): number {
  const [text, other] =
    known.themeVector === null ? [vector, known.vector] : [themeVector, known.themeVector];
  return Math.max(cosineSimilarity(text, other), cosineSimilarity(centroid, other));
}

/** Finds the pattern with the highest score; of equals the most confident, then the first by id. */
function findBest(
  known: readonly KnownPattern[],
  computeScore: (pattern: KnownPattern) => number,
  minScore: number,
): string | null {
  let found: { score: number; pattern: KnownPattern } | null = null;
  for (const pattern of known) {
    const score = computeScore(pattern);
    if (score < minScore) continue;
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
  /** Only patterns of the same group merge. */
  group: string;
};

/** `keep` supersedes `others`. */
export type PatternMerge = { keep: string; others: string[] };

type ParsedPattern = { pattern: MergeablePattern; sense: StatementSense };
type Group = { index: SimHashIndex; retained: { first: ParsedPattern; others: ParsedPattern[] }[] };

/**
 * Plans which patterns supersede their near-duplicates. The most confident pattern stays, of equals the oldest.
 * Patterns that contradict each other, by `keepApart` or by their wording, do not merge, neither directly nor into the
 * same third pattern. A retained pattern keeps its text, so a second plan over the result is empty.
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
    const parsed = { pattern, sense: parseSense(pattern.text) };
    const group = groups.get(pattern.group) ?? {
      index: createSimHashIndex(MERGE_SIMILARITY),
      retained: [],
    };
    groups.set(pattern.group, group);
    const { index, retained } = group;
    const position = index.find(pattern.vector, (at) => {
      const first = retained[at]?.first;
      return first !== undefined && haveSimilarThemes(pattern, first.pattern) && !apart(parsed, first);
    });
    if (position === null) {
      index.put(retained.length, pattern.vector);
      retained.push({ first: parsed, others: [] });
    } else retained[position]?.others.push(parsed);
  }
  return [...groups.values()]
    .flatMap(({ retained }) => retained)
    .map(({ first, others }) => ({
      keep: first.pattern.id,
      others: others
        .filter((one) => !others.some((other) => other !== one && apart(one, other)))
        .map(({ pattern }) => pattern.id),
    }))
    .filter(({ others }) => others.length > 0);
}

/** Returns whether two themes are near-duplicates; true if either pattern has none. */
function haveSimilarThemes(
  { themeVector: a }: MergeablePattern,
  { themeVector: b }: MergeablePattern,
): boolean {
  return a === null || b === null || cosineSimilarity(a, b) >= MERGE_SIMILARITY;
}
