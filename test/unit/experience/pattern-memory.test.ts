// New evidence for known patterns.
import { describe, expect, it } from "vitest";
import {
  MAX_CONFIDENCE,
  strengthenPattern,
  toPattern,
  toPatternMemory,
} from "../../../src/experience/patterns/pattern-memory";
import { createMemory } from "../../../src/memories/store/commit-plan";

const NOW = "2026-01-06T10:00:00.000Z";
const COMMON = {
  project_id: "p",
  conditions: [],
  importance: 0.5,
  timestamp: NOW,
  incorrect_approach: null,
  correct_approach: null,
};

function made(fields: Partial<Parameters<typeof toPatternMemory>[0]>) {
  const parts = {
    ...COMMON,
    category: "typescript",
    confidence: 0.7,
    source_episodes: ["e1", "e2"],
    ...fields,
  };
  return createMemory(
    "m",
    toPatternMemory({ pattern: "Deploy …: done before", theme: "Deploy …", ...parts }),
  );
}

function avoided(fields: Partial<Parameters<typeof toPatternMemory>[0]> = {}) {
  const parts = { category: "anti-pattern", incorrect_approach: "TypeError", confidence: 0.6 };
  return made({ pattern: undefined, theme: undefined, source_episodes: ["f1"], ...parts, ...fields });
}

const gain = (episodes: string[]) => ({ episodes, at: NOW, lesson: null, found: null });

describe("a pattern with new evidence", () => {
  it("gains confidence once per call, and is a discovery from 0.8 on", () => {
    const once = strengthenPattern(made({}), gain(["e2", "e3", "e4"]));
    expect(once).toMatchObject({ confidence: 0.75, type: "hypothesis", evidence: ["e1", "e2", "e3", "e4"] });
    expect(strengthenPattern(once ?? made({}), gain(["e5"]))).toMatchObject({
      confidence: 0.8,
      type: "discovery",
    });
  });

  it("never exceeds the maximum confidence, nor falls below its own", () => {
    expect(strengthenPattern(made({ confidence: 0.97 }), gain(["e3"]))?.confidence).toBe(MAX_CONFIDENCE);
    expect(strengthenPattern(made({ confidence: 1 }), gain(["e3"]))?.confidence).toBe(1);
  });

  it("does not change with known episodes", () => {
    expect(strengthenPattern(made({}), gain(["e1", "e2"]))).toBeNull();
  });

  it("is rewritten once a correct approach is known", () => {
    const found = {
      pattern: "Deploy …: what works is run_test, then deploy.",
      conditions: ["During release"],
      correct_approach: "run_test, then deploy.",
      incorrect_approach: null,
    };
    expect(strengthenPattern(made({}), { ...gain(["e1"]), found })).toBeNull();
    const told = strengthenPattern(made({}), { ...gain(["e3"]), found });
    expect(told && toPattern(told, [])).toMatchObject(found);
    const other = { ...found, pattern: "Another", correct_approach: "Another" };
    expect(told && strengthenPattern(told, { ...gain(["e4"]), found: other })?.content).toBe(found.pattern);
  });

  it("keeps the wording of its caller", () => {
    const found = { pattern: "x", conditions: [], correct_approach: "y", incorrect_approach: null };
    const own = made({ theme: undefined, pattern: "My own words" });
    expect(strengthenPattern(own, { ...gain(["e3"]), found })?.content).toBe("My own words");
  });
});

describe("an anti-pattern", () => {
  const lesson = { why: "rows is undefined", prevention: "Check for rows first" };

  it("gets a prevention later, without new failures or a higher confidence", () => {
    const told = strengthenPattern(avoided({ why: "rows is undefined" }), {
      episodes: [],
      at: NOW,
      lesson,
      found: null,
    });
    expect(told && toPattern(told, [])).toMatchObject({
      prevention: "Check for rows first",
      confidence: 0.6,
    });
    expect(told?.content).toContain("Check for rows first");
    expect(told && strengthenPattern(told, { episodes: [], at: NOW, lesson, found: null })).toBeNull();
  });

  it("follows the majority of its episodes", () => {
    const first = avoided({ why: "fetch is not a function", correct_approach: "Import fetch" });
    const few = strengthenPattern(first, { episodes: ["f2"], at: NOW, lesson, found: null });
    expect(few && toPattern(few, []).why).toBe("fetch is not a function");
    const many = strengthenPattern(first, { episodes: ["f2", "f3", "f4"], at: NOW, lesson, found: null });
    expect(many && toPattern(many, [])).toMatchObject({ why: lesson.why, prevention: lesson.prevention });
  });
});
