import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Episode } from "../../../src/experience/episodes/episode-schemas";
import { extractPattern } from "../../../src/experience/patterns/extract-pattern";
import { countCodePoints } from "../../../src/kernel/common";
import { EXPERIENCE, LIMITS } from "../../../src/kernel/limits";
import { CODING_AGENT, episode, error, log } from "./episodes";

type Parts = Parameters<typeof episode>[1];

/** Creates one episode a day from shared and individual fields. */
function attempts(shared: Parts, ...own: Parts[]): Episode[] {
  return own.map((parts, i) =>
    episode(`e${i + 1}`, {
      goal: "Ship it",
      timestamp: `2026-01-0${i + 1}T00:00:00.000Z`,
      ...shared,
      ...parts,
    }),
  );
}

function patternOf(episodes: readonly Episode[]) {
  const pattern = extractPattern(episodes);
  if (pattern === null) throw new Error("no pattern was extracted");
  return pattern;
}

const themeOf = (...goals: string[]) => patternOf(attempts({}, ...goals.map((goal) => ({ goal })))).theme;

describe("a theme", () => {
  it.each([
    [
      "Implement POST /api/… endpoint",
      ["Implement POST /api/todos endpoint", "Implement POST /api/users endpoint"],
    ],
    [
      "Implement … /api/… endpoint",
      ["Implement POST /api/todos endpoint", "Implement GET /api/users endpoint"],
    ],
    [
      "Fix the flaky … test",
      ["Fix the flaky login test", "fix flaky checkout tests", "Fix the flaky search test"],
    ],
    [
      "Refund order … for a customer",
      ["Refund order 1234 for a customer", "Refund order 77 for a customer."],
    ],
    ["Deploy the api to …", ["Deploy the api to staging", "Deploy the api to production"]],
    ["book a flight to … for …", ["Please book a flight to Rome for Anna", "Book a flight to Oslo for Ben"]],
    ["Edit src/routes/… by hand", ["Edit src/routes/todos.ts by hand", "Edit src/routes/users.ts by hand"]],
    ["画面のテストを修正する", ["ログイン画面のテストを修正する", "検索画面のテストを修正する"]],
    ["Update the docs", ["Update the docs.\n\nThe commands have changed.", "Update the docs"]],
  ])("is the common phrase of the goals: %s", (theme, goals) => {
    expect(themeOf(...goals)).toBe(theme);
  });

  it("tolerates one different goal in four", () => {
    const goals = ["todos", "users", "carts"].map((name) => `Implement POST /api/${name} endpoint`);
    expect(themeOf(...goals, "Add POST /api/orders endpoint")).toBe("Implement POST /api/… endpoint");
    expect(themeOf(...goals.slice(1), "Add POST /api/orders endpoint")).toBe("POST /api/… endpoint");
  });

  it("is the most typical goal when little is shared", () => {
    expect(themeOf("Support dark mode", "Add a dark theme", "Add a dark mode")).toBe("Add a dark mode");
    expect(themeOf("Deploy the worker", "Deploy an api")).toBe("Deploy the worker");
  });

  it("is a phrase, even for long goals", () => {
    const goal = "Rework the module and everything that depends on it ".repeat(30);
    expect(countCodePoints(themeOf(goal, goal))).toBeLessThanOrEqual(160);
  });
});

