import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findSamePattern,
  type KnownPattern,
  MERGE_SIMILARITY,
  type MergeablePattern,
  planPatternMerges,
  SAME_PATTERN_SIMILARITY,
} from "../../../src/experience/patterns/match-patterns";
import { cosineSimilarity } from "../../../src/language/similarity";
import { direction, near, seeded, unit } from "./vectors";

/** Vectors in a plane: the cosine of two is that of the difference of their angles. */
const at = (angle: number) => unit([Math.cos(angle), Math.sin(angle), 0]);
const aside = unit([0, 0, 1]);
const angleOf = (cosine: number) => Math.acos(cosine);

function known(id: string, more: Partial<KnownPattern> = {}): KnownPattern {
  return { id, vector: aside, themeVector: null, sources: new Set(), confidence: 0.8, ...more };
}

const candidate = { vector: at(0), themeVector: at(0), centroid: at(0), sources: ["e1", "e2", "e3"] };

describe("the same pattern", () => {
  it("is the one that shares the most source episodes, regardless of its text", () => {
    const patterns = [
      known("a", { themeVector: aside, sources: new Set(["e1"]) }),
      known("b", { themeVector: aside, sources: new Set(["e2", "e3", "e9"]) }),
      known("c", { vector: at(0), themeVector: at(0) }),
    ];
    expect(findSamePattern(candidate, patterns)).toBe("b");
  });

  it("is not a posted pattern about another aspect of the same episodes", () => {
    expect(findSamePattern(candidate, [known("a", { sources: new Set(["e1", "e2", "e3"]) })])).toBeNull();
  });

  it("is null when no pattern shares episodes or is similar", () => {
    expect(findSamePattern(candidate, [])).toBeNull();
    expect(findSamePattern(candidate, [known("a", { sources: new Set(["e9"]) })])).toBeNull();
  });

  it("is the most similar one from the threshold on", () => {
    const limit = angleOf(SAME_PATTERN_SIMILARITY);
    expect(findSamePattern(candidate, [known("a", { themeVector: at(limit + 1e-3) })])).toBeNull();
    const patterns = [known("a", { themeVector: at(limit - 1e-3) }), known("b", { themeVector: at(0.1) })];
    expect(findSamePattern(candidate, patterns)).toBe("b");
    expect(findSamePattern(candidate, patterns.slice(0, 1))).toBe("a");
  });

  it("matches by the theme or the centroid of its episodes", () => {
    const theme = known("a", { themeVector: at(1) });
    expect(findSamePattern({ ...candidate, themeVector: aside, centroid: at(1) }, [theme])).toBe("a");
    expect(findSamePattern({ ...candidate, themeVector: at(1), centroid: aside }, [theme])).toBe("a");
  });

  it("is not one of another theme with the same steps", () => {
    const other = known("a", { vector: candidate.vector, themeVector: aside });
    expect(findSamePattern(candidate, [other])).toBeNull();
  });

  it("matches by its text when it has no theme", () => {
    expect(findSamePattern({ ...candidate, centroid: aside }, [known("a", { vector: at(0.1) })])).toBe("a");
    expect(findSamePattern({ ...candidate, vector: aside }, [known("a", { vector: at(0.1) })])).toBe("a");
  });

  it("is of equals the most confident, then the first by id", () => {
    const same = { themeVector: at(0) };
    const patterns = [known("c", same), known("b", same), known("z", { ...same, confidence: 0.9 })];
    expect(findSamePattern(candidate, patterns)).toBe("z");
    expect(findSamePattern(candidate, patterns.slice(0, 2))).toBe("b");
    const sharing = patterns.map((pattern) => ({ ...pattern, sources: new Set(["e1"]) }));
    expect(findSamePattern(candidate, sharing)).toBe("z");
  });
});

