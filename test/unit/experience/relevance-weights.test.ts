import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TASK_KINDS } from "../../../src/experience/briefing/briefing-schemas";
import {
  computeScore,
  RELEVANCE_WEIGHTS,
  weighOutcome,
} from "../../../src/experience/briefing/build-briefing";
import { DAY_MS } from "../../../src/kernel/time";

const NOW = Date.UTC(2026, 0, 31, 12);
const at = (ms: number) => new Date(ms).toISOString();
const OLD = at(NOW - 400 * DAY_MS);

describe("the weights of a kind of task", () => {
  it.each([
    ["exploration", 0.6, 0.3, 0.1, 0],
    ["implementation", 0.15, 0.5, 0.35, 0],
    ["debugging", 0.4, 0.2, 0, 0.4],
    ["review", 0.3, 0.5, 0, 0.2],
    ["refactoring", 0.25, 0.45, 0.3, 0],
    ["general", 0.3, 0.5, 0.2, 0],
  ] as const)("of %s are %s for episodes, %s for patterns, %s for skills, %s for lessons", (kind, episodes, patterns, skills, lessons) => {
    expect(RELEVANCE_WEIGHTS[kind]).toEqual({ episodes, patterns, skills, lessons });
  });

  it.each([...TASK_KINDS, "general"] as const)("of %s add up to 1", (kind) => {
    const sum = Object.values(RELEVANCE_WEIGHTS[kind]).reduce((total, weight) => total + weight, 0);
    expect(sum).toBeCloseTo(1, 10);
  });
});

describe("a score", () => {
  const merits = { relevance: 0.8, importance: 0.5, confidence: 0.9, timestamp: OLD };

  it("is weight × relevance × (0.7 + 0.3 importance) × confidence, to four decimals", () => {
    expect(computeScore(merits, 0.5, NOW)).toBe(0.306);
    expect(computeScore({ ...merits, relevance: 1 / 3 }, 0.5, NOW)).toBe(0.1275);
    expect(computeScore(merits, 0, NOW)).toBe(0);
  });

  it("is a tenth higher for a current item, a twentieth after 15 days, no higher after 30", () => {
    const whole = { relevance: 1, importance: 1, confidence: 1 };
    expect(computeScore({ ...whole, timestamp: at(NOW) }, 1, NOW)).toBe(1.1);
    expect(computeScore({ ...whole, timestamp: at(NOW - 15 * DAY_MS) }, 1, NOW)).toBe(1.05);
    expect(computeScore({ ...whole, timestamp: at(NOW - 30 * DAY_MS) }, 1, NOW)).toBe(1);
    expect(computeScore({ ...whole, timestamp: OLD }, 1, NOW)).toBe(1);
  });

  it("treats a future date as now", () => {
    const future = computeScore({ ...merits, timestamp: at(NOW + 99 * DAY_MS) }, 0.5, NOW);
    expect(future).toBe(computeScore({ ...merits, timestamp: at(NOW) }, 0.5, NOW));
  });

  it("never falls when one factor rises", () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const age = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(
        unit,
        unit,
        unit,
        unit,
        age,
        unit,
        age,
        (relevance, importance, confidence, weight, days, more, later) => {
          const one = { relevance, importance, confidence, timestamp: at(NOW - days * DAY_MS) };
          const score = computeScore(one, weight, NOW);
          const better = [
            { ...one, relevance: Math.max(relevance, more) },
            { ...one, importance: Math.max(importance, more) },
            { ...one, confidence: Math.max(confidence, more) },
            { ...one, timestamp: at(NOW - Math.min(days, later) * DAY_MS) },
          ];
          for (const other of better) expect(computeScore(other, weight, NOW)).toBeGreaterThanOrEqual(score);
        },
      ),
    );
  });
});

describe("the weight of an outcome", () => {
  const resolved = [{ type: "T", message: "m", resolution: "r" }];
  const unresolved = [{ type: "T", message: "m", resolution: null }];

  it("falls from success to failure", () => {
    expect(weighOutcome({ outcome: "success", errors_encountered: [] }, "general")).toBe(1);
    expect(weighOutcome({ outcome: "partial", errors_encountered: resolved }, "general")).toBe(0.9);
    expect(weighOutcome({ outcome: "failure", errors_encountered: resolved }, "general")).toBe(0.8);
  });

  it("is 1 in debugging for a failure with a resolution, and only for that", () => {
    expect(weighOutcome({ outcome: "failure", errors_encountered: resolved }, "debugging")).toBe(1);
    expect(weighOutcome({ outcome: "partial", errors_encountered: resolved }, "debugging")).toBe(1);
    expect(weighOutcome({ outcome: "failure", errors_encountered: unresolved }, "debugging")).toBe(0.8);
    expect(weighOutcome({ outcome: "failure", errors_encountered: [] }, "debugging")).toBe(0.8);
  });
});
