// Metrics of a tenant's work over a rolling window: outcomes, time, tokens, retries, and the use of briefings.

import { EXPERIENCE } from "../../limits";
import { Id, Until, z } from "../common";
import { addExample } from "../examples";

const DAYS_MESSAGE = `must be a whole number from 1 to ${EXPERIENCE.metricsDays.max}`;

export const MetricsQuery = z.object({
  project_id: Id.optional(),
  agent_id: Id.optional(),
  window_days: z.coerce
    .number({ error: DAYS_MESSAGE })
    .int(DAYS_MESSAGE)
    .min(1, DAYS_MESSAGE)
    .max(EXPERIENCE.metricsDays.max, DAYS_MESSAGE)
    .default(EXPERIENCE.metricsDays.default)
    .openapi({ type: "integer", description: "The length of the window, in days of UTC" }),
  until: Until.optional().openapi({ description: "The last day, or a time of it; today by default" }),
});
export type MetricsQuery = z.infer<typeof MetricsQuery>;

const NullableNumber = z.number().nullable();

export const Metrics = z
  .object({
    episodes: z.number(),
    outcomes: z.object({ success: z.number(), partial: z.number(), failure: z.number() }),
    success_rate: NullableNumber.openapi({ description: "Successes per episode; null without episodes" }),
    duration_seconds: z
      .object({ mean: NullableNumber, p50: NullableNumber, p95: NullableNumber })
      .openapi({ description: "Of the episodes with a duration; null without any" }),
    tokens: z
      .object({ used: z.number(), mean: NullableNumber })
      .openapi({ description: "Of the episodes with `tokens_used`" }),
    retries: z.number().openapi({
      description: "Episodes whose `task_id` had an earlier episode in the same project, at any time",
    }),
    errors: z.number().openapi({ description: "Errors that the episodes encountered" }),
    prime: z
      .object({
        calls: z.number(),
        with_patterns: z.number().openapi({ description: "Calls that returned at least one pattern" }),
        pattern_rate: NullableNumber.openapi({ description: "`with_patterns` per call; null without calls" }),
        patterns: z.number().openapi({ description: "Patterns returned, each as often as it was" }),
        tokens_used: z.number(),
        tokens_saved: z.number().openapi({ description: "The sum of `tokens.saved` of the briefings" }),
      })
      .openapi({ description: "Briefings of this project and agent" }),
  })
  .openapi("Metrics");
export type Metrics = z.infer<typeof Metrics>;

const DayActivity = z
  .object({
    day: z.string(),
    memories: z.number().openapi({ description: "Memories with a timestamp of the day" }),
    messages: z.number().openapi({ description: "Messages with a timestamp of the day" }),
    recalls: NullableNumber.openapi({
      description:
        "Recalls that returned memories, except those of keys without `write`; null for a project or an agent, for which they are not counted",
    }),
  })
  .openapi("DayActivity");

export const MetricsAnswer = z
  .object({
    window: z.object({
      since: z.string().openapi({ description: "The start of the first day" }),
      until: z.string().openapi({ description: "The end of the last day" }),
      days: z.number(),
    }),
    total: Metrics,
    by_project: z.array(Metrics.extend({ project_id: z.string().nullable() })),
    by_agent: z.array(Metrics.extend({ agent_id: z.string().nullable() })),
    by_day: z.array(Metrics.extend({ day: z.string() })).openapi({ description: "Every day of the window" }),
    activity: z.array(DayActivity).openapi({ description: "Every day of the window" }),
  })
  .openapi("MetricsAnswer");
export type MetricsAnswer = z.infer<typeof MetricsAnswer>;
const METRICS_EXAMPLE = {
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

addExample(MetricsAnswer, {
  window: { since: "2026-11-16T00:00:00.000Z", until: "2026-11-17T00:00:00.000Z", days: 1 },
  total: METRICS_EXAMPLE,
  by_project: [{ project_id: "shop", ...METRICS_EXAMPLE }],
  by_agent: [{ agent_id: "ada", ...METRICS_EXAMPLE }],
  by_day: [{ day: "2026-11-16", ...METRICS_EXAMPLE }],
  activity: [{ day: "2026-11-16", memories: 41, messages: 118, recalls: 96 }],
});
