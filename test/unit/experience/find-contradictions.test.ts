import { describe, expect, it } from "vitest";
import { findContradictions, oppose, parseSense } from "../../../src/experience/patterns/contradiction";
import type { SourceType } from "../../../src/kernel/common";
import { proposeResolution } from "../../../src/memories/links/contradiction-repository";
import { readSourceRanks } from "../../../src/trust/source-rank";

const doOppose = (a: string, b: string) => oppose(parseSense(a), parseSense(b));

describe("two statements about one subject", () => {
  it.each([
    ["Requests are validated in the route", "Requests are not validated in the route"],
    ["Run the migration before the deploy", "Run the migration after the deploy"],
    ["Enable the cache on staging", "Disable the cache on staging"],
    ["The timeout is 30 seconds", "The timeout is 60 seconds"],
    ["Always squash commits", "Never squash commits"],
  ])("contradict each other: %j, %j", (a, b) => {
    expect(doOppose(a, b)).toBe(true);
    expect(doOppose(b, a)).toBe(true);
  });

  it.each([
    ["Deploy release 1.4 to staging", "Deploy release 1.5 to staging"],
    ["Requests are validated in the route", "Requests are checked in the route"],
    ["Do not deploy before the smoke tests", "Deploy after the smoke tests"],
  ])("agree: %j, %j", (a, b) => {
    expect(doOppose(a, b)).toBe(false);
  });
});

describe("contradictions", () => {
  const vector = new Float32Array([1, 0]);
  const statement = (id: string, text: string, group = "g") => ({ id, text, vector, group });
  const pair = [statement("a", "Use tabs"), statement("b", "Do not use tabs")];

  it("are found once", () => {
    expect(findContradictions(pair, () => false)).toEqual([{ from: "b", to: "a" }]);
    expect(findContradictions(pair, () => true)).toEqual([]);
  });

  it("are not found between groups, or between different subjects", () => {
    const other = { ...statement("b", "Do not use tabs"), vector: new Float32Array([0, 1]) };
    expect(findContradictions([statement("a", "Use tabs"), other], () => false)).toEqual([]);
    const moved = statement("b", "Do not use tabs", "h");
    expect(findContradictions([statement("a", "Use tabs"), moved], () => false)).toEqual([]);
  });
});

describe("the proposed resolution", () => {
  const RANKS = readSourceRanks(undefined);
  const side = (id: string, confidence: number | null, day: number, source: SourceType = "agent") => ({
    id,
    kind: confidence === null ? ("episode" as const) : ("memory" as const),
    content: id,
    confidence,
    source: confidence === null ? null : source,
    timestamp: `2026-01-0${day}T00:00:00.000Z`,
    status: "live" as const,
  });

  it("keeps the more confident one, of equals the newer", () => {
    expect(proposeResolution(side("a", 0.9, 1), side("b", 0.8, 2), RANKS)).toMatchObject({ keep: "a" });
    expect(proposeResolution(side("a", 0.8, 1), side("b", 0.8, 2), RANKS)).toMatchObject({
      action: "supersede",
      keep: "b",
    });
  });

  it("keeps the one of the higher rank, however confident the other is", () => {
    const [told, found] = [side("a", 0.2, 1, "user"), side("b", 1, 2, "external_document")];
    expect(proposeResolution(told, found, RANKS)).toMatchObject({ action: "supersede", keep: "a" });
  });

  it("keeps both where one is an episode", () => {
    expect(proposeResolution(side("a", null, 1), side("b", 0.8, 2), RANKS)).toMatchObject({
      action: "keep_both",
      keep: null,
    });
  });
});
