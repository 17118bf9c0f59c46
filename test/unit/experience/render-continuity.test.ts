import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildBriefing } from "../../../src/experience/briefing/build-briefing";
import {
  CONTINUITY_TOKENS,
  type ContinuityView,
  renderContinuity,
} from "../../../src/experience/briefing/render-continuity";
import { countTokens } from "../../../src/language/token-count";
import { scaleCases } from "../../patience";
import { antiPattern, episode, hostile, LINE_BREAK, learning, NOW, pattern, skill } from "./support";

const EMPTY: ContinuityView = {
  session: {
    id: "s-1",
    status: "active",
    agent_id: null,
    project_id: null,
    updated_at: "2026-01-06T11:00:00.000Z",
  },
  goal: null,
  tasks: [],
  context: [],
  messages: [],
  checkpoint: null,
  handoffs: [],
  memories: [],
  relevant_patterns: [],
  avoid_these: [],
  applicable_skills: [],
  similar_episodes: [],
};

const handoff = (what_was_done: string): ContinuityView["handoffs"][number] => ({
  id: "handoff-001",
  from_agent: "eng-001-backend",
  context: {
    what_was_done,
    artifacts: [],
    git_state: null,
    needs_testing: [],
    known_issues: [],
    relevant_patterns: [],
  },
});

const found = buildBriefing({
  kind: "implementation",
  candidates: {
    patterns: [
      { of: pattern({ id: "sem-001", pattern: "Handlers need explicit return types" }), relevance: 0.9 },
    ],
    lessons: [
      {
        of: learning({
          id: "learn-1",
          trigger: "Contract tests fail after a merge",
          prevention: "Run contract tests before marking a task complete",
        }),
        relevance: 0.9,
      },
      { of: antiPattern({ id: "anti-1", what_fails: "Return types left out" }), relevance: 0.5 },
    ],
    skills: [
      { of: skill({ slug: "api-implementation", name: "Standard API implementation flow" }), relevance: 0.9 },
    ],
    episodes: [{ of: episode({ id: "ep-012", goal: "Implement GET /api/todos" }), relevance: 0.9 }],
  },
  budget: 2_000,
  now: NOW,
});

const WORKING: ContinuityView = {
  ...found,
  session: { ...EMPTY.session, agent_id: "eng-001", project_id: "todo-api" },
  goal: "Implement POST /api/todos endpoint",
  tasks: [
    { text: "Read the spec", status: "done" },
    { text: "Validate the body", status: "open" },
  ],
  context: [
    { key: "framework", value: "Express" },
    { key: "active_errors", value: ["TS2366"] },
  ],
  messages: [
    { role: "user", name: "Ana", content: "Please keep answers\nunder 200 ms." },
    { role: "assistant", name: null, content: "I will add an index." },
  ],
  checkpoint: {
    last_checkpoint: "2026-01-06T10:00:00.000Z",
    tasks_completed: 12,
    current_task: "task-042",
    state: {},
    context: { current_goal: "CRUD for todos" },
  },
  handoffs: [
    {
      ...handoff("Wrote the schema"),
      context: {
        ...handoff("Wrote the schema").context,
        needs_testing: ["limits"],
        known_issues: ["slow seed"],
      },
    },
  ],
  memories: [
    { id: "mem-1", type: "decision", content: "Use SQLite" },
    { id: "sem-001", type: "discovery", content: "Handlers need explicit return types" },
  ],
};

/** Returns the lines of one section. */
function under(page: string, heading: string): string[] {
  const lines = page.split("\n");
  const rest = lines.slice(lines.indexOf(heading) + 1);
  const end = rest.findIndex((line) => line.startsWith("#"));
  return rest.slice(0, end < 0 ? rest.length : end).filter((line) => line !== "");
}
const NOW_HEADING = "## Now";
const MEMORIES = "## Relevant Memories (Auto-Retrieved)";
const MISTAKES = "## Mistakes to Avoid (From Learnings)";

