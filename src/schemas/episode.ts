import { EXPERIENCE, LIMITS } from "../limits";
import { Id, jsonValue, Time, text, z } from "./common";
import { Line, Lines, Share, sentence } from "./experience-fields";
import { Signals } from "./recall-signals";

export const EPISODE_OUTCOMES = ["success", "failure", "partial"] as const;

export const EpisodeOutcome = z.enum(EPISODE_OUTCOMES, {
  error: 'must be "success", "failure" or "partial"',
});
export type EpisodeOutcome = z.infer<typeof EpisodeOutcome>;

export const EpisodeContext = z
  .object({
    phase: Line.nullable().default(null),
    goal: sentence(LIMITS.contentChars),
    constraints: Lines.default([]),
    files_involved: Lines.default([]),
  })
  .strict()
  .openapi("EpisodeContext");

/** One step of an attempt. Whatever else the agent logs of it is kept. */

export const Action = z
  .looseObject({
    t: z.number().min(0).optional().openapi({ description: "Seconds since the beginning" }),
    action: Line,
    target: Line.optional(),
    result: Line.optional(),
    error: sentence(LIMITS.contentChars).optional(),
  })
  .openapi("Action");
export type Action = z.infer<typeof Action>;

export const EpisodeError = z
  .object({
    type: Line,
    message: text(0, LIMITS.contentChars).default(""),
    resolution: sentence(LIMITS.contentChars).nullable().default(null),
  })
  .strict()
  .openapi("EpisodeError");
export type EpisodeError = z.infer<typeof EpisodeError>;

/** An episode as it is told; the rest is the service's. */
export const EpisodeTold = z.object({
  task_id: Line.nullable().default(null),
  project_id: Id.nullable().default(null),
  agent: Id.nullable().default(null),
  duration_seconds: z.number().min(0).nullable().default(null),
  context: EpisodeContext,
  action_log: z.array(Action).max(EXPERIENCE.actions).default([]),
  outcome: EpisodeOutcome,
  errors_encountered: z.array(EpisodeError).max(EXPERIENCE.listItems).default([]),
  artifacts_produced: Lines.default([]),
  files_read: Lines.default([]),
  files_modified: Lines.default([]),
  git_commit: Line.nullable().default(null),
  tokens_used: z.number().int().min(0).nullable().default(null),
  importance: Share.default(EXPERIENCE.importance),
});

export const EpisodeCreate = EpisodeTold.extend({
  id: Id.optional().openapi({ description: "Your own id; the same episode twice is one" }),
  timestamp: Time.optional().openapi({ description: "When the attempt began; now if it is not given" }),
  consolidate: z
    .boolean()
    .default(false)
    .openapi({ description: "The task is over: consolidate the project soon, in the background" }),
})
  .strict()
  .superRefine((episode, ctx) => {
    const { success, error } = jsonValue(EXPERIENCE.episodeBytes).safeParse(episode);
    if (!success) ctx.addIssue({ code: "custom", message: error.issues[0]?.message ?? "is too large" });
    if (episode.consolidate && episode.project_id === null)
      ctx.addIssue({
        code: "custom",
        path: ["consolidate"],
        message: "needs a project_id: episodes are consolidated project by project",
      });
  })
  .openapi("EpisodeCreate");
export type EpisodeCreate = z.infer<typeof EpisodeCreate>;

export const Episode = EpisodeTold.extend({
  id: z.string(),
  timestamp: z.string(),
  summary: z
    .string()
    .nullable()
    .openapi({ description: "In place of the action log, once it is a week old" }),
  summarised: z.boolean(),
  archived: z.boolean(),
  archived_at: z.string().nullable(),
  usage_count: z.number(),
  last_used: z.string().nullable(),
}).openapi("Episode");

/** An episode with everything its triples say. `decayed_at` is when its importance was last brought up to date. */
export type Episode = z.infer<typeof Episode> & { decayed_at: string | null };

export const EpisodeHit = z
  .object({
    id: z.string(),
    kind: z.literal("episode"),
    content: z.string().openapi({ description: "Its goal" }),
    outcome: EpisodeOutcome,
    timestamp: z.string(),
    agent_id: z.string().nullable(),
    project_id: z.string().nullable(),
    score: z.number(),
    signals: Signals,
  })
  .openapi("EpisodeHit");
export type EpisodeHit = z.infer<typeof EpisodeHit>;
