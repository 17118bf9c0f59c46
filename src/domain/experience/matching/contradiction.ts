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

/** The parts of a text that embeddings barely reflect. */
export type StatementSense = {
  /** All numbers, sorted. */
  numbers: string;
  negations: number;
  /** Words that have an opposite. */
  directed: readonly string[];
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
  };
}

/** Returns whether two texts differ in a number or the count of negations, or use opposite words. */
export function contradict(a: StatementSense, b: StatementSense): boolean {
  if (a.numbers !== b.numbers || a.negations !== b.negations) return true;
  return a.directed.some((word) => {
    const opposite = OPPOSITES.get(word) ?? "";
    return b.directed.includes(opposite) && !b.directed.includes(word) && !a.directed.includes(opposite);
  });
}
