import { describe, expect, it } from "vitest";
import { toPatternMemory } from "../../../src/experience/patterns/pattern-memory";
import { draftSkill } from "../../../src/experience/skills/propose-skill";
import { createMemory } from "../../../src/memories/store/commit-plan";
import { episode, error, log } from "./episodes";

const AT = "2026-01-06T10:00:00.000Z";

function pattern(confidence: number, sources: string[]) {
  const memory = toPatternMemory({
    project_id: "shop",
    category: "typescript",
    theme: "Upgrade the npm package …",
    pattern: "Upgrade the npm package …: what works is read_changelog, then npm_install, then run_tests.",
    conditions: ["During maintenance"],
    correct_approach: null,
    incorrect_approach: null,
    confidence,
    importance: 0.5,
    source_episodes: sources,
    timestamp: AT,
  });
  return createMemory("m", memory);
}

const upgrade = (id: string, ...steps: string[]) =>
  episode(id, {
    action_log: log(...steps).map((step, n) => (n === steps.length - 1 ? { ...step, result: "pass" } : step)),
    errors_encountered: [error("Peer conflict", "ERESOLVE", "Upgraded both")],
  });
const STEPS = ["read_changelog", "npm_install", "run_tests"];
const CLUSTER = ["a", "b", "c"].map((id) => upgrade(id, ...STEPS));

describe("a strong pattern", () => {
  it("drafts a skill with its common steps, resolved errors and last result", () => {
    expect(draftSkill(pattern(0.9, ["a", "b", "c"]), CLUSTER)).toEqual({
      slug: "upgrade-the-npm-package",
      fields: {
        name: "Upgrade the npm package …",
        description: expect.stringContaining("read_changelog"),
        prerequisites: ["During maintenance"],
        steps: ["Read changelog", "Npm install", "Run tests"],
        common_errors: [{ error: "Peer conflict (ERESOLVE)", fix: "Upgraded both" }],
        exit_criteria: ["Run tests: pass"],
      },
    });
  });

  it.each([
    ["is not confident enough", pattern(0.85, ["a", "b", "c"]), CLUSTER],
    ["has too few episodes", pattern(0.95, ["a", "b"]), CLUSTER],
    [
      "has no common steps",
      pattern(0.95, ["a", "b", "c"]),
      CLUSTER.map((one, n) => upgrade(one.id, `step_${n}`)),
    ],
  ])("drafts none if it %s", (_, memory, cluster) => {
    expect(draftSkill(memory, cluster)).toBeNull();
  });
});
