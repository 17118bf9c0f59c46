// Episodes: recorded attempts at a task, with their steps, errors and outcome.

import {
  addExample,
  boundedJson,
  boundedText,
  EpisodeOutcome,
  Id,
  Line,
  LineList,
  nonEmptyText,
  SESSION_DEFAULT,
  Signals,
  Time,
  UnitInterval,
  UserId,
  z,
} from "../../kernel/common";
import { EXPERIENCE, LIMITS } from "../../kernel/limits";

export const EpisodeContext = z
  .object({
    phase: Line.nullable().default(null),
    goal: nonEmptyText(LIMITS.contentChars),
    constraints: LineList.default([]),
    files_involved: LineList.default([]),
  })
  .strict()
  .openapi("EpisodeContext");

/** One step of an attempt. Unknown members are stored, too. */

export const Action = z
  .looseObject({
    t: z.number().min(0).optional().openapi({ description: "Seconds since the start" }),
    action: Line,
    target: Line.optional(),
    result: Line.optional(),
    error: nonEmptyText(LIMITS.contentChars).optional(),
  })
  .openapi("Action");
export type Action = z.infer<typeof Action>;

export const EpisodeError = z
  .object({
    type: Line,
    message: boundedText(0, LIMITS.contentChars).default(""),
    resolution: nonEmptyText(LIMITS.contentChars).nullable().default(null),
  })
  .strict()
  .openapi("EpisodeError");
export type EpisodeError = z.infer<typeof EpisodeError>;

/** The fields of an episode that the caller provides. */
const EpisodeFields = z.object({
  task_id: Line.nullable().default(null),
  project_id: Id.nullable().default(null).openapi({ description: "Without one: the project `default`" }),
  user_id: UserId.nullable().default(null),
  agent: Id.nullable().default(null),
  duration_seconds: z.number().min(0).nullable().default(null),
  context: EpisodeContext,
  action_log: z.array(Action).max(EXPERIENCE.actionsPerEpisode).default([]),
  outcome: EpisodeOutcome,
  errors_encountered: z.array(EpisodeError).max(EXPERIENCE.listItems).default([]),
  artifacts_produced: LineList.default([]),
  files_read: LineList.default([]),
  files_modified: LineList.default([]),
  git_commit: Line.nullable().default(null),
  tokens_used: z.number().int().min(0).nullable().default(null),
  importance: UnitInterval.default(EXPERIENCE.defaultImportance),
});

export const EpisodeCreate = EpisodeFields.extend({
  id: Id.optional().openapi({ description: "Your own id; recording the same episode twice stores one" }),
  timestamp: Time.optional().openapi({ description: "Start of the attempt; defaults to the current time" }),
  consolidate: z.boolean().default(false).openapi({
    description: "The task is finished: consolidate the project soon, in the background",
  }),
})
  .strict()
  .superRefine((episode, ctx) => {
    const { success, error } = boundedJson(EXPERIENCE.episodeBytes).safeParse(episode);
    if (!success) ctx.addIssue({ code: "custom", message: error.issues[0]?.message ?? "is too large" });
  })
  .openapi("EpisodeCreate");
export type EpisodeCreate = z.infer<typeof EpisodeCreate>;
const EPISODE_CREATE_EXAMPLE = addExample(EpisodeCreate, {
  id: "ep-guest-checkout",
  task_id: "SHOP-412",
  project_id: "shop",
  agent: "ada",
  duration_seconds: 1840,
  context: {
    phase: "implementation",
    goal: "Fix the guest checkout",
    constraints: ["No change of the database"],
    files_involved: ["lib/shop/checkout.ex"],
  },
  action_log: [
    { t: 0, action: "read_file", target: "lib/shop/checkout.ex" },
    { t: 320, action: "write_test", target: "test/shop/guest_checkout_test.exs" },
    { t: 900, action: "run_tests", result: "1 failure" },
    { t: 1800, action: "run_tests", result: "213 passed" },
  ],
  outcome: "success",
  errors_encountered: [
    {
      type: "KeyError",
      message: "key :customer_id not found",
      resolution: "Read the guest's e-mail in its place",
    },
  ],
  files_modified: ["lib/shop/checkout.ex"],
  git_commit: "4f1c2ab",
});