describe("the correct approach", () => {
  const steps = (...logs: string[][]) =>
    patternOf(attempts({}, ...logs.map((actions) => ({ action_log: log(...actions) })))).correct_approach;

  it("lists the steps that successful attempts took in the same order", () => {
    expect(steps(["read", "think", "write", "test"], ["read", "write", "ask", "test"])).toBe(
      "read, then write, then test.",
    );
    expect(steps(["a", "b"], ["b", "a"])).toBe("b.");
    expect(steps(["a"], ["b"])).toBeNull();
  });

  it("includes a step of two out of three attempts", () => {
    expect(steps(["build", "test", "deploy"], ["build", "deploy"], ["Build", "test", "deploy"])).toBe(
      "build, then test, then deploy.",
    );
  });

  it("includes shared targets, as a glob pattern where names differ", () => {
    expect(
      steps(
        ["read openapi.yaml", "write src/routes/todos.ts", "move a.ts", "run npm test"],
        ["read openapi.yaml", "write src/routes/users.ts", "move b.ts", "run npm test"],
      ),
    ).toBe("read openapi.yaml, then write src/routes/*.ts, then move, then run npm test.");
    expect(steps(["edit src/todos/index.ts"], ["edit src/users/index.ts"])).toBe("edit src/*/index.ts.");
    expect(steps(["edit src/a/x.test.ts"], ["edit src/b/y.test.ts"])).toBe("edit src/**/*.test.ts.");
  });

  it("lists repeated steps once", () => {
    expect(
      steps(["read a", "read b", "edit", "test", "edit", "test"], ["read b", "edit", "test", "edit", "test"]),
    ).toBe("read b, then edit, then test.");
  });

  it("ends with the remedies for errors, the most common first", () => {
    const episodes = attempts(
      { action_log: log("build") },
      {
        errors_encountered: [
          error("Schema mismatch", "", "Regenerated the types."),
          error("Type check", "", "Cast it"),
        ],
      },
      { errors_encountered: [error("type check", "", "Declared it")] },
      { errors_encountered: [error("Type check", "", "Declared it"), error("Riddle")] },
    );
    expect(patternOf(episodes).correct_approach).toBe(
      "build. If Type check fails: Declared it. On Schema mismatch: Regenerated the types.",
    );
  });

  it("comes from partial attempts when none succeeded, and states so", () => {
    const partial = { outcome: "partial", action_log: log("a", "b") } as const;
    const failure = { outcome: "failure", action_log: log("c") } as const;
    expect(patternOf(attempts({}, partial, failure, partial)).pattern).toBe(
      "Ship it: what partly works is a, then b.",
    );
    const success = { action_log: log("a", "c") };
    expect(patternOf(attempts({}, partial, success, partial)).pattern).toBe(
      "Ship it: what works is a, then c.",
    );
  });
});

describe("a pattern's statement", () => {
  const sentence = (shared: Parts, ...own: Parts[]) => patternOf(attempts(shared, ...own)).pattern;

  it("has the first steps and the remedy for an error of half of the attempts", () => {
    const actions = log("a", "b", "c", "d", "e", "f");
    expect(sentence({ action_log: actions }, {}, {})).toBe(
      "Ship it: what works is a, then b, then c, then d, then e, …",
    );
    const met = { errors_encountered: [error("Timeout", "late", "Waited")] };
    expect(sentence({ action_log: log("a") }, met, {})).toBe("Ship it: what works is a; on Timeout: Waited.");
    expect(sentence({ action_log: log("a") }, met, {}, {})).toBe("Ship it: what works is a.");
  });

  it.each([
    ["on Timeout: Waited.", { errors_encountered: [error("Timeout", "late", "Waited")] }],
    ["watch out for late (Timeout).", { errors_encountered: [error("Timeout", "late")] }],
    ["the result is docs/a.md.", { artifacts_produced: ["docs/a.md"] }],
    ["the work is in src/*.ts.", { files_modified: ["src/a.ts"] }],
    ["the work is in src/*.ts.", { context: { goal: "Ship it", files_involved: ["src/a.ts"] } }],
    ["a recurring task that has been done before.", {}],
    ["a recurring task that has only been done in part.", { outcome: "partial" as const }],
  ])("claims without steps: %s", (claim, parts) => {
    const renamed = JSON.parse(JSON.stringify(parts).replace("src/a.ts", "src/b.ts")) as typeof parts;
    expect(sentence({}, parts, renamed)).toBe(`Ship it: ${claim}`);
  });

  it("has one colon between theme and claim", () => {
    expect(sentence({ goal: "fix(auth): renew tokens" }, {}, {})).toBe(
      "fix(auth): renew tokens – a recurring task that has been done before.",
    );
  });

  it("does not change with more episodes of the same kind", () => {
    const five = CODING_AGENT.slice(0, 5);
    const again = five.map((each) => ({ ...each, id: `${each.id}-again` }));
    expect(patternOf([...five, ...again]).pattern).toBe(patternOf(five).pattern);
  });
});

