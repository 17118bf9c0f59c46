import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractAntiPatterns, renderAntiPattern } from "../../../src/experience/patterns/anti-patterns";
import { countCodePoints } from "../../../src/kernel/common";
import { LIMITS } from "../../../src/kernel/limits";
import { episode, error } from "./episodes";

const failed = (id: string, day: number, ...errors: ReturnType<typeof error>[]) =>
  episode(id, {
    outcome: "failure",
    timestamp: `2026-01-0${day}T00:00:00.000Z`,
    errors_encountered: errors,
  });

describe("anti-patterns", () => {
  it("are extracted once per type of error, ignoring case, in alphabetical order", () => {
    const found = extractAntiPatterns([
      failed("b", 2, error("typescript  compilation", "Missing return type"), error("Timeout")),
      failed("a", 1, error("TypeScript compilation.", "Missing return type")),
    ]);
    expect(found.map(({ key, source_episodes }) => [key, source_episodes])).toEqual([
      ["timeout", ["b"]],
      ["typescript compilation", ["a", "b"]],
    ]);
  });

  it.each([
    "success",
    "partial",
    "failure",
  ] as const)("come from one episode with an error: %s", (outcome) => {
    const one = episode("a", { outcome, errors_encountered: [error("Timeout", "late", "Waited")] });
    expect(extractAntiPatterns([one])).toMatchObject([
      { what_fails: "Timeout", why: "late", prevention: "Waited", source_episodes: ["a"] },
    ]);
    expect(extractAntiPatterns([])).toEqual([]);
  });

  it("of failed episodes weigh twice as much, and have their words", () => {
    const overcome = episode("s", { errors_encountered: [error("Timeout", "late", "Waited")] });
    expect(extractAntiPatterns([overcome])).toMatchObject([{ confidence: 0.55 }]);
    expect(extractAntiPatterns([failed("f", 1, error("Timeout", "late"))])).toMatchObject([
      { confidence: 0.6 },
    ]);
    const down = failed("f", 1, error("Timeout", "down"));
    const again = { ...overcome, id: "t" };
    expect(extractAntiPatterns([overcome, again, down])).toMatchObject([
      { why: "down", confidence: 0.7, source_episodes: ["f", "s", "t"] },
    ]);
  });

  it("use the most frequent message and resolution, of equals the newest", () => {
    const [found] = extractAntiPatterns([
      failed("a", 1, error("Timeout", "The form was late", "Waited for the form")),
      failed("b", 2, error("timeout", "the form was late.", "Waited for the form")),
      failed("c", 3, error("Timeout", "The server was down", "Started the server")),
      failed("d", 4, error("Timeout", "The server was down", "Started the server")),
    ]);
    expect(found).toMatchObject({
      what_fails: "Timeout",
      why: "The server was down",
      prevention: "Started the server",
    });
  });

  it("prefer the resolution of the same message", () => {
    const [found] = extractAntiPatterns([
      failed("a", 1, error("Timeout", "late", "Waited")),
      failed("b", 2, error("Timeout", "late")),
      failed("c", 3, error("Timeout", "down", "Restarted")),
      failed("d", 4, error("Timeout", "off", "Restarted")),
    ]);
    expect(found).toMatchObject({ why: "late", prevention: "Waited" });
  });

  it("take the resolution from a successful episode with the same error", () => {
    const solved = episode("s", { errors_encountered: [error("Timeout", "Late.", "Waited")] });
    const other = episode("o", { errors_encountered: [error("Timeout", "down", "Restarted")] });
    const attempts = [failed("a", 1, error("timeout", "late")), solved, other];
    expect(extractAntiPatterns(attempts)).toMatchObject([{ why: "late", prevention: "Waited" }]);
    expect(extractAntiPatterns([failed("a", 1, error("timeout", "late")), other])).toMatchObject([
      { why: "late", prevention: "Restarted" },
    ]);
  });

  it("have a confidence by the number of episodes and their mean importance", () => {
    const twice = failed("a", 1, error("Timeout", "late"), error("Timeout", "late"));
    expect(extractAntiPatterns([twice])).toMatchObject([{ confidence: 0.6, importance: 0.5 }]);
    const many = [1, 2, 3, 4, 5, 6].map((day) => ({
      ...failed(`e${day}`, day, error("Timeout")),
      importance: day / 10,
    }));
    expect(extractAntiPatterns(many.slice(0, 3))).toMatchObject([{ confidence: 0.8, importance: 0.2 }]);
    expect(extractAntiPatterns(many)).toMatchObject([
      { confidence: 0.95, importance: 0.35, timestamp: "2026-01-06T00:00:00.000Z" },
    ]);
  });
});

describe("an anti-pattern's text", () => {
  it.each([
    [
      ["TypeScript compilation", "Missing return type annotation", "Added explicit :void to route handler"],
      "TypeScript compilation fails: Missing return type annotation. Prevention: Added explicit :void to route handler.",
    ],
    [
      ["TypeScript compilation.", "Missing return type annotation.", "Add it!"],
      "TypeScript compilation fails: Missing return type annotation. Prevention: Add it.",
    ],
    [["Unit tests", "", "Run them first"], "Unit tests fail. Prevention: Run them first."],
    [["npm install", "ERESOLVE", null], "npm install fails: ERESOLVE."],
    [["Health check", "", null], "Health check fails."],
    [
      ["Using any in route handlers", "it hides mistakes", "Declare the types"],
      "Using any in route handlers fails: it hides mistakes. Prevention: Declare the types.",
    ],
    [["Merge conflict", "in package-lock.json", null], "Merge conflict: in package-lock.json."],
    [["Build failed", "No space left", null], "Build failed: No space left."],
    [["TypeError", "TypeError: x is undefined", null], "TypeError: x is undefined."],
    [["TypeError", "", "Check for null"], "Known failure: TypeError. Prevention: Check for null."],
    [["TypeError", "", null], "Known failure: TypeError."],
    [["Timeout", "The server\n\n  did not answer", ""], "Timeout: The server did not answer."],
    [["Timeout", "Was it up?", "Wait…"], "Timeout: Was it up? Prevention: Wait…"],
  ] as const)("of %j is %j", ([what_fails, why, prevention], text) => {
    expect(renderAntiPattern({ what_fails, why, prevention })).toBe(text);
  });

  it("has room for the prevention and fits a memory's content", () => {
    const text = renderAntiPattern({
      what_fails: "Migration",
      why: "at line 1 ".repeat(200),
      prevention: "Take the lock first",
    });
    expect(text).toMatch(/^Migration fails: at line 1 .*… Prevention: Take the lock first\.$/);
    const any = fc.string({ unit: "grapheme", maxLength: LIMITS.contentChars });
    fc.assert(
      fc.property(any, any, fc.option(any), (what_fails, why, prevention) => {
        const written = renderAntiPattern({ what_fails, why, prevention });
        expect(countCodePoints(written)).toBeLessThanOrEqual(LIMITS.contentChars);
      }),
    );
  });
});