export const Episode = EpisodeFields.extend({
  id: z.string(),
  timestamp: z.string(),
  summary: z.string().nullable().openapi({
    description: "Replaces the action log once the episode is a week old",
  }),
  summarised: z.boolean(),
  archived: z.boolean(),
  archived_at: z.string().nullable(),
  usage_count: z.number(),
  last_used: z.string().nullable(),
}).openapi("Episode");

/** An episode with everything that is stored. `decayed_at` is when its importance was last recomputed. */
export type Episode = z.infer<typeof Episode> & {
  decayed_at: string | null;
  /** The importance as it was set, if use has raised it since. */
  base_importance?: number;
};
addExample(Episode, {
  ...EPISODE_CREATE_EXAMPLE,
  user_id: null,
  artifacts_produced: [],
  files_read: [],
  tokens_used: null,
  importance: 0.5,
  timestamp: "2026-11-16T09:20:00.000Z",
  summary: null,
  summarised: false,
  archived: false,
  archived_at: null,
  usage_count: 0,
  last_used: null,
});

export const EpisodeHit = z
  .object({
    id: z.string(),
    kind: z.literal("episode"),
    content: z.string().openapi({ description: "Goal of the episode" }),
    outcome: EpisodeOutcome,
    timestamp: z.string(),
    user_id: z.string().nullable(),
    agent_id: z.string().nullable(),
    project_id: z.string().nullable(),
    score: z.number(),
    signals: Signals,
  })
  .openapi("EpisodeHit");
export type EpisodeHit = z.infer<typeof EpisodeHit>;

// As tools, with descriptions written for models.

const { shape: episodeShape } = EpisodeCreate;
export const RecordEpisodeInput = EpisodeCreate.safeExtend({
  context: episodeShape.context.meta({ description: "The task: its goal, phase, constraints and files" }),
  outcome: episodeShape.outcome.meta({ description: "Result of the attempt" }),
  action_log: episodeShape.action_log.meta({
    description: "The steps in order, each with a short name as action",
  }),
  errors_encountered: episodeShape.errors_encountered.meta({
    description: "Errors encountered, and their resolutions",
  }),
  project_id: episodeShape.project_id.meta({ description: `The project; ${SESSION_DEFAULT}` }),
  user_id: episodeShape.user_id.meta({
    description: `The user whom the attempt was for; ${SESSION_DEFAULT}`,
  }),
  agent: episodeShape.agent.meta({ description: `The agent that made the attempt; ${SESSION_DEFAULT}` }),
  task_id: episodeShape.task_id.meta({ description: "Your id for the task" }),
  id: episodeShape.id.meta({ description: "Your own id; recording the same episode twice stores one" }),
  timestamp: episodeShape.timestamp.meta({
    description: "Start of the attempt; defaults to the current time",
  }),
  duration_seconds: episodeShape.duration_seconds.meta({ description: "Duration in seconds" }),
  artifacts_produced: episodeShape.artifacts_produced.meta({ description: "Artifacts of the attempt" }),
  files_read: episodeShape.files_read.meta({ description: "Files that were read" }),
  files_modified: episodeShape.files_modified.meta({ description: "Files that were changed" }),
  git_commit: episodeShape.git_commit.meta({ description: "The resulting commit" }),
  tokens_used: episodeShape.tokens_used.meta({ description: "Tokens used" }),
  importance: episodeShape.importance.meta({ description: "From 0 to 1" }),
  consolidate: episodeShape.consolidate.meta({
    description: "The task is finished: consolidate the project's episodes into patterns soon",
  }),
});