describe("the incorrect approach", () => {
  const mistakes = (good: string[], ...bad: string[][]) =>
    patternOf(
      attempts(
        {},
        { action_log: log(...good) },
        ...bad.map((steps) => ({ outcome: "failure" as const, action_log: log(...steps) })),
      ),
    ).incorrect_approach;

  it("includes a step that failed attempts skipped", () => {
    expect(mistakes(["build", "test", "deploy"], ["build", "deploy"])).toBe("Leaving out test.");
    expect(mistakes(["read spec.md", "write"], ["read other.md", "write"])).toBe("Leaving out read spec.md.");
  });

  it("excludes steps after the end of an attempt and steps that only some skipped", () => {
    expect(mistakes(["build", "test", "deploy"], ["build", "test"])).toBeNull();
    expect(
      mistakes(["build", "test", "deploy"], ["build", "deploy"], ["build", "test", "deploy"]),
    ).toBeNull();
  });

  it("includes a swapped target", () => {
    expect(
      mistakes(["migrate staging", "test"], ["migrate production"], ["migrate production", "test"]),
    ).toBe("migrate production instead of staging.");
  });

  it("lists the steps that failed attempts share and others lack", () => {
    expect(mistakes(["build", "deploy"], ["build", "push main"], ["build", "push main"])).toBe(
      "build, then push main.",
    );
  });

  it("is null when failed attempts took the same steps", () => {
    expect(mistakes(["build", "deploy"], ["build", "deploy"])).toBeNull();
  });

  it("lists the errors of half of the failed attempts", () => {
    const bad = (...types: string[]) => ({
      outcome: "failure" as const,
      errors_encountered: types.map((type) => error(type, `${type} of it.`)),
    });
    const episodes = attempts({}, {}, bad("A", "B"), bad("a", "C"), bad("A"), bad("D"));
    expect(patternOf(episodes).incorrect_approach).toBe("A of it.");
    expect(
      patternOf(attempts({}, {}, { outcome: "failure", errors_encountered: [error("Timeout", "Late")] }))
        .incorrect_approach,
    ).toBe("Late (Timeout).");
  });

  it("lists the errors of half of all attempts without failures, and is null without any", () => {
    const met = { errors_encountered: [error("Type check", "No return type", "Added it")] };
    expect(patternOf(attempts({}, met, met, {}, {})).incorrect_approach).toBe("No return type (Type check).");
    expect(patternOf(attempts({}, met, {}, {})).incorrect_approach).toBeNull();
    expect(patternOf(attempts({}, {}, {})).incorrect_approach).toBeNull();
  });
});

describe("conditions", () => {
  const conditions = (...contexts: Partial<Episode["context"]>[]) =>
    patternOf(attempts({}, ...contexts.map((context) => ({ context: { goal: "Ship it", ...context } }))))
      .conditions;

  it("are the phase, constraints and files that half of the episodes share, in this order", () => {
    expect(
      conditions(
        {
          phase: "testing",
          constraints: ["No new deps", "Fast"],
          files_involved: ["src/db/a.ts", "package.json"],
        },
        { phase: "Testing", constraints: ["no new deps"], files_involved: ["src/db/b.ts", "package.json"] },
        { constraints: ["Fast", "Small"] },
      ),
    ).toEqual(["During testing", "Fast", "No new deps", "Working on package.json", "Working on src/db/*.ts"]);
  });

  it("exclude those of one episode in two", () => {
    expect(conditions({ phase: "testing", constraints: ["Fast"], files_involved: ["a.ts"] }, {})).toEqual([]);
  });
});

