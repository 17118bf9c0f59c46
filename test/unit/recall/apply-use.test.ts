// What a use does to the usage of a record.
import { describe, expect, it } from "vitest";
import { applyUse, groupUses, type UsageTotals } from "../../../src/memories/usage/apply-use";

const NEW: UsageTotals = { count: 0, last: "2026-03-01T00:00:00.000Z", importance: 0.5 };
const hourly = (at: string) => ({ at, raises: "hourly" as const });

describe("a use", () => {
  it("of a record that was never used sets the time, even an earlier one, and raises the importance", () => {
    const used = { count: 1, last: "2026-01-01T10:00:00.000Z", importance: 0.525 };
    expect(applyUse(NEW, hourly("2026-01-01T10:00:00.000Z"))).toEqual(used);
    expect(applyUse({ ...NEW, last: null }, hourly("2026-01-01T10:00:00.000Z"))).toEqual(used);
  });

  it("by a recall raises the importance once per hour of the clock, by a briefing each time", () => {
    const once = applyUse(NEW, hourly("2026-03-02T10:00:00.000Z"));
    expect(applyUse(once, hourly("2026-03-02T10:59:00.000Z")).importance).toBe(0.525);
    expect(applyUse(once, hourly("2026-03-02T11:00:00.000Z")).importance).toBe(0.54875);
    expect(applyUse(once, { at: "2026-03-02T10:59:00.000Z", raises: "always" }).importance).toBe(0.54875);
  });

  it("that is older than the last one is counted, and the last one stays", () => {
    const once = applyUse(NEW, hourly("2026-03-02T10:00:00.000Z"));
    expect(applyUse(once, hourly("2026-03-02T09:00:00.000Z"))).toEqual({ ...once, count: 2 });
  });
});

describe("uses", () => {
  it("are grouped by record, in order, memories apart from episodes", () => {
    const use = (at: string, memories: string[], episodes: string[]) => ({
      ...hourly(at),
      memories,
      episodes,
    });
    const uses = [use("1", ["a", "b"], ["a"]), use("2", ["a"], [])];
    expect(groupUses(uses, "memory")).toEqual(
      new Map([
        ["a", [hourly("1"), hourly("2")]],
        ["b", [hourly("1")]],
      ]),
    );
    expect(groupUses(uses, "episode")).toEqual(new Map([["a", [hourly("1")]]]));
  });
});
