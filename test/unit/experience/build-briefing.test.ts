import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PrimeAnswer, TASK_KINDS } from "../../../src/experience/briefing/briefing-schemas";
import { type BriefingCandidates, buildBriefing } from "../../../src/experience/briefing/build-briefing";
import { EXPERIENCE } from "../../../src/kernel/limits";
import { DAY_MS } from "../../../src/kernel/time";
import { countTokens } from "../../../src/language/token-count";
import { scaleCases } from "../../patience";
import { antiPattern, episode, hostile, LINE_BREAK, learning, NOW, pattern, skill } from "./support";

const NONE: BriefingCandidates = { patterns: [], lessons: [], skills: [], episodes: [] };
const near = <T>(...found: T[]) => found.map((of) => ({ of, relevance: 0.8 }));

/** A project's experience with one kind of endpoint. */
const TODOS: BriefingCandidates = {
  patterns: near(
    pattern({
      id: "sem-001",
      pattern: "Express route handlers require explicit return types in strict mode",
      category: "typescript",
      conditions: ["Using TypeScript strict mode", "Writing Express route handlers"],
      correct_approach: "Add `: void` to the handler's signature",
      incorrect_approach: "Omitting the return type",
      confidence: 0.95,
      source_episodes: ["ep-1", "ep-2"],
    }),
  ),
  lessons: [
    ...near(
      antiPattern({
        id: "anti-1",
        what_fails: "TypeScript compilation",
        why: "Missing return type annotation",
        prevention: "Run the compiler before the tests",
      }),
    ),
    ...near(
      learning({
        id: "learn-1",
        trigger: "Contract tests fail after a merge",
        root_cause: "The spec moved on",
        fix: "Regenerate the types",
        prevention: "Run contract tests before marking a task complete",
        confidence: 0.8,
      }),
    ),
  ],
  skills: near(
    skill({
      slug: "api-implementation",
      memory_id: "mem-7",
      name: "API Endpoint Implementation",
      description: "Standard flow for one endpoint",
      prerequisites: ["The OpenAPI spec exists"],
      steps: ["Read the endpoint's spec", "Create the route handler", "Write contract tests"],
      common_errors: [{ error: "Schema mismatch", fix: "Regenerate types from the spec" }],
      exit_criteria: ["All contract tests pass"],
    }),
  ),
  episodes: near(
    episode({
      id: "ep-1",
      goal: "Implement GET /api/todos endpoint",
      timestamp: "2026-01-06T10:30:00.000Z",
      action_log: [
        { t: 0, action: "read_file", target: "openapi.yaml" },
        { t: 120, action: "run_test", result: "fail", error: "missing return type" },
        { t: 180, action: "run_test", result: "pass" },
      ],
      errors_encountered: [
        { type: "TypeScript compilation", message: "Missing return type", resolution: "Added :void" },
      ],
      files_modified: ["src/routes/todos.ts"],
      git_commit: "abc123",
    }),
  ),
};