function pattern(id: string, text: string, more: Partial<MergeablePattern> = {}): MergeablePattern {
  return {
    id,
    text,
    vector: at(0),
    themeVector: null,
    confidence: 0.8,
    created_at: "2026-01-06T10:00:00.000Z",
    group: "pattern",
    ...more,
  };
}

const never = () => false;

describe("a plan to merge patterns", () => {
  it("retains the most confident, of equals the oldest, then the first by id", () => {
    const patterns = [
      pattern("c", "Run the tests first"),
      pattern("a", "Run the tests first"),
      pattern("old", "Run the tests at first", { created_at: "2026-01-01T00:00:00.000Z" }),
      pattern("sure", "Run tests first", { confidence: 0.95 }),
    ];
    expect(planPatternMerges(patterns, never)).toEqual([{ keep: "sure", others: ["old", "a", "c"] }]);
    expect(planPatternMerges(patterns.slice(0, 3), never)).toEqual([{ keep: "old", others: ["a", "c"] }]);
    expect(planPatternMerges(patterns.slice(0, 2), never)).toEqual([{ keep: "a", others: ["c"] }]);
  });

  it("merges from the threshold on", () => {
    const limit = angleOf(MERGE_SIMILARITY);
    const others = (angle: number) =>
      planPatternMerges([pattern("a", "x"), pattern("b", "y", { vector: at(angle) })], never);
    expect(others(limit - 1e-3)).toEqual([{ keep: "a", others: ["b"] }]);
    expect(others(limit + 1e-3)).toEqual([]);
  });

  it("does not chain: a pattern far from the retained one stays", () => {
    const step = angleOf(0.92);
    const patterns = [0, 1, 2].map((n) =>
      pattern(`p${n}`, "x", { vector: at(n * step), confidence: 0.9 - n / 10 }),
    );
    expect(planPatternMerges(patterns, never)).toEqual([{ keep: "p0", others: ["p1"] }]);
  });

  it("keeps groups apart", () => {
    expect(planPatternMerges([pattern("a", "x"), pattern("b", "x", { group: "lesson" })], never)).toEqual([]);
  });

  it("keeps patterns of different themes apart, even with similar steps", () => {
    const themed = [pattern("a", "x", { themeVector: at(0) }), pattern("b", "x", { themeVector: aside })];
    expect(planPatternMerges(themed, never)).toEqual([]);
    expect(planPatternMerges([...themed, pattern("c", "x")], never)).toEqual([{ keep: "a", others: ["c"] }]);
  });

  it.each([
    ["Always use tabs", "Never use tabs"],
    ["Use tabs", "Don't use tabs"],
    ["Run the linter in CI", "Skip the linter in CI"],
    ["npm ci works in the pipeline", "npm ci fails in the pipeline"],
    ["Deploy with a lock", "Deploy without a lock"],
    ["Retry 3 times", "Retry 5 times"],
    ["Retry three times", "Retry five times"],
    ["Pin Node 20.1", "Pin Node 20.11"],
    ["Run migrations before the deploy", "Run migrations after the deploy"],
    ["Enable strict mode", "Disable strict mode"],
  ])("keeps %j and %j apart", (a, b) => {
    expect(planPatternMerges([pattern("a", a), pattern("b", b)], never)).toEqual([]);
    expect(planPatternMerges([pattern("a", b), pattern("b", a)], never)).toEqual([]);
  });

  it.each([
    ["Always use tabs", "Use tabs"],
    ["Never use tabs", "Do not use tabs"],
    ["Retry 3 times", "Retry three times"],
    ["Enable strict mode before the build", "Before the build, enable strict mode"],
    ["Start it first, then stop it", "Stop it, then start it"],
  ])("merges %j and %j", (a, b) => {
    expect(planPatternMerges([pattern("a", a), pattern("b", b)], never)).toHaveLength(1);
  });

  it("keeps the pairs of `keepApart` apart, also through a third pattern", () => {
    const patterns = ["a", "b", "c", "d"].map((id, n) => pattern(id, "x", { confidence: 0.9 - n / 10 }));
    const apart =
      (...pair: string[]) =>
      (a: string, b: string) =>
        pair.includes(a) && pair.includes(b);
    expect(planPatternMerges(patterns, apart("a", "c"))).toEqual([{ keep: "a", others: ["b", "d"] }]);
    // Both are similar to the retained pattern and contradict each other.
    expect(planPatternMerges(patterns, apart("b", "c"))).toEqual([{ keep: "a", others: ["d"] }]);
  });
});

