import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MEMORY_TYPES } from "../../../src/ontology/generated/terms.generated";
import {
  computeImportance,
  DEFAULT_WEIGHTS,
  getSalience,
} from "../../../src/sessions/promotion/importance-scorer";

const NOW = Date.UTC(2026, 0, 31, 12);
const MINUTE = 60_000;
const fact = { lastAccessed: NOW, accessCount: 5, confidence: 0.8, type: "fact" as const };

describe("importance", () => {
  it("is 0.2 recency + 0.3 frequency + 0.25 confidence + 0.25 salience", () => {
    expect(DEFAULT_WEIGHTS).toEqual({ recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 });
    expect(computeImportance(fact, NOW)).toBeCloseTo(0.2 * 1 + 0.3 * 0.5 + 0.25 * 0.8 + 0.25 * 0.7, 10);
  });

  it("halves recency after 30 minutes", () => {
    const only = { recency: 1, frequency: 0, confidence: 0, salience: 0 };
    expect(computeImportance(fact, NOW + 30 * MINUTE, only)).toBeCloseTo(0.5, 10);
    expect(computeImportance(fact, NOW + 90 * MINUTE, only)).toBeCloseTo(0.25, 10);
  });

  it("counts no more than ten accesses", () => {
    const only = { recency: 0, frequency: 1, confidence: 0, salience: 0 };
    expect(computeImportance({ ...fact, accessCount: 4 }, NOW, only)).toBeCloseTo(0.4, 10);
    expect(computeImportance({ ...fact, accessCount: 10 }, NOW, only)).toBe(1);
    expect(computeImportance({ ...fact, accessCount: 500 }, NOW, only)).toBe(1);
  });

  it("gives no more than full recency when the clock ran backwards", () => {
    expect(computeImportance(fact, NOW - 500 * MINUTE)).toBe(computeImportance(fact, NOW));
  });

  it("never exceeds 1 when the weights add up to more", () => {
    const heavy = { recency: 1, frequency: 1, confidence: 1, salience: 1 };
    expect(computeImportance({ ...fact, type: "decision" }, NOW, heavy)).toBe(1);
  });

  it("is from 0 to 1 for any clock and any input", () => {
    const any = fc.double();
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.record({
          lastAccessed: any,
          accessCount: any,
          confidence: any,
          type: fc.constantFrom(...MEMORY_TYPES, null),
        }),
        any,
        fc.record({ recency: unit, frequency: unit, confidence: unit, salience: unit }),
        (signals, now, weights) => {
          const value = computeImportance(signals, now, weights);
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe("salience", () => {
  it.each([
    ["decision", 1],
    ["architectural_decision", 1],
    ["convention", 1],
    ["coding_standard", 1],
    ["lesson_learned", 1],
    ["risk", 1],
    ["discovery", 0.8],
    ["fact", 0.7],
    ["hypothesis", 0.5],
    ["assumption", 0.4],
    ["unknown", 0.3],
    ["task", 0.3],
    [null, 0.3],
  ] as const)("of %s is %d", (type, expected) => {
    expect(getSalience(type)).toBe(expected);
  });

  it("of a class outside the table is that of its superclass", () => {
    expect(getSalience("implementation_decision")).toBe(getSalience("decision"));
    expect(getSalience("agent_rule")).toBe(getSalience("convention"));
    expect(getSalience("bug")).toBe(getSalience("error"));
  });
});
