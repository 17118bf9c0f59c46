// Detects contradictions between similar texts: embeddings barely reflect a negation, a number or an opposite.

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
