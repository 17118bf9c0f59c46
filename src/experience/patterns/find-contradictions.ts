// Finds statements about the same subject that contradict each other. Rules
// only: a person or an agent decides.
import { compareText } from "../../language/normalise-text";
import { oppose, parseSense, type StatementSense } from "./contradiction";
import { createSimHashIndex, type SimHashIndex } from "./simhash-index";

/** Similarity from which two statements are about the same subject. */
const SAME_SUBJECT_SIMILARITY = 0.8;

type ComparableStatement = {
  id: string;
  text: string;
  vector: Float32Array;
  /** Only statements of the same group contradict each other. */
  group: string;
};

type ContradictingPair = { from: string; to: string };

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
