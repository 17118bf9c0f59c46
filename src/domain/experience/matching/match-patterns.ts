// Which pattern a new one is, and which patterns say the same.
import { EXPERIENCE } from "../../../limits";
import { cosine } from "../../../text/cosine";
import { createNearest, type Nearest } from "../clustering/simhash-index";
import { compareText } from "../text-order";
import { contradict, type Sense, senseOf } from "./contradiction";

export type Candidate = {
  /** Of its text. */
  vector: Float32Array;
  themeVector: Float32Array;
  /** Of its episodes. */
  centroid: Float32Array;
  sources: readonly string[];
};

export type Known = {
  id: string;
  vector: Float32Array;
  /** Null for a pattern that nobody gave a theme. */
  themeVector: Float32Array | null;
  sources: ReadonlySet<string>;
  confidence: number;
};

/** The pattern that rests on most of the same episodes; if none does, the one most alike. */
export function findSame(candidate: Candidate, known: readonly Known[]): string | null {
  // Of a pattern without a theme somebody else said what it rests on, and it may be about something else in those.
  const made = known.filter(({ themeVector }) => themeVector !== null);
  const sharing = best(made, ({ sources }) => candidate.sources.filter((id) => sources.has(id)).length, 1);
  return sharing ?? best(known, (pattern) => likeness(candidate, pattern), EXPERIENCE.samePattern);
}

/** By theme where there is one: texts of two tasks that take the same steps are as alike as .9. */
function likeness({ vector, themeVector, centroid }: Candidate, known: Known): number {
  const [text, other] =
    known.themeVector === null ? [vector, known.vector] : [themeVector, known.themeVector];
  return Math.max(cosine(text, other), cosine(centroid, other));
}

/** Of equals the most confident, then the first by id. */
function best(known: readonly Known[], scoreOf: (pattern: Known) => number, least: number): string | null {
  let found: { score: number; pattern: Known } | null = null;
  for (const pattern of known) {
    const score = scoreOf(pattern);
    if (score < least) continue;
    if (
      found === null ||
      score > found.score ||
      (score === found.score && firmer(pattern, found.pattern) < 0)
    )
      found = { score, pattern };
  }
  return found?.pattern.id ?? null;
}

function firmer(a: { id: string; confidence: number }, b: { id: string; confidence: number }): number {
  return b.confidence - a.confidence || compareText(a.id, b.id);
}

export type Mergeable = {
  id: string;
  text: string;
  vector: Float32Array;
  themeVector: Float32Array | null;
  confidence: number;
  created_at: string;
  /** Only patterns of one group are merged. */
  group: string;
};

export type Merge = { keep: string; others: string[] };

type Read = { pattern: Mergeable; sense: Sense };
type Group = { nearest: Nearest; kept: { first: Read; others: Read[] }[] };

/**
 * Which patterns take the place of which. The most confident stays, of equals the oldest. None is merged with one that
 * `keepApart` names, by their ids, or that differs in a number or a negation, nor together with such a one: then both
 * stay. What stays keeps its text, so a plan over the result is empty.
 */
export function planMerges(
  patterns: readonly Mergeable[],
  keepApart: (a: string, b: string) => boolean,
): Merge[] {
  const apart = (a: Read, b: Read) => contradict(a.sense, b.sense) || keepApart(a.pattern.id, b.pattern.id);
  const groups = new Map<string, Group>();
  const ordered = patterns.toSorted(
    (a, b) =>
      b.confidence - a.confidence || compareText(a.created_at, b.created_at) || compareText(a.id, b.id),
  );
  for (const pattern of ordered) {
    const read = { pattern, sense: senseOf(pattern.text) };
    const group = groups.get(pattern.group) ?? { nearest: createNearest(EXPERIENCE.duplicate), kept: [] };
    groups.set(pattern.group, group);
    const { nearest, kept } = group;
    const place = nearest.find(pattern.vector, (at) => {
      const first = kept[at]?.first;
      return first !== undefined && sameTheme(pattern, first.pattern) && !apart(read, first);
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
function sameTheme({ themeVector: a }: Mergeable, { themeVector: b }: Mergeable): boolean {
  return a === null || b === null || cosine(a, b) >= EXPERIENCE.duplicate;
}
