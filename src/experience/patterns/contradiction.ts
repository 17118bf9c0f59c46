// Detects contradictions between similar texts: embeddings barely reflect a negation, a number or an opposite.
import { compareText } from "../../language/normalise-text";
import { createSimHashIndex, type SimHashIndex } from "./cluster-episodes";

const WORD = /\p{L}+|\d+(?:[.,]\d+)*/gu;

const NEGATIONS = new Set(
  `not no never none nothing neither nor without cannot avoid avoids avoided avoiding skip skips skipped skipping
  instead except unless fail fails failed failing forbid forbids forbidden omit omits omitted omitting`.split(
    /\s+/,
  ),
);

const OPPOSITES = new Map(
  `before after, enable disable, enabled disabled, allow deny, add remove, adding removing, increase decrease,
  increasing decreasing, raise lower, upgrade downgrade, start stop, open close, lock unlock, true false, on off,
  up down, more less, first last, sync async, synchronous asynchronous, install uninstall, encrypt decrypt,
  encode decode, push pull, success failure, include exclude`
    .split(",")
    .flatMap((pair) => {
      const [one = "", other = ""] = pair.trim().split(/\s+/);
      return [
        [one, other],
        [other, one],
      ] as const;
    }),
);

const NUMERALS = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, value) => [word, String(value)] as const)
    // Omitted: "the last one" is not a number.
    .filter(([word]) => word !== "one"),
);

const AMOUNT =
  /\b(?:is|are|be|of|to|at|after|within|than|most|least|every|for|by|in|takes?|about)\s+(\d+(?:[.,]\d+)*)/gu;

/** The parts of a text that embeddings barely reflect. */
export type StatementSense = {
  /** All numbers, sorted. */
  numbers: string;
  negations: number;
  /** Words that have an opposite. */
  directed: readonly string[];
  /** The numbers that state an amount, sorted: "is 30", "at most 5". */
  amounts: string;
};

/** Extracts the numbers, negations and words with an opposite from a text. */
export function parseSense(text: string): StatementSense {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/n['’]t\b/g, " not");
  const words = plain.match(WORD) ?? [];
  return {
    numbers: words
      .flatMap((word) => NUMERALS.get(word) ?? (/\d/.test(word) ? word : []))
      .sort()
      .join(" "),
    negations: words.filter((word) => NEGATIONS.has(word)).length,
    directed: words.filter((word) => OPPOSITES.has(word)),
    amounts: [...plain.matchAll(AMOUNT)]
      .map(([, amount]) => amount)
      .sort()
      .join(" "),
  };
}

/** Returns whether two texts differ in a number or the count of negations, or use opposite words. */
export function contradict(a: StatementSense, b: StatementSense): boolean {
  return a.numbers !== b.numbers || a.negations !== b.negations || haveOppositeWords(a, b);
}

/**
 * Returns whether two texts about the same subject cannot both hold: one negates the other, they use opposite words, or
 * they give another amount. Stricter than `contradict`: two texts that differ in a number alone, such as a version, may
 * both hold.
 */
export function oppose(a: StatementSense, b: StatementSense): boolean {
  const negates = a.negations % 2 !== b.negations % 2;
  const isOpposite = haveOppositeWords(a, b);
  // "Not before" and "after" agree.
  if (negates !== isOpposite) return true;
  return !negates && a.amounts !== "" && b.amounts !== "" && a.amounts !== b.amounts;
}

function haveOppositeWords(a: StatementSense, b: StatementSense): boolean {
  return a.directed.some((word) => {
    const opposite = OPPOSITES.get(word) ?? "";
    return b.directed.includes(opposite) && !b.directed.includes(word) && !a.directed.includes(opposite);
  });
}

// Finds statements about the same subject that contradict each other. Rules
// only: a person or an agent decides.

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
