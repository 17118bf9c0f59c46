// Consolidation and maintenance of a project's experience, briefings before a task, the continuity page of a session, and
// metrics.
import { createAccess } from "../../calls/call-access";
import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { PrimeAnswer, PrimeInput } from "../briefing/briefing-schemas";
import { prime } from "../briefing/prime";
import { renderSessionContinuity } from "../briefing/read-continuity";
import { readMetrics } from "../episodes/read-metrics";
import {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
  MetricsAnswer,
  MetricsQuery,
} from "./consolidation-schemas";
import { runConsolidation, runMaintenance } from "./project-operations";

export function experienceRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Experience", stage: "project" });

  routes.post("/v1/consolidate", "consolidate", {
    summary: "Consolidate the episodes of a project into patterns",
    description: "Runs of one project are serialised. A second run over the same episodes changes nothing.",
    quota: { exempt: "It condenses episodes that were accepted before." },
    bound: "owner",
    body: ConsolidateInput,
    responses: { 200: { description: "The result of the run", schema: ConsolidateAnswer } },
    handle: async ({ services, body, idempotency }) =>
      (await runConsolidation(services, body, idempotency)).body,
  });

  routes.post("/v1/maintenance", "maintain", {
    summary: "Maintain the experience of a project: decay, summarise, archive and merge duplicates",
    quota: { exempt: "It condenses episodes that were accepted before." },
    bound: "owner",
    body: MaintenanceInput,
    responses: { 200: { description: "The result of the run", schema: MaintenanceAnswer } },
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
    responses: { 200: { description: "The briefing", schema: PrimeAnswer } },
    handle: async ({ services, body }) => (await prime(services, createAccess(services), body)).body,
  });

  routes.get("/v1/sessions/{id}/continuity", "getContinuity", {
    summary: "Read a session's working memory as a page: current work, relevant memories, mistakes to avoid",
    capability: "CanQueryMemory",
    stage: "continuity",
    responses: {
      200: { description: "Markdown", schema: null, types: ["text/markdown"], exampleText: CONTINUITY_PAGE },
    },
    handle: async ({ c, services, params: { id } }) => {
      const { markdown } = await renderSessionContinuity(services, id);
      return c.body(markdown, 200, { "Content-Type": "text/markdown; charset=utf-8" });
    },
  });
}

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
    responses: { 200: { description: "The metrics", schema: MetricsAnswer } },
    handle: ({ services, query }) => readMetrics(services, query),
  });
}
