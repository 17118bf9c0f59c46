// Which pattern a new one is, and which patterns say the same.
import { EXPERIENCE } from "../limits";
import { cosine } from "../vectors/cosine";
import { contradict, type Sense, senseOf } from "./contradiction";
import { createNearest, type Nearest } from "./nearest";

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
  const sharing = best(known, ({ sources }) => candidate.sources.filter((id) => sources.has(id)).length, 1);
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
  return b.confidence - a.confidence || (a.id < b.id ? -1 : 1);
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

type Read = Mergeable & { sense: Sense };
type Group = { kept: { pattern: Read; others: Read[] }[]; nearest: Nearest };

/**
 * Which patterns take the place of which. The most confident stays, of equals the oldest. None is merged with one that
 * `keepApart` names, that differs in a number or a negation, nor together with such a one: then both stay. What stays
 * keeps its text, so a plan over the result is empty.
 */
export function planMerges(
  patterns: readonly Mergeable[],
  keepApart: (a: string, b: string) => boolean,
): Merge[] {
  const apart = (a: Read, b: Read) => contradict(a.sense, b.sense) || keepApart(a.id, b.id);
  const sizes = new Map<string, number>();
  for (const { group } of patterns) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const groups = new Map<string, Group>(
    [...sizes].map(([group, size]) => [
      group,
      { kept: [], nearest: createNearest(size, EXPERIENCE.duplicate) },
    ]),
  );
  const ordered = patterns.toSorted(
    (a, b) => b.confidence - a.confidence || compare(a.created_at, b.created_at) || compare(a.id, b.id),
  );
  for (const each of ordered) {
    const group = groups.get(each.group);
    if (group === undefined) continue;
    const pattern = { ...each, sense: senseOf(each.text) };
    const { kept, nearest } = group;
    const may = (place: number) => {
      const other = kept[place]?.pattern;
      return other !== undefined && sameTheme(pattern, other) && !apart(pattern, other);
    };
    const place = nearest.find(pattern.vector, may);
    if (place === null) {
      nearest.put(kept.length, pattern.vector);
      kept.push({ pattern, others: [] });
    } else kept[place]?.others.push(pattern);
  }
  return [...groups.values()]
    .flatMap(({ kept }) => kept)
    .map(({ pattern, others }) => ({
      keep: pattern.id,
      others: others
        .filter((one) => !others.some((other) => other !== one && apart(one, other)))
        .map(({ id }) => id),
    }))
    .filter(({ others }) => others.length > 0);
}

/** Where both have one: see `likeness`. */
function sameTheme({ themeVector: a }: Read, { themeVector: b }: Read): boolean {
  return a === null || b === null || cosine(a, b) >= EXPERIENCE.duplicate;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
