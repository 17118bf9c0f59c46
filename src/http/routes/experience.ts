// Consolidation and maintenance of a project's experience, briefings before a task, the continuity page of a session, and
// metrics.
import { NO_OWNER } from "../../domain/access";
import { prime } from "../../operations/experience/prime";
import { runConsolidation, runMaintenance } from "../../operations/experience/project-operations";
import { renderSessionContinuity } from "../../operations/experience/read-continuity";
import { readMetrics } from "../../operations/experience/read-metrics";
import { PrimeAnswer, PrimeInput } from "../../schemas/briefing";
import {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "../../schemas/consolidation";
import { MetricsAnswer, MetricsQuery } from "../../schemas/experience/metrics";
import type { App } from "../app-context";
import { groupRoutes } from "../endpoint";
import { SessionParams } from "./sessions";

export function experienceRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Experience", stage: "project" });

  routes.post("/v1/consolidate", "consolidate", {
    summary: "Consolidate the episodes of a project into patterns",
    description: "Runs of one project are serialised. A second run over the same episodes changes nothing.",
    quota: { exempt: "It condenses episodes that were accepted before." },
    bound: "owner",
    body: ConsolidateInput,
    example: { body: { project_id: "shop" } },
    responses: {
      200: {
        description: "The result of the run",
        schema: ConsolidateAnswer,
        example: {
          episodes: 2,
          clusters: 1,
          created: [],
          updated: ["7bb91cdd3572b4bc19f0d954e0c6bfd7"],
          anti_patterns: [],
          merged: [],
          learnings: [],
          contradictions: [],
          proposed_skills: [],
          dry_run: false,
        },
      },
    },
    handle: async ({ services, body, idempotency }) =>
      (await runConsolidation(services, body, idempotency)).body,
  });

  routes.post("/v1/maintenance", "maintain", {
    summary: "Maintain the experience of a project: decay, summarise, archive and merge duplicates",
    quota: { exempt: "It condenses episodes that were accepted before." },
    bound: "owner",
    body: MaintenanceInput,
    example: { body: { project_id: "shop" } },
    responses: {
      200: {
        description: "The result of the run",
        schema: MaintenanceAnswer,
        example: {
          summarised: 0,
          archived: 0,
          merged: 0,
          decayed: 4,
          contradictions: 0,
          ids: { summarised: [], archived: [], merged: [], contradictions: [] },
        },
      },
    },
    handle: async ({ services, body, idempotency }) =>
      (await runMaintenance(services, body, idempotency)).body,
  });

  routes.post("/v1/prime", "prime", {
    summary: "Get a briefing before a task: patterns, mistakes, skills and episodes, within a token budget",
    scope: "read",
    capability: "CanQueryMemory",
    bound: "owner",
    stage: "prime",
    body: PrimeInput,
    example: { body: { goal: "Fix the checkout for vouchers", project_id: "shop", token_budget: 600 } },
    responses: { 200: { description: "The briefing", schema: PrimeAnswer, example: BRIEFING } },
    handle: async ({ services, body }) => (await prime(services, NO_OWNER, body)).body,
  });

  routes.get("/v1/sessions/{id}/continuity", "getContinuity", {
    summary: "Read a session's working memory as a page: current work, relevant memories, mistakes to avoid",
    capability: "CanQueryMemory",
    stage: "continuity",
    params: SessionParams,
    responses: {
      200: { description: "Markdown", schema: null, types: ["text/markdown"], exampleText: CONTINUITY_PAGE },
    },
    handle: async ({ c, services, params: { id } }) => {
      const { markdown } = await renderSessionContinuity(services, id);
      return c.body(markdown, 200, { "Content-Type": "text/markdown; charset=utf-8" });
    },
  });
}

