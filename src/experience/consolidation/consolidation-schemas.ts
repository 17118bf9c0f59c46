// Consolidation and maintenance of a project's experience, and its metrics.

import { addExample, ClockOverride, Id, Time, Until, z } from "../../kernel/common";
import { EXPERIENCE } from "../../kernel/limits";

const ProjectId = Id.openapi({ description: "The project; `default` has the episodes without one" });

export const ConsolidateInput = z
  .object({
    project_id: ProjectId,
    since: Time.optional().openapi({ description: "Start of the window; defaults to 24 hours ago" }),
    now: ClockOverride,
    dry_run: z.boolean().default(false).openapi({ description: "Report the changes without making them" }),
  })
  .strict()
  .openapi("ConsolidateInput");
export type ConsolidateInput = z.infer<typeof ConsolidateInput>;
addExample(ConsolidateInput, { project_id: "shop" });

const Ids = z.array(z.string());

export const ConsolidateAnswer = z
  .object({
    episodes: z.number().openapi({ description: "Number of episodes considered" }),
    clusters: z.number().openapi({ description: "Number of groups of at least two similar episodes" }),
    created: Ids.openapi({ description: "Ids of new patterns" }),
    updated: Ids.openapi({ description: "Ids of patterns and anti-patterns that gained evidence" }),
    anti_patterns: Ids.openapi({ description: "Ids of new anti-patterns" }),
    merged: Ids.openapi({ description: "Ids of patterns merged into a near-duplicate" }),
    learnings: Ids.openapi({ description: "Ids of learnings that resolved errors created or confirmed" }),
    contradictions: Ids.openapi({
      description: "Ids of new contradictions between patterns, or between facts",
    }),
    proposed_skills: Ids.openapi({ description: "Slugs of new skill proposals" }),
    dry_run: z.boolean(),
  })
  .openapi("ConsolidateAnswer");
export type ConsolidateAnswer = z.infer<typeof ConsolidateAnswer>;
addExample(ConsolidateAnswer, {
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
});

export const MaintenanceInput = z
  .object({ project_id: ProjectId, now: ClockOverride })
  .strict()
  .openapi("MaintenanceInput");
export type MaintenanceInput = z.infer<typeof MaintenanceInput>;
addExample(MaintenanceInput, { project_id: "shop" });

export const MaintenanceAnswer = z
  .object({
    summarised: z.number(),
    archived: z.number(),
    merged: z.number(),
    decayed: z.number(),
    contradictions: z.number().openapi({ description: "Number of new contradictions" }),
    ids: z
      .object({ summarised: Ids, archived: Ids, merged: Ids, contradictions: Ids })
      .openapi({ description: `The ids, at most ${EXPERIENCE.reportedIds} of each kind` }),
  })
  .openapi("MaintenanceAnswer");
export type MaintenanceAnswer = z.infer<typeof MaintenanceAnswer>;
addExample(MaintenanceAnswer, {
  summarised: 0,
  archived: 0,
  merged: 0,
  decayed: 4,
  contradictions: 0,
  ids: { summarised: [], archived: [], merged: [], contradictions: [] },
});

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