describe("a briefing", () => {
  it("renders every item in full when the budget allows", () => {
    const { prompt } = buildBriefing({ kind: "implementation", candidates: TODOS, budget: 2_000, now: NOW });
    expect(prompt).toBe(
      [
        "## Relevant patterns",
        "- [sem-001] Express route handlers require explicit return types in strict mode",
        "  - When: Using TypeScript strict mode; Writing Express route handlers",
        "  - Do: Add \\`: void\\` to the handler's signature",
        "  - Do not: Omitting the return type",
        "  - Category: typescript",
        "  - Known from: 2 episodes, confidence 0.95",
        "",
        "## Avoid these",
        "- [anti-1] TypeScript compilation",
        "  - Why: Missing return type annotation",
        "  - Prevention: Run the compiler before the tests",
        "- [learn-1] Contract tests fail after a merge",
        "  - Why: The spec moved on",
        "  - Prevention: Run contract tests before marking a task complete",
        "  - Fix: Regenerate the types",
        "",
        "## Applicable skills",
        "- [skill: api-implementation] API Endpoint Implementation",
        "  - What: Standard flow for one endpoint",
        "  - First: The OpenAPI spec exists",
        "  - Step 1: Read the endpoint's spec",
        "  - Step 2: Create the route handler",
        "  - Step 3: Write contract tests",
        "  - Error: Schema mismatch: Regenerate types from the spec",
        "  - Done when: All contract tests pass",
        "",
        "## Similar episodes",
        "- [ep-1] Implement GET /api/todos endpoint (success, 2026-01-06)",
        "  - Steps: read_file openapi.yaml; run_test (fail: missing return type); run_test (pass)",
        "  - Error: TypeScript compilation: Missing return type → Added :void",
        "  - Changed: src/routes/todos.ts",
        "  - Commit: abc123",
      ].join("\n"),
    );
  });

  it("renders index lines and the gist of the best items in a small budget", () => {
    const { prompt } = buildBriefing({ kind: "implementation", candidates: TODOS, budget: 112, now: NOW });
    expect(prompt).toBe(
      [
        "## Relevant patterns",
        "- [sem-001] Express route handlers require explicit return types in strict mode",
        "  - Do: Add \\`: void\\` to the handler's signature",
        "",
        "## Avoid these",
        "- [anti-1] TypeScript compilation",
        "- [learn-1] Contract tests fail after a merge",
        "",
        "## Applicable skills",
        "- [skill: api-implementation] API Endpoint Implementation",
        "  - What: Standard flow for one endpoint",
        "",
        "## Similar episodes",
        "- [ep-1] Implement GET /api/todos endpoint (success)",
      ].join("\n"),
    );
  });

  it("returns the same as data, with more fields at each level, and each text as in the prompt", () => {
    const at = (budget: number) => {
      const answer = buildBriefing({ kind: "debugging", candidates: TODOS, budget, now: NOW });
      return [
        answer.relevant_patterns,
        answer.avoid_these,
        answer.applicable_skills,
        answer.similar_episodes,
      ].map((entries) =>
        Object.keys(entries[0] ?? {})
          .sort()
          .join(" "),
      );
    };
    expect(at(2_000)).toEqual([
      "category conditions confidence correct_approach id incorrect_approach layer memory_type name pattern score source_episodes text",
      "confidence id kind layer name prevention score text what_fails why",
      "description id layer name score slug steps text",
      "errors_encountered goal id layer outcome score summary text timestamp",
    ]);
    expect(at(84)).toEqual([
      "category confidence id layer memory_type name pattern score text",
      "confidence id kind layer name score text what_fails",
      "id layer name score slug text",
      "goal id layer outcome score text timestamp",
    ]);
    const { prompt, avoid_these } = buildBriefing({
      kind: "review",
      candidates: TODOS,
      budget: 200,
      now: NOW,
    });
    for (const { text } of avoid_these) expect(prompt).toContain(`\n${text}\n`);
    expect(avoid_these.map(({ id, kind }) => [id, kind])).toEqual([
      ["anti-1", "anti_pattern"],
      ["learn-1", "learning"],
    ]);
  });

  it("identifies a skill by its slug and returns the id of its memory", () => {
    const answer = buildBriefing({ kind: "general", candidates: TODOS, budget: 2_000, now: NOW });
    expect(PrimeAnswer.parse(answer)).toEqual(answer);
    expect(answer.applicable_skills).toMatchObject([
      { id: "mem-7", slug: "api-implementation", layer: "full" },
    ]);
  });

  it("is empty without candidates", () => {
    expect(buildBriefing({ kind: "review", candidates: NONE, budget: 500, now: NOW })).toEqual({
      kind: "review",
      relevant_patterns: [],
      avoid_these: [],
      applicable_skills: [],
      similar_episodes: [],
      prompt: "",
      tokens: { used: 0, budget: 500, saved: 0 },
    });
  });

  it("scores items by the kind of task and returns the scores", () => {
    const scores = (kind: (typeof TASK_KINDS)[number]) => {
      const answer = buildBriefing({ kind, candidates: TODOS, budget: 2_000, now: NOW });
      return { skill: answer.applicable_skills[0]?.score, lesson: answer.avoid_these[0]?.score };
    };
    expect(scores("implementation")).toEqual({ skill: 0.238, lesson: 0 });
    expect(scores("debugging")).toEqual({ skill: 0, lesson: 0.2448 });
  });

  it("ranks lessons by relevance where their list has weight 0", () => {
    const lessons = Array.from({ length: 9 }, (_, n) => ({
      of: antiPattern({ id: `a${n}`, what_fails: `Mistake ${n}` }),
      relevance: n / 10,
    }));
    const { avoid_these } = buildBriefing({
      kind: "implementation",
      candidates: { ...NONE, lessons },
      budget: 2_000,
      now: NOW,
    });
    expect(avoid_these.map(({ id }) => id)).toEqual(["a8", "a7", "a6", "a5", "a4"]);
  });

  it("prefers successes, except in debugging, where a failure with a resolution counts as much", () => {
    const errors_encountered = [{ type: "T", message: "", resolution: "Restart it" }];
    const episodes = near(
      episode({ id: "a-unresolved", outcome: "failure" }),
      episode({ id: "b-failure", outcome: "failure", errors_encountered }),
      episode({ id: "c-partial", outcome: "partial" }),
      episode({ id: "d-success" }),
    );
    const order = (kind: (typeof TASK_KINDS)[number]) =>
      buildBriefing({
        kind,
        candidates: { ...NONE, episodes },
        budget: 2_000,
        now: NOW,
      }).similar_episodes.map(({ id }) => id);
    expect(order("exploration")).toEqual(["d-success", "c-partial", "a-unresolved", "b-failure"]);
    expect(order("debugging")).toEqual(["b-failure", "d-success", "c-partial", "a-unresolved"]);
  });

  it("boosts items that were used, seen or changed recently", () => {
    const lately = new Date(NOW - DAY_MS).toISOString();
    const candidates = {
      patterns: near(pattern({ id: "a" }), pattern({ id: "b", last_used: lately })),
      lessons: near(learning({ id: "c" }), learning({ id: "d", last_seen: lately })),
      skills: near(skill({ slug: "e" }), skill({ slug: "f", updated_at: lately })),
      episodes: near(episode({ id: "g" }), episode({ id: "h", timestamp: lately })),
    };
    const answer = buildBriefing({ kind: "refactoring", candidates, budget: 2_000, now: NOW });
    expect(answer.relevant_patterns[0]?.id).toBe("b");
    expect(answer.avoid_these[0]?.id).toBe("d");
    expect(answer.applicable_skills[0]?.slug).toBe("f");
    expect(answer.similar_episodes[0]?.id).toBe("h");
  });

  it("clips long texts in index lines and gists, in the data as well", () => {
    const long = "A statement that goes on and on. ".repeat(40).trim();
    const patterns = near(...["a", "b"].map((id) => pattern({ id, pattern: long, correct_approach: long })));
    const layers = [60, 110, 2_000].map((budget) => {
      const answer = buildBriefing({ kind: "general", candidates: { ...NONE, patterns }, budget, now: NOW });
      const [first] = answer.relevant_patterns;
      return {
        layer: first?.layer,
        characters: first?.pattern.length,
        tokens: countTokens(first?.text ?? ""),
      };
    });
    expect(layers.map(({ layer }) => layer)).toEqual(["index", "timeline", "full"]);
    expect(layers.map(({ characters }) => characters)).toEqual([64, 120, long.length]);
    expect(layers[0]?.tokens).toBeLessThanOrEqual(25);
    expect(layers[1]?.tokens).toBeLessThanOrEqual(100);
  });

  it("lists twenty steps of an episode and the number of further ones", () => {
    const action_log = Array.from({ length: 23 }, (_, n) => ({ action: `step${n}` }));
    const episodes = near(episode({ id: "long", action_log }));
    const { prompt } = buildBriefing({
      kind: "general",
      candidates: { ...NONE, episodes },
      budget: 2_000,
      now: NOW,
    });
    expect(prompt).toContain("step18; step19; and 3 more steps");
  });

  it("shows a resolved error in the gist of an episode", () => {
    const errors_encountered = [
      { type: "First", message: "m", resolution: null },
      { type: "Second", message: "m", resolution: "Restart it" },
    ];
    const episodes = near(episode({ id: "e", errors_encountered, summary: "words ".repeat(100) }));
    const answer = buildBriefing({
      kind: "general",
      candidates: { ...NONE, episodes },
      budget: 90,
      now: NOW,
    });
    expect(answer.similar_episodes).toMatchObject([
      { layer: "timeline", errors_encountered: [{ type: "Second", resolution: "Restart it" }] },
    ]);
  });

  it("stays within any budget, counts tokens exactly, and lets no stored text start a line or a heading", () => {
    const candidates = fc
      .array(fc.tuple(hostile, hostile, fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 8 })
      .map((texts): BriefingCandidates => {
        const all = texts.map(([a, b, relevance], n) => ({ a, b, relevance, id: `i${n}` }));
        return {
          patterns: all.map(({ a, b, relevance, id }) => ({
            of: pattern({
              id,
              pattern: a,
              category: b,
              conditions: [a, b],
              correct_approach: b,
              incorrect_approach: a,
            }),
            relevance,
          })),
          lessons: all.map(({ a, b, relevance, id }, n) => ({
            of:
              n % 2 === 0
                ? learning({ id, trigger: a, root_cause: b, fix: a, prevention: b })
                : antiPattern({ id, what_fails: a, why: b, prevention: a }),
            relevance,
          })),
          skills: all.map(({ a, b, relevance, id }) => ({
            of: skill({
              slug: id,
              name: a,
              description: b,
              prerequisites: [a],
              steps: [a, b],
              common_errors: [{ error: a, fix: b }],
              exit_criteria: [b],
            }),
            relevance,
          })),
          episodes: all.map(({ a, b, relevance, id }) => ({
            of: episode({
              id,
              goal: a,
              summary: b,
              action_log: [{ action: a, target: b, result: a, error: b }],
              errors_encountered: [{ type: a, message: b, resolution: a }],
              artifacts_produced: [b],
              git_commit: a,
            }),
            relevance,
          })),
        };
      });
    const kinds = fc.constantFrom(...TASK_KINDS, "general" as const);
    const budgets = fc.oneof(fc.integer({ min: 50, max: 600 }), fc.constant(EXPERIENCE.briefingTokens.max));
    fc.assert(
      fc.property(kinds, candidates, budgets, (kind, found, budget) => {
        const answer = buildBriefing({ kind, candidates: found, budget, now: NOW });
        expect(answer.tokens.used).toBe(countTokens(answer.prompt));
        expect(answer.tokens.used).toBeLessThanOrEqual(budget);
        const lines = answer.prompt === "" ? [] : answer.prompt.split(LINE_BREAK);
        const told = [
          ...answer.relevant_patterns,
          ...answer.avoid_these,
          ...answer.applicable_skills,
          ...answer.similar_episodes,
        ];
        expect(lines.filter((line) => line.startsWith("- ["))).toHaveLength(told.length);
        for (const line of lines)
          expect(line).toMatch(
            /^(?:- \[| {2}- [A-Z]|## (?:Relevant patterns|Avoid these|Applicable skills|Similar episodes)$|$)/,
          );
        for (const { text } of told) expect(answer.prompt).toContain(text);
      }),
      { numRuns: scaleCases(60) },
    );
  });
});