const BRIEFING = {
  kind: "debugging",
  relevant_patterns: [
    {
      id: "7bb91cdd3572b4bc19f0d954e0c6bfd7",
      layer: "full",
      text: "- [guest-checkout-needs-a-test] A change of the checkout needs a test that buys as a guest\n  - When: the checkout is changed\n  - Do: Write the guest's test first\n  - Do not: Test with a customer only\n  - Category: testing\n  - Known from: 2 episodes, confidence 0.9",
      score: 0.0628,
      name: "guest-checkout-needs-a-test",
      pattern: "A change of the checkout needs a test that buys as a guest",
      category: "testing",
      memory_type: "discovery",
      confidence: 0.9,
      conditions: ["the checkout is changed"],
      correct_approach: "Write the guest's test first",
      incorrect_approach: "Test with a customer only",
      source_episodes: ["ep-guest-checkout", "ep-app-checkout"],
    },
  ],
  avoid_these: [
    {
      id: "85e27ca53ae76776a7abee574163d710",
      layer: "full",
      text: "- [85e27ca53ae76776a7abee574163d710] Checkout failed for guests\n  - Why: The payment step read the customer id, which guests do not have\n  - Prevention: Test each change of the checkout as a guest\n  - Fix: Read the e-mail in its place",
      score: 0.2219,
      kind: "learning",
      name: null,
      what_fails: "Checkout failed for guests",
      confidence: 0.8,
      why: "The payment step read the customer id, which guests do not have",
      prevention: "Test each change of the checkout as a guest",
    },
  ],
  applicable_skills: [],
  similar_episodes: [
    {
      id: "ep-guest-checkout",
      layer: "full",
      text: "- [ep-guest-checkout] Fix the guest checkout (success, 2026-11-16)\n  - Constraints: No change of the database\n  - Steps: read_file lib/shop/checkout.ex; write_test test/shop/guest_checkout_test.exs; run_tests (1 failure); run_tests (213 passed)\n  - Error: KeyError: key :customer_id not found → Read the guest's e-mail in its place\n  - Changed: lib/shop/checkout.ex\n  - Commit: 4f1c2ab",
      score: 0.2988,
      goal: "Fix the guest checkout",
      outcome: "success",
      timestamp: "2026-11-16T09:20:00.000Z",
      errors_encountered: [
        {
          type: "KeyError",
          message: "key :customer_id not found",
          resolution: "Read the guest's e-mail in its place",
        },
      ],
      summary: null,
    },
  ],
  prompt:
    "## Relevant patterns\n- [guest-checkout-needs-a-test] A change of the checkout needs a test that buys as a guest\n  - When: the checkout is changed\n  - Do: Write the guest's test first\n  - Do not: Test with a customer only\n  - Category: testing\n  - Known from: 2 episodes, confidence 0.9\n\n## Avoid these\n- [85e27ca53ae76776a7abee574163d710] Checkout failed for guests\n  - Why: The payment step read the customer id, which guests do not have\n  - Prevention: Test each change of the checkout as a guest\n  - Fix: Read the e-mail in its place\n\n## Similar episodes\n- [ep-guest-checkout] Fix the guest checkout (success, 2026-11-16)\n  - Constraints: No change of the database\n  - Steps: read_file lib/shop/checkout.ex; write_test test/shop/guest_checkout_test.exs; run_tests (1 failure); run_tests (213 passed)\n  - Error: KeyError: key :customer_id not found → Read the guest's e-mail in its place\n  - Changed: lib/shop/checkout.ex\n  - Commit: 4f1c2ab",
  tokens: { used: 282, budget: 600, saved: 0 },
};

const CONTINUITY_PAGE =
  "# CONTINUITY\n\nSession checkout-fix (active), agent ada, project shop, 2026-11-16T09:18:00.000Z\n\n## Now\n- framework: Phoenix 1.8\n- Said by assistant: The payment step reads the customer id, which guests do not have.\n- Said by user Mia: Checkout has been failing for guests since Monday.\n\n## Relevant Memories (Auto-Retrieved)\n- [ab6a92ee32fc50cabc64c255171ccc6b] Guests have no customer id at checkout\n- [guest-checkout-needs-a-test] A change of the checkout needs a test that buys as a guest\n- [d416573033f1f598408ca9e649ef63f3] fact: User: Is the fix of the guest checkout ready? Assistant: Yes. It waits for Mia's review.\n- [ep-guest-checkout] Fix the guest checkout (success)\n- [ep-app-checkout] Fix the guest checkout of the app (success)\n\n## Mistakes to Avoid (From Learnings)\n- [85e27ca53ae76776a7abee574163d710] Checkout failed for guests → Test each change of the checkout as a guest";

export function metricsRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Experience" });

  routes.get("/v1/metrics", "getMetrics", {
    summary: "Read metrics of episodes and briefings over a rolling window",
    description:
      "The last `window_days` days, in total and by project, agent and day; of one project and one agent, if named. A " +
      "breakdown has the 100 projects or agents with the most episodes. `activity` counts what was stored and recalled.",
    limitsReads: true,
    bound: "owner",
    stage: "store",
    query: MetricsQuery,
    responses: { 200: { description: "The metrics", schema: MetricsAnswer, example: METRICS_EXAMPLE } },
    handle: ({ services, query }) => readMetrics(services, query),
  });
}

const METRICS = {
  episodes: 2,
  outcomes: { success: 2, partial: 0, failure: 0 },
  success_rate: 1,
  duration_seconds: { mean: 1110, p50: 900, p95: 1320 },
  tokens: { used: 41_200, mean: 20_600 },
  retries: 0,
  errors: 1,
  prime: {
    calls: 4,
    with_patterns: 3,
    pattern_rate: 0.75,
    patterns: 5,
    tokens_used: 1_128,
    tokens_saved: 2_310,
  },
};

const METRICS_EXAMPLE = {
  window: { since: "2026-11-16T00:00:00.000Z", until: "2026-11-17T00:00:00.000Z", days: 1 },
  total: METRICS,
  by_project: [{ project_id: "shop", ...METRICS }],
  by_agent: [{ agent_id: "ada", ...METRICS }],
  by_day: [{ day: "2026-11-16", ...METRICS }],
  activity: [{ day: "2026-11-16", memories: 41, messages: 118, recalls: 96 }],
};
