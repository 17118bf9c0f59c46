import { describe, expect, it } from "vitest";
import {
  computeLearningKey,
  confirmLearning,
  extractResolvedErrors,
  toExtractedLearning,
  toLearning,
} from "../../../src/experience/patterns/learning-memory";
import { createMemory } from "../../../src/memories/store/commit-plan";
import { episode, error } from "./episodes";

const OWNER = { project_id: "shop", user_id: null };

async function learn(...episodes: ReturnType<typeof episode>[]) {
  const [found] = extractResolvedErrors(episodes);
  if (found === undefined) throw new Error("Nothing was learnt");
  return toExtractedLearning(found, OWNER, await computeLearningKey(found));
}

const timeout = (id: string, day: number, resolution = "Waited") =>
  episode(id, {
    timestamp: `2026-01-0${day}T00:00:00.000Z`,
    errors_encountered: [error("Timeout", "The form was late", resolution)],
  });

describe("learnings from resolved errors", () => {
  it("have the type as trigger, the message as cause, the resolution as fix and prevention", () => {
    expect(extractResolvedErrors([timeout("a", 1)])).toMatchObject([
      {
        trigger: "Timeout",
        root_cause: "The form was late",
        fix: "Waited",
        prevention: "Waited",
        source_episodes: ["a"],
      },
    ]);
  });

  it("are one for each type and message, and none for an error without a resolution", () => {
    const other = episode("b", {
      errors_encountered: [error("Timeout", "The server was down", "Restarted"), error("Timeout", "Unknown")],
    });
    const found = extractResolvedErrors([timeout("a", 1), other]);
    expect(found.map(({ root_cause }) => root_cause).sort()).toEqual([
      "The form was late",
      "The server was down",
    ]);
  });

  it("count every episode once, and change nothing for known ones", async () => {
    const first = createMemory("m", await learn(timeout("a", 1)));
    expect(toLearning(first)).toMatchObject({ occurrences: 1, confidence: 0.55, evidence: ["a"] });
    expect(confirmLearning(first, await learn(timeout("a", 1)))).toBeNull();
    const again = confirmLearning(first, await learn(timeout("a", 1), timeout("b", 2, "Polled")));
    expect(again && toLearning(again)).toMatchObject({
      occurrences: 2,
      confidence: 0.6,
      evidence: ["a", "b"],
      created_at: "2026-01-01T00:00:00.000Z",
      last_seen: "2026-01-02T00:00:00.000Z",
      fix: "Polled",
      prevention: "Polled",
    });
  });

  it("leave a prevention that a caller gave as it is", async () => {
    const memory = await learn(timeout("a", 1));
    const posted = { ...memory, properties: { ...memory.properties, prevention: ["Await the form"] } };
    const stored = createMemory("m", posted);
    const again = confirmLearning(stored, await learn(timeout("b", 2, "Polled")));
    expect(again && toLearning(again)).toMatchObject({ occurrences: 2, prevention: "Await the form" });
  });
});
