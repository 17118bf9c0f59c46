// Finds statements about the same subject that contradict each other, and proposes how to resolve a contradiction. Rules
// only: a person or an agent decides.
import type { Contradiction, ContradictionSide } from "../../../schemas/link";
import type { SourceType } from "../../../schemas/memories/source-type";
import { compareText } from "../../../text/normalise-text";
import type { SourceRanks } from "../../trust/source-rank";
import { createSimHashIndex, type SimHashIndex } from "../clustering/simhash-index";
import { oppose, parseSense, type StatementSense } from "./contradiction";

/** Similarity from which two statements are about the same subject. */
const SAME_SUBJECT_SIMILARITY = 0.8;

export type ComparableStatement = {
  id: string;
  text: string;
  vector: Float32Array;
  /** Only statements of the same group contradict each other. */
  group: string;
};

export type ContradictingPair = { from: string; to: string };

/** Finds for each statement the most similar one that contradicts it, unless the two are known to do so. */
export function findContradictions(
  statements: readonly ComparableStatement[],
  isKnown: (a: string, b: string) => boolean,
): ContradictingPair[] {
  const pairs: ContradictingPair[] = [];
  const groups = new Map<string, { index: SimHashIndex; seen: { id: string; sense: StatementSense }[] }>();
  for (const { id, text, vector, group } of statements.toSorted((a, b) => compareText(a.id, b.id))) {
    const sense = parseSense(text);
    const { index, seen } = groups.get(group) ?? {
      index: createSimHashIndex(SAME_SUBJECT_SIMILARITY),
      seen: [],
    };
    groups.set(group, { index, seen });
    const position = index.find(vector, (at) => {
      const other = seen[at];
      return other !== undefined && oppose(sense, other.sense);
    });
    const other = position === null ? undefined : seen[position];
    if (other !== undefined && !isKnown(id, other.id)) pairs.push({ from: id, to: other.id });
    index.put(seen.length, vector);
    seen.push({ id, sense });
  }
  return pairs;
}

/** A side of a contradiction and its source; null for an episode. */
export type SourcedSide = ContradictionSide & { source: SourceType | null };

/** Proposes to keep the side of the higher rank, else the more confident, else the newer one. An episode happened: both stay. */
export function proposeResolution(
  one: SourcedSide,
  two: SourcedSide,
  ranks: SourceRanks,
): NonNullable<Contradiction["proposal"]> {
  const [first, second] = [one.confidence, two.confidence];
  if (first === null || second === null || one.source === null || two.source === null)
    return { action: "keep_both", keep: null, reason: "An episode records what happened." };
  const [higher, lower] = ranks[one.source] > ranks[two.source] ? [one, two] : [two, one];
  if (ranks[one.source] !== ranks[two.source]) {
    const reason = `Its source ranks higher: ${higher.source} against ${lower.source}.`;
    return { action: "supersede", keep: higher.id, reason };
  }
  if (first !== second) {
    const [keep, other] = first > second ? [one, two] : [two, one];
    const reason = `It is more confident: ${keep.confidence} against ${other.confidence}.`;
    return { action: "supersede", keep: keep.id, reason };
  }
  const [keep, other] = compareText(one.timestamp, two.timestamp) >= 0 ? [one, two] : [two, one];
  return {
    action: "supersede",
    keep: keep.id,
    reason: `Both are equally confident, and it is the newer one: ${keep.timestamp} after ${other.timestamp}.`,
  };
}
