// Metrics of episodes and briefings, and of what was stored and recalled.
import { readMetrics } from "../../../operations/experience/read-metrics";
import { MetricsAnswer, MetricsQuery } from "../../../schemas/experience/metrics";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";

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