const TEXTS = [
  "Use tabs",
  "Never use tabs",
  "Retry 3 times",
  "Retry 4 times",
  "Run it before",
  "Run it after",
];

/** Patterns around a few directions, at and slightly beyond the distance of near-duplicates. */
const patterns = fc
  .array(
    fc.record({
      kind: fc.nat(3),
      cosine: fc.double({ min: 0.85, max: 1, noNaN: true }),
      seed: fc.nat(1_000),
      text: fc.constantFrom(...TEXTS),
      confidence: fc.constantFrom(0.7, 0.8, 0.9),
      group: fc.constantFrom("pattern", "lesson"),
      theme: fc.option(fc.nat(1)),
      day: fc.integer({ min: 1, max: 9 }),
    }),
    { maxLength: 30 },
  )
  .map((told) =>
    told.map(({ kind, cosine, seed, theme, day, ...rest }, i): MergeablePattern => {
      const vector = near(direction(seeded(kind), 32), cosine, seeded(seed));
      const themeVector = theme === null ? null : direction(seeded(100 + theme), 32);
      return { ...rest, id: `p${i}`, vector, themeVector, created_at: `2026-01-0${day}T00:00:00.000Z` };
    }),
  );
/** Pairs to keep apart. */
const apart = fc.integer({ min: 2, max: 7 }).map((n) => (a: string, b: string) => {
  const [one, other] = [Number(a.slice(1)), Number(b.slice(1))];
  return one !== other && (one + other) % n === 0;
});

describe("any plan to merge patterns", () => {
  it("contains each pattern once, and a second plan is empty", () => {
    fc.assert(
      fc.property(patterns, apart, (list, keepApart) => {
        const plan = planPatternMerges(list, keepApart);
        const named = plan.flatMap(({ keep, others }) => [keep, ...others]);
        expect(new Set(named).size).toBe(named.length);
        const gone = new Set(plan.flatMap(({ others }) => others));
        expect(
          planPatternMerges(
            list.filter(({ id }) => !gone.has(id)),
            keepApart,
          ),
        ).toEqual([]);
      }),
    );
  });

  it("does not depend on the order of the patterns", () => {
    fc.assert(
      fc.property(patterns, apart, (list, keepApart) => {
        const sorted = (plan: ReturnType<typeof planPatternMerges>) =>
          plan.toSorted((a, b) => (a.keep < b.keep ? -1 : 1));
        expect(sorted(planPatternMerges(list.toReversed(), keepApart))).toEqual(
          sorted(planPatternMerges(list, keepApart)),
        );
      }),
    );
  });

  it("merges only into a similar pattern of the same group that is at least as confident and not to be kept apart", () => {
    fc.assert(
      fc.property(patterns, apart, (list, keepApart) => {
        const byId = new Map(list.map((each) => [each.id, each]));
        for (const { keep, others } of planPatternMerges(list, keepApart)) {
          const kept = byId.get(keep);
          for (const id of others) {
            const other = byId.get(id);
            if (kept === undefined || other === undefined) throw new Error("An unknown id");
            expect(cosineSimilarity(kept.vector, other.vector)).toBeGreaterThanOrEqual(MERGE_SIMILARITY);
            expect(other.group).toBe(kept.group);
            expect(other.confidence).toBeLessThanOrEqual(kept.confidence);
            expect([keep, ...others].filter((each) => keepApart(each, id))).toEqual([]);
          }
        }
      }),
    );
  });
});
