import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decayImportance, IMPORTANCE_FLOOR } from "../../../src/experience/episodes/retention";
import { DAY_MS } from "../../../src/kernel/time";
import { reinforceImportance } from "../../../src/memories/usage/apply-use";

const START = Date.UTC(2026, 0, 1);
const day = (days: number) => new Date(START + Math.round(days * DAY_MS)).toISOString();
const floor = IMPORTANCE_FLOOR;

const importance = fc.double({ min: 0, max: 1, noNaN: true });
const days = fc.double({ min: 0, max: 2_000, noNaN: true });

describe("decay", () => {
  it.each([
    [0.8, 30, 0.8 * Math.exp(-0.1)],
    [0.5, 90, 0.5 * Math.exp(-0.3)],
    [1, 1, Math.exp(-0.1 / 30)],
  ])("turns %d after %d days into %d", (before, span, after) => {
    expect(decayImportance(before, day(0), day(span))).toBeCloseTo(after, 12);
  });

  it("stops at the floor and does not raise a lower importance", () => {
    expect(decayImportance(0.9, day(0), day(5_000))).toBe(floor);
    expect(decayImportance(floor / 2, day(0), day(30))).toBe(floor / 2);
    expect(decayImportance(0, day(0), day(30))).toBe(0);
  });

  it("changes nothing over no time or a negative span", () => {
    expect(decayImportance(0.7, day(3), day(3))).toBe(0.7);
    expect(decayImportance(0.7, day(3), day(1))).toBe(0.7);
  });

  it("composes over consecutive spans", () => {
    fc.assert(
      fc.property(importance, days, days, (before, first, second) => {
        const [middle, end] = [day(first), day(first + second)];
        const inTwo = decayImportance(decayImportance(before, day(0), middle), middle, end);
        expect(Math.abs(inTwo - decayImportance(before, day(0), end))).toBeLessThan(1e-9);
      }),
    );
  });

  it("never raises the importance, nor lowers it below the floor", () => {
    fc.assert(
      fc.property(importance, days, (before, span) => {
        const after = decayImportance(before, day(0), day(span));
        expect(after).toBeLessThanOrEqual(before);
        expect(after).toBeGreaterThanOrEqual(Math.min(before, floor));
      }),
    );
  });
});

describe("use", () => {
  it("restores a twentieth of the missing importance", () => {
    expect(reinforceImportance(0.5)).toBeCloseTo(0.525, 12);
    expect(reinforceImportance(0)).toBeCloseTo(0.05, 12);
    expect(reinforceImportance(1)).toBe(1);
  });

  it("stays between 0 and 1 and never lowers the importance", () => {
    fc.assert(
      fc.property(importance, (before) => {
        expect(reinforceImportance(before)).toBeGreaterThanOrEqual(before);
        expect(reinforceImportance(before)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