describe("a category", () => {
  const category = (...own: Parts[]) => patternOf(attempts({}, ...own)).category;
  const files = (...names: string[]) => ({ files_modified: names });

  it("is the language of most episodes' files", () => {
    expect(category(files("a.py"), files("b.py", "c.ts"), {})).toBe("python");
    expect(category(files("a.TSX"), { artifacts_produced: ["b.mts"] })).toBe("typescript");
    const involved = (...names: string[]) => ({ context: { goal: "Tidy up", files_involved: names } });
    expect(category(involved("db/1.sql"), involved("db/2.sql"))).toBe("sql");
  });

  it("is otherwise the phase, or general", () => {
    const phase = (name: string) => ({ context: { goal: "x", phase: name } });
    expect(category({ ...phase("Release"), ...files("a.py") }, phase("release"))).toBe("release");
    expect(category(files("README.md"), files("notes.txt"))).toBe("general");
    expect(category(phase("anti-pattern"), phase("anti-pattern"))).toBe("general");
  });
});

describe("extracting a pattern", () => {
  it("returns null when every attempt failed", () => {
    expect(extractPattern(attempts({ outcome: "failure" }, {}, {}))).toBeNull();
  });

  it.each([
    ["words", ["Rechnung an den Kunden schicken", "Urlaub für Mai planen", "Server neu starten"]],
    ["characters", ["請求書を送る", "会議を準備する", "サーバーを再起動する"]],
  ])("returns null for goals that share no %s, however close their vectors", (_, goals) => {
    expect(extractPattern(attempts({}, ...goals.map((goal) => ({ context: { goal } }))))).toBeNull();
  });

  it("works for similar goals in another language", () => {
    const goals = ["Rechnung an Müller schicken", "Rechnung an Schmidt schicken"];
    expect(patternOf(attempts({}, ...goals.map((goal) => ({ context: { goal } })))).theme).toBe(
      "Rechnung an … schicken",
    );
    const japanese = ["田中さんに請求書を送る", "鈴木さんに請求書を送る"];
    expect(extractPattern(attempts({}, ...japanese.map((goal) => ({ context: { goal } }))))).not.toBeNull();
  });

  it.each([
    [2, 0.7, "hypothesis"],
    [3, 0.8, "discovery"],
    [4, 0.9, "discovery"],
    [9, 0.95, "discovery"],
  ])("gives %i episodes a confidence of %d and the type %s", (count, confidence, memory_type) => {
    const episodes = attempts({}, ...Array.from({ length: count }, () => ({})));
    expect(patternOf(episodes)).toMatchObject({ confidence, memory_type });
  });

  it("returns its episodes by time, the newest timestamp and their mean importance", () => {
    const episodes = attempts({}, { importance: 0.2 }, { importance: 0.3 }, { importance: 0.5 });
    expect(patternOf(episodes.toReversed())).toMatchObject({
      source_episodes: ["e1", "e2", "e3"],
      timestamp: "2026-01-03T00:00:00.000Z",
      importance: 0.3333,
    });
  });

  it("does not depend on the order of its episodes and fits a memory's limits", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
    const name = fc.oneof(text, fc.constantFrom("read_file", "run_test", "src/a/b.ts", "src/a/c.ts"));
    const parts = fc.record({
      outcome: fc.constantFrom("success", "partial", "failure"),
      action_log: fc.array(fc.record({ action: name, target: name }), { maxLength: 20 }),
      errors_encountered: fc.array(
        fc.record({ type: name, message: fc.oneof(text, fc.constant("")), resolution: fc.option(text) }),
        { maxLength: 5 },
      ),
      files_modified: fc.array(name, { maxLength: 4 }),
      context: fc.record({
        goal: fc.oneof(text, fc.constantFrom("Fix the login test", "Fix the search test")),
        phase: fc.option(name),
        constraints: fc.array(name, { maxLength: 4 }),
      }),
    });
    fc.assert(
      fc.property(fc.array(parts, { minLength: 2, maxLength: 6 }), (own) => {
        const episodes = attempts({}, ...(own as Parts[]));
        const pattern = extractPattern(episodes);
        expect(extractPattern(episodes.toReversed())).toEqual(pattern);
        for (const each of [pattern?.pattern, pattern?.correct_approach, pattern?.incorrect_approach])
          expect(countCodePoints(each ?? "")).toBeLessThanOrEqual(LIMITS.contentChars);
        for (const condition of pattern?.conditions ?? [])
          expect(countCodePoints(condition)).toBeLessThanOrEqual(EXPERIENCE.lineChars);
      }),
    );
  });
});
