import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TASK_KINDS } from "../../../src/experience/briefing/briefing-schemas";
import { type BriefingKind, detectTaskKind } from "../../../src/experience/briefing/task-kind";

const GOALS: Record<BriefingKind, readonly string[]> = {
  debugging: [
    "Fix the login redirect",
    "Debug why uploads hang",
    "fix(api): return 404 for unknown ids",
    "KIO-12 Fix typo in the footer",
    "[Bug] Header overlaps the logo on mobile",
    "Please fix the flaky checkout test",
    "We need to troubleshoot the deploy",
    "Fixing memory growth in the worker",
    "The build is broken on main",
    "Build fails on CI",
    "Review page is broken",
    "Search crashes on an empty query",
    "Failing tests in the parser",
    "Crash on startup",
    "Regression in date parsing since v2",
    "TypeError when the cart is empty",
    "Endpoint returns 500 for large bodies",
    "Users can't log in with Safari",
    "Export does not include archived rows",
    "Why does the alarm run twice?",
    "Why do we get two confirmation mails when it fails?",
    "Fix the review page",
    "Fix and refactor the retry loop",
    "Investigate why the nightly job fails",
    "Find out why recall misses the newest memory",
    "Investigate and fix the timeout",
    "Check why CI is failing",
    "Find the bug in the paging cursor",
    "Write a fix for the crash in sync",
    "How do I fix the CORS error?",
    "Can the worker leak memory?",
    "Checkout: TypeError after the second coupon",
  ],
  review: [
    "Review the authentication module",
    "Review and fix the migration scripts",
    "Review error handling in the worker",
    "Audit the dependencies for licences",
    "Check over the release notes",
    "Look at PR 42",
    "PR #42 fixes the crash in checkout",
    "Pull request 7: add rate limits",
    "Do a security review of the API",
    "Assess the quality of the test suite",
    "Verify that every query names its tenant",
    "Double-check the error messages",
    "Could you review my changes?",
  ],
  refactoring: [
    "Refactor the session object",
    "Refactor the failing tests into one table",
    "Rename userId to accountId",
    "Extract a helper for pagination",
    "Clean up the error classes",
    "Simplify the retry logic",
    "Restructure the routes folder",
    "Split store.ts into reads and writes",
    "Move the limits to one file",
    "Break up the god object",
    "Let's tidy the imports",
    "Remove the old endpoint",
  ],
  exploration: [
    "Explore the codebase",
    "Investigate options for full-text search",
    "Investigate vector stores and write a summary",
    "Understand how promotion works",
    "Research rate limiters",
    "Find out which tables have no index",
    "How does the outbox work?",
    "What's new in Hono 4?",
    "Where is the tenant checked?",
    "Compare error trackers",
    "Evaluate Vectorize against an own index",
    "Spike: WASM for the scan",
    "Learn the ontology's terms",
    "Why do we use D1?",
    "Does recall respect the scope?",
    "Can we support Japanese?",
    "Should we use Redis or D1?",
  ],
  implementation: [
    "Implement POST /api/todos endpoint",
    "Implement error handling",
    "Add a failing test",
    "Add a fix button to the toolbar",
    "Write tests for the parser",
    "Write a regression test for the crash",
    "Build the index page",
    "Build an error page",
    "Create a review form",
    "Support pull requests from forks",
    "Integrate Stripe",
    "Introduce a cache",
    "Migrate from SQLite to D1",
    "Set up CI",
    "Setting up the staging environment",
    "Deploy the worker",
    "feat(api): cursor pagination",
    "Checkout: add a coupon field",
    "Read the spec and implement the endpoint",
    "I'd like you to add dark mode",
    "The task is to introduce feature flags",
    "Handle crashes of the tokenizer",
    "Continue implementing the ledger",
    "How to add a route",
    "Dark mode: implementation",
    "Show failed jobs in the dashboard",
    "Set the timeout to 5 seconds",
    "Error handling in the parser",
  ],
  general: [
    "Say hello to the customer",
    "Prefix of the address",
    "Fixture additives",
    "決済画面について",
    "The `review` flag",
    "A page which lists todos",
    "Meeting with Ana on Friday",
    "…",
  ],
};

describe("the kind of a task by its goal", () => {
  const cases = Object.entries(GOALS).flatMap(([kind, goals]) => goals.map((goal) => [kind, goal] as const));

  it.each(cases)("is %s: %s", (kind, goal) => {
    expect(detectTaskKind({ goal })).toBe(kind);
  });

  it("does not depend on case, quotes or a full stop", () => {
    expect(detectTaskKind({ goal: "REFACTOR THE STORE." })).toBe("refactoring");
    expect(detectTaskKind({ goal: 'Add "fix" to the commands' })).toBe("implementation");
    expect(detectTaskKind({ goal: "Users can’t log in" })).toBe("debugging");
  });

  it("is decided by the first clause that has one", () => {
    expect(detectTaskKind({ goal: "The export hangs. Add a spinner." })).toBe("debugging");
    expect(detectTaskKind({ goal: "Context: we use Hono. Task: implement sessions." })).toBe(
      "implementation",
    );
  });

  it("is one of the kinds, for any goal", () => {
    const words = fc.constantFrom(
      "fix",
      "why",
      "review",
      "and",
      "then",
      "how",
      "build",
      "error",
      "the",
      ":",
      ".",
    );
    const goal = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(words, { maxLength: 12 }).map((said) => said.join(" ")),
    );
    fc.assert(
      fc.property(goal, (said) => {
        expect([...TASK_KINDS, "general"]).toContain(detectTaskKind({ goal: said }));
      }),
    );
  });
});

describe("a goal without a kind", () => {
  const goal = "Todos";

  it.each([
    ["planning", "exploration"],
    ["research", "exploration"],
    ["Discovery", "exploration"],
    ["development", "implementation"],
    ["implementation", "implementation"],
    ["debugging", "debugging"],
    ["testing", "debugging"],
    ["code_review", "review"],
    ["refactoring", "refactoring"],
    ["phase 3", "general"],
    ["constructor", "general"],
  ])("in the phase %j is %s", (phase, kind) => {
    expect(detectTaskKind({ goal, phase })).toBe(kind);
  });

  it.each([
    ["read_file", "exploration"],
    ["search", "exploration"],
    ["write_file", "implementation"],
    ["create", "implementation"],
    ["run_test", "debugging"],
    ["runTests", "debugging"],
    ["rename_file", "refactoring"],
    ["review_diff", "review"],
    ["edit_file", "general"],
    ["__proto__", "general"],
  ])("with the action %j is %s", (action_type, kind) => {
    expect(detectTaskKind({ goal, action_type })).toBe(kind);
  });

  it("falls back on the phase, then the action; a goal with a kind comes before both", () => {
    expect(detectTaskKind({ goal, phase: "review", action_type: "write_file" })).toBe("review");
    expect(detectTaskKind({ goal, phase: "phase 3", action_type: "write_file" })).toBe("implementation");
    expect(detectTaskKind({ goal: "Fix todos", phase: "review", action_type: "write_file" })).toBe(
      "debugging",
    );
  });
});