describe("the continuity page", () => {
  it("renders all sections", () => {
    expect(renderContinuity(WORKING)).toBe(
      [
        "# CONTINUITY",
        "",
        "Session s-1 (active), agent eng-001, project todo-api, 2026-01-06T11:00:00.000Z",
        "",
        "## Now",
        "- Goal: Implement POST /api/todos endpoint",
        "- Handoff [handoff-001] from eng-001-backend: Wrote the schema; to test: limits; known issues: slow seed",
        '- Checkpoint of 2026-01-06T10:00:00.000Z: tasks done: 12; current task: task-042; {"current_goal":"CRUD for todos"}',
        "- Open task: Validate the body",
        "- framework: Express",
        '- active_errors: \\["TS2366"\\]',
        "- Said by assistant: I will add an index.",
        "- Said by user Ana: Please keep answers under 200 ms.",
        "",
        "## Relevant Memories (Auto-Retrieved)",
        "- [sem-001] Handlers need explicit return types",
        "- [mem-1] decision: Use SQLite",
        "- [ep-012] Implement GET /api/todos (success)",
        "- [skill: api-implementation] Standard API implementation flow",
        "",
        "## Mistakes to Avoid (From Learnings)",
        "- [learn-1] Contract tests fail after a merge → Run contract tests before marking a task complete",
        "- [anti-1] Return types left out",
      ].join("\n"),
    );
  });

  it("states that a section is empty", () => {
    expect(renderContinuity(EMPTY)).toBe(
      [
        "# CONTINUITY",
        "",
        "Session s-1 (active), 2026-01-06T11:00:00.000Z",
        "",
        "## Now",
        "Nothing yet.",
        "",
        "## Relevant Memories (Auto-Retrieved)",
        "Nothing yet.",
        "",
        "## Mistakes to Avoid (From Learnings)",
        "Nothing yet.",
      ].join("\n"),
    );
  });

  it("cuts sections from their end and counts the omitted lines", () => {
    const memories = Array.from({ length: 99 }, (_, n) => ({
      id: `m${n}`,
      type: "fact",
      content: `Fact ${n} ${"word ".repeat(12)}`,
    }));
    const page = renderContinuity({ ...WORKING, memories });
    const shown = under(page, MEMORIES);
    expect(shown.slice(0, 2)).toEqual([
      "- [sem-001] Handlers need explicit return types",
      expect.stringContaining("- [m0] fact: Fact 0 word"),
    ]);
    expect(shown.at(-1)).toBe(`- … ${102 - (shown.length - 1)} left out`);
    expect(under(page, NOW_HEADING)).toHaveLength(8);
    expect(under(page, MISTAKES)).toHaveLength(2);
  });

  it("reserves room for mistakes and memories, however long Now is", () => {
    const said = Array.from({ length: 9 }, () => ({
      role: "user" as const,
      name: null,
      content: "言葉".repeat(99),
    }));
    const context = Array.from({ length: 30 }, (_, n) => ({ key: `key${n}`, value: "値".repeat(200) }));
    const page = renderContinuity({ ...WORKING, context, messages: said });
    expect(under(page, MISTAKES)).toHaveLength(2);
    expect(under(page, MEMORIES)).toHaveLength(4);
    expect(under(page, NOW_HEADING).slice(0, 4)).toEqual(
      under(renderContinuity(WORKING), NOW_HEADING).slice(0, 4),
    );
    expect(countTokens(page)).toBeLessThanOrEqual(CONTINUITY_TOKENS);
  });

  it("gives the room that mistakes and memories leave to Now", () => {
    const tasks = Array.from({ length: 8 }, (_, n) => ({
      text: `Task ${n}: ${"word ".repeat(25)}`,
      status: "open" as const,
    }));
    const page = renderContinuity({ ...EMPTY, tasks }, 400);
    expect(under(page, NOW_HEADING)).toHaveLength(8);
    expect(countTokens(page)).toBeGreaterThan(250);
  });

  it("gives mistakes room before memories", () => {
    const view = {
      ...found,
      session: EMPTY.session,
      goal: null,
      tasks: [],
      context: [],
      messages: [],
      handoffs: [],
    };
    const page = renderContinuity({ ...view, checkpoint: null, memories: [] }, 125);
    expect(under(page, MISTAKES)).toHaveLength(2);
    expect(under(page, MEMORIES)).toEqual([
      "- [sem-001] Handlers need explicit return types",
      "- … 2 left out",
    ]);
  });

  it("shows at most eight of a kind and counts the others", () => {
    const tasks = Array.from({ length: 11 }, (_, n) => ({ text: `Task ${n}`, status: "open" as const }));
    const shown = under(renderContinuity({ ...EMPTY, tasks }), NOW_HEADING);
    expect(shown).toEqual([
      ...tasks.slice(0, 8).map(({ text }) => `- Open task: ${text}`),
      "- … 3 more open tasks",
    ]);
  });

  it("shows the goal once, even if it is a task or in the working context", () => {
    const goal = "Ship it";
    const tasks = [{ text: goal, status: "open" as const }];
    const context = [{ key: "current_task", value: goal }];
    expect(under(renderContinuity({ ...EMPTY, goal, tasks, context }), NOW_HEADING)).toEqual([
      "- Goal: Ship it",
    ]);
  });

  it("shows the last four messages, newest first", () => {
    const said = ["a", "b", "c", "d", "e"].map((content) => ({ role: "user" as const, name: null, content }));
    expect(under(renderContinuity({ ...EMPTY, messages: said }), NOW_HEADING)).toEqual([
      "- Said by user: e",
      "- Said by user: d",
      "- Said by user: c",
      "- Said by user: b",
    ]);
  });

  it("shows an item once: a pattern, mistake or skill is not repeated as a memory", () => {
    const memories = ["sem-001", "learn-1", "memory-api-implementation", "other"].map((id) => ({
      id,
      type: "fact",
      content: "x",
    }));
    expect(
      under(renderContinuity({ ...WORKING, memories }), MEMORIES).filter((line) => line.includes("fact:")),
    ).toEqual(["- [other] fact: x"]);
  });

  it("stays within its budget and keeps its layout for any stored text", () => {
    const views = fc
      .tuple(hostile, hostile, fc.integer({ min: 0, max: 12 }))
      .map(([a, b, n]): ContinuityView => {
        const many = <T>(one: (id: string) => T): T[] => Array.from({ length: n }, (_, at) => one(`i${at}`));
        return {
          session: { ...WORKING.session, agent_id: "_".repeat(128) },
          goal: a,
          tasks: many(() => ({ text: b, status: "open" })),
          context: many((key) => ({ key, value: { [a]: b } })),
          messages: many(() => ({ role: "user", name: b, content: a })),
          checkpoint: {
            last_checkpoint: "2026-01-06T10:00:00.000Z",
            tasks_completed: 1,
            current_task: a,
            state: { [b]: a },
            context: {},
          },
          handoffs: many(() => handoff(a)),
          memories: many((id) => ({ id, type: "fact", content: a })),
          relevant_patterns: [],
          avoid_these: many((id) => ({
            id,
            layer: "timeline",
            text: "",
            score: 0,
            kind: "learning",
            name: null,
            what_fails: a,
            confidence: 1,
            prevention: b,
          })),
          applicable_skills: many((slug) => ({
            id: `m-${slug}`,
            layer: "index",
            text: "",
            score: 0,
            slug,
            name: b,
          })),
          similar_episodes: many((id) => ({
            id,
            layer: "index",
            text: "",
            score: 0,
            goal: b,
            outcome: "partial",
            timestamp: "2026-01-06T10:00:00.000Z",
          })),
        };
      });
    fc.assert(
      fc.property(views, fc.integer({ min: 200, max: 2_000 }), (view, budget) => {
        const page = renderContinuity(view, budget);
        expect(countTokens(page)).toBeLessThanOrEqual(budget);
        const lines = page.split(LINE_BREAK);
        expect(lines.filter((line) => line.startsWith("#"))).toEqual([
          "# CONTINUITY",
          NOW_HEADING,
          MEMORIES,
          MISTAKES,
        ]);
        for (const line of lines) expect(line).toMatch(/^(?:- |#|Session s-1 |Nothing yet\.$|$)/);
      }),
      { numRuns: scaleCases(60) },
    );
  });
});
