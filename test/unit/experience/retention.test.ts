import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideRetention, summariseEpisode } from "../../../src/experience/episodes/retention";
import { countCodePoints } from "../../../src/kernel/common";
import { DAY_MS } from "../../../src/kernel/time";
import { CODING_AGENT, episode, error, log } from "./episodes";

const NOW = Date.UTC(2026, 5, 1);
const now = new Date(NOW).toISOString();
const aged = (ms: number, more: { summarised?: boolean; archived?: boolean } = {}) => ({
  timestamp: new Date(NOW - ms).toISOString(),
  summarised: false,
  archived: false,
  ...more,
});

describe("retention", () => {
  it("keeps an episode unchanged for seven days to the millisecond", () => {
    expect(decideRetention(aged(7 * DAY_MS), now, false)).toBe("keep");
    expect(decideRetention(aged(7 * DAY_MS + 1), now, false)).toBe("summarise");
    expect(decideRetention(aged(7 * DAY_MS + 1), now, true)).toBe("summarise");
  });

  it("keeps a summary for thirty days to the millisecond", () => {
    const summarised = { summarised: true };
    expect(decideRetention(aged(30 * DAY_MS, summarised), now, false)).toBe("keep");
    expect(decideRetention(aged(30 * DAY_MS + 1, summarised), now, false)).toBe("archive");
  });

  it("does not archive a referenced episode, but summarises it", () => {
    expect(decideRetention(aged(90 * DAY_MS), now, true)).toBe("summarise");
    expect(decideRetention(aged(90 * DAY_MS, { summarised: true }), now, true)).toBe("keep");
  });

  it("archives an old episode that was never summarised", () => {
    expect(decideRetention(aged(31 * DAY_MS), now, false)).toBe("archive");
  });

  it("does not change an archived episode or a future one", () => {
    expect(decideRetention(aged(90 * DAY_MS, { archived: true }), now, false)).toBe("keep");
    expect(decideRetention(aged(-DAY_MS), now, false)).toBe("keep");
  });

  it("is idempotent", () => {
    const before = fc.record({
      days: fc.integer({ min: 0, max: 60 }),
      summarised: fc.boolean(),
      archived: fc.boolean(),
    });
    fc.assert(
      fc.property(before, fc.boolean(), ({ days, ...state }, referenced) => {
        const first = decideRetention(aged(days * DAY_MS, state), now, referenced);
        const after = {
          summarised: state.summarised || first !== "keep",
          archived: state.archived || first === "archive",
        };
        expect(decideRetention(aged(days * DAY_MS, after), now, referenced)).toBe("keep");
      }),
    );
  });
});

const told = episode("e", {
  goal: "Implement POST /api/todos endpoint",
  duration_seconds: 342,
  action_log: log(
    "read_file openapi.yaml",
    "write_file src/routes/todos.ts",
    "run_test",
    "edit_file src/routes/todos.ts",
    "run_test",
  ),
  errors_encountered: [
    error(
      "TypeScript compilation",
      "Missing return type annotation",
      "Added explicit :void to route handler",
    ),
    error("Flaky test", "", null),
  ],
  artifacts_produced: ["src/routes/todos.ts", "tests/todos.test.ts"],
});

describe("a summary", () => {
  it("has the goal, outcome, actions, errors and artifacts", () => {
    expect(summariseEpisode(told).summary).toBe(
      "Implement POST /api/todos endpoint: success after 6 min. " +
        "Did read_file, write_file, run_test ×2, edit_file. " +
        "Met TypeScript compilation: Missing return type annotation (resolved: Added explicit :void to route handler); " +
        "Flaky test (not resolved). " +
        "Made src/routes/todos.ts, tests/todos.test.ts.",
    );
  });

  it("omits empty parts", () => {
    const bare = episode("e", { goal: "Update the README.", outcome: "partial" });
    expect(summariseEpisode(bare).summary).toBe("Update the README: partial.");
  });

  it.each([
    [0.4, "0 s"],
    [59.6, "1 min"],
    [90, "2 min"],
    [5_400, "1 h 30 min"],
  ])("renders %d seconds as %s", (duration_seconds, text) => {
    const { summary } = summariseEpisode(episode("e", { duration_seconds }));
    expect(summary).toContain(`success after ${text}.`);
  });

  it("replaces the action log and nothing else", () => {
    const { summary, ...rest } = summariseEpisode(told);
    expect({ ...rest, summary: null }).toEqual({ ...told, action_log: [], summarised: true });
    expect(summary).not.toBeNull();
  });

  it("does not change when it is made again", () => {
    for (const each of CODING_AGENT) {
      const once = summariseEpisode(each);
      expect(summariseEpisode(once)).toEqual(once);
    }
  });

  it("has at most 1,000 characters and room for each part", () => {
    const text = (max: number) => fc.string({ unit: "grapheme", minLength: 1, maxLength: max });
    const long = fc.record({
      goal: text(400),
      action_log: fc.array(fc.record({ action: text(80) }), { maxLength: 30 }),
      errors_encountered: fc.array(
        fc.record({ type: text(80), message: text(400), resolution: fc.option(text(400)) }),
        { maxLength: 8 },
      ),
      artifacts_produced: fc.array(text(80), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(long, (parts) => {
        expect(countCodePoints(summariseEpisode(episode("e", parts)).summary ?? "")).toBeLessThanOrEqual(
          1_000,
        );
      }),
    );
    const words = "many words ".repeat(180);
    const { summary } = summariseEpisode(
      episode("e", {
        goal: words,
        action_log: log(...Array.from({ length: 200 }, (_, i) => `action_${i}`)),
        errors_encountered: [error("Timeout", words, words)],
        artifacts_produced: ["src/a.ts"],
      }),
    );
    for (const part of ["Did action_0", "Met Timeout", "resolved: many", "Made src/a.ts."])
      expect(summary).toContain(part);
  });
});
