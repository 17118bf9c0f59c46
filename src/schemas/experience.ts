// Experience: episodes, the patterns and lessons they leave, consolidation, maintenance, and what to know before a task.
import { EXPERIENCE, LIMITS } from "../limits";
import { AnyJson, Confidence, Id, jsonValue, Time, text, z } from "./common";
import { Signals } from "./recall-signals";

const required = (what: string) => (issue: { input: unknown }) =>
  issue.input === undefined ? "is required" : `must be ${what}`;

/** One line or a few of what somebody said; never empty. */
function sentence(max: number) {
  return z
    .string({ error: required("a text") })
    .trim()
    .pipe(text(1, max));
}

const Line = sentence(EXPERIENCE.lineChars);
const Lines = z.array(Line).max(EXPERIENCE.listItems);
const Share = z
  .number({ error: required("a number from 0 to 1") })
  .min(0)
  .max(1);
const Clock = Time.optional().openapi({
  description: "The time to go by; the service's clock if it is not given",
});

export const OUTCOMES = ["success", "failure", "partial"] as const;
export const Outcome = z.enum(OUTCOMES, { error: 'must be "success", "failure" or "partial"' });
export type Outcome = z.infer<typeof Outcome>;

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
const EpisodeTold = z.object({
  task_id: Line.nullable().default(null),
  project_id: Id.nullable().default(null),
  agent: Id.nullable().default(null),
  duration_seconds: z.number().min(0).nullable().default(null),
  context: EpisodeContext,
  action_log: z.array(Action).max(EXPERIENCE.actions).default([]),
  outcome: Outcome,
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
    outcome: Outcome,
    timestamp: z.string(),
    agent_id: z.string().nullable(),
    project_id: z.string().nullable(),
    score: z.number(),
    signals: Signals,
  })
  .openapi("EpisodeHit");
export type EpisodeHit = z.infer<typeof EpisodeHit>;

// Patterns

export const ANTI_PATTERN = "anti-pattern";

export const RELATIONS = [
  "derived_from",
  "related_to",
  "contradicts",
  "elaborates",
  "example_of",
  "supersedes",
  "superseded_by",
  "supports",
] as const;
export const Relation = z.enum(RELATIONS, { error: `must be one of: ${RELATIONS.join(", ")}` });
export type Relation = z.infer<typeof Relation>;

export const Statement = sentence(LIMITS.contentChars);
export const Sources = z
  .array(text(1, LIMITS.evidenceChars))
  .max(EXPERIENCE.sourcesGiven)
  .transform((ids) => [...new Set(ids)]);

export const PatternCreate = z
  .object({
    id: Id.optional().openapi({
      description: "A name of your own: the pattern is found by it, and another one under it takes its place",
    }),
    project_id: Id.nullable().default(null),
    pattern: Statement.optional().openapi({
      description: "What holds in general; of an anti-pattern, made of the rest",
    }),
    category: Line.default("general"),
    conditions: Lines.default([]),
    correct_approach: Statement.nullable().default(null),
    incorrect_approach: Statement.nullable().default(null),
    what_fails: Statement.optional(),
    why: Statement.optional(),
    prevention: Statement.optional(),
    confidence: Confidence.default(EXPERIENCE.kept),
    importance: Share.default(EXPERIENCE.importance),
    source_episodes: Sources.default([]),
    usage_count: z
      .number()
      .int()
      .min(0)
      .default(0)
      .openapi({ description: "How often it was of use so far" }),
    last_used: Time.nullable().default(null),
    links: z
      .array(z.object({ to: Id, relation: Relation, strength: Share.optional() }).strict())
      .max(EXPERIENCE.listItems)
      .default([]),
  })
  .strict()
  .superRefine(({ category, pattern, what_fails }, ctx) => {
    const anti = category === ANTI_PATTERN;
    if (pattern === undefined && !(anti && what_fails !== undefined))
      ctx.addIssue({ code: "custom", path: [anti ? "what_fails" : "pattern"], message: "is required" });
    if (what_fails !== undefined && !anti)
      ctx.addIssue({
        code: "custom",
        path: ["what_fails"],
        message: `belongs to an anti-pattern: set category to "${ANTI_PATTERN}"`,
      });
  })
  .openapi("PatternCreate");
export type PatternCreate = z.infer<typeof PatternCreate>;

export const PATTERN_TYPES = ["discovery", "hypothesis", "lesson_learned"] as const;

export const Pattern = z
  .object({
    id: z.string().openapi({ description: "The id of its memory" }),
    name: z.string().nullable().openapi({ description: "The id that it was given, if it was given one" }),
    project_id: z.string().nullable(),
    memory_type: z.enum(PATTERN_TYPES),
    status: z.enum(["live", "superseded", "invalidated", "forgotten"]),
    pattern: z.string(),
    category: z.string(),
    conditions: z.array(z.string()),
    correct_approach: z.string().nullable(),
    incorrect_approach: z.string().nullable(),
    what_fails: z.string().optional().openapi({ description: "Of an anti-pattern" }),
    why: z.string().nullable().optional(),
    prevention: z.string().nullable().optional(),
    confidence: z.number(),
    importance: z.number(),
    source_episodes: z.array(z.string()),
    usage_count: z.number(),
    last_used: z.string().nullable(),
    links: z.array(z.object({ to: z.string(), relation: Relation, strength: z.number() })),
    superseded_by: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi("Pattern");
export type Pattern = z.infer<typeof Pattern>;

// Consolidation and maintenance

export const ConsolidateInput = z
  .object({
    project_id: Id,
    since: Time.optional().openapi({
      description: "Episodes from then on; by default those of the last 24 hours",
    }),
    now: Clock,
    dry_run: z.boolean().default(false).openapi({ description: "Say what would be done, and do nothing" }),
  })
  .strict()
  .openapi("ConsolidateInput");
export type ConsolidateInput = z.infer<typeof ConsolidateInput>;

const Ids = z.array(z.string());
export const ConsolidateAnswer = z
  .object({
    episodes: z.number().openapi({ description: "How many were looked at" }),
    clusters: z.number().openapi({ description: "Groups of at least two that are alike" }),
    created: Ids.openapi({ description: "New patterns" }),
    updated: Ids.openapi({ description: "Patterns and anti-patterns that gained evidence" }),
    anti_patterns: Ids.openapi({ description: "New anti-patterns" }),
    merged: Ids.openapi({ description: "Patterns that gave way to one that says the same" }),
    dry_run: z.boolean(),
  })
  .openapi("ConsolidateAnswer");
export type ConsolidateAnswer = z.infer<typeof ConsolidateAnswer>;

export const MaintenanceInput = z.object({ project_id: Id, now: Clock }).strict().openapi("MaintenanceInput");
export type MaintenanceInput = z.infer<typeof MaintenanceInput>;

export const MaintenanceAnswer = z
  .object({
    summarised: z.number(),
    archived: z.number(),
    merged: z.number(),
    decayed: z.number(),
    ids: z
      .object({ summarised: Ids, archived: Ids, merged: Ids })
      .openapi({ description: `Which ones, the first ${EXPERIENCE.reported} of each` }),
  })
  .openapi("MaintenanceAnswer");
export type MaintenanceAnswer = z.infer<typeof MaintenanceAnswer>;

// Before a task

export const TASK_KINDS = ["exploration", "implementation", "debugging", "review", "refactoring"] as const;
export const TaskKind = z.enum(TASK_KINDS, { error: `must be one of: ${TASK_KINDS.join(", ")}` });
export type TaskKind = z.infer<typeof TaskKind>;

const BUDGET_MESSAGE = `must be a whole number from ${EXPERIENCE.budget.least} to ${EXPERIENCE.budget.most}`;

export const PrimeInput = z
  .object({
    goal: sentence(LIMITS.contentChars),
    project_id: Id.optional(),
    kind: TaskKind.optional().openapi({
      description: "What kind of task it is; detected if it is not given",
    }),
    phase: Line.optional(),
    action_type: Line.optional().openapi({
      description: "What will be done, such as write_file or run_test",
    }),
    token_budget: z
      .int(BUDGET_MESSAGE)
      .min(EXPERIENCE.budget.least, BUDGET_MESSAGE)
      .max(EXPERIENCE.budget.most, BUDGET_MESSAGE)
      .default(EXPERIENCE.budget.usual),
    now: Clock,
  })
  .strict()
  .openapi("PrimeInput");
export type PrimeInput = z.infer<typeof PrimeInput>;

export const LAYERS = ["index", "timeline", "full"] as const;
/** How much of it is told: its name, its gist, or everything. */
export const Layer = z.enum(LAYERS);
export type Layer = z.infer<typeof Layer>;

const Primed = z.object({
  id: z.string(),
  layer: Layer,
  text: z.string().openapi({ description: "As it stands in the prompt" }),
  score: z.number(),
});

export const PrimedPattern = Primed.extend({
  pattern: z.string(),
  category: z.string(),
  memory_type: z.enum(PATTERN_TYPES),
  confidence: z.number(),
  conditions: z.array(z.string()).optional(),
  correct_approach: z.string().nullable().optional(),
  incorrect_approach: z.string().nullable().optional(),
  source_episodes: z.array(z.string()).optional(),
}).openapi("PrimedPattern");
export type PrimedPattern = z.infer<typeof PrimedPattern>;

export const PrimedLesson = Primed.extend({
  kind: z.enum(["anti_pattern", "learning"]),
  what_fails: z.string(),
  confidence: z.number(),
  why: z.string().nullable().optional(),
  prevention: z.string().nullable().optional(),
}).openapi("PrimedLesson");
export type PrimedLesson = z.infer<typeof PrimedLesson>;

export const PrimedSkill = Primed.extend({
  slug: z.string(),
  name: z.string(),
  description: z.string().optional(),
  steps: z.array(z.string()).optional(),
}).openapi("PrimedSkill");
export type PrimedSkill = z.infer<typeof PrimedSkill>;

export const PrimedEpisode = Primed.extend({
  goal: z.string(),
  outcome: Outcome,
  timestamp: z.string(),
  errors_encountered: z.array(EpisodeError).optional(),
  summary: z.string().nullable().optional(),
}).openapi("PrimedEpisode");
export type PrimedEpisode = z.infer<typeof PrimedEpisode>;

export const PrimeAnswer = z
  .object({
    kind: z.enum([...TASK_KINDS, "general"]),
    relevant_patterns: z.array(PrimedPattern),
    avoid_these: z.array(PrimedLesson),
    applicable_skills: z.array(PrimedSkill),
    similar_episodes: z.array(PrimedEpisode),
    prompt: z.string().openapi({ description: "All of it as Markdown, to put before the task" }),
    tokens: z.object({
      used: z.number().openapi({ description: "Of the prompt" }),
      budget: z.number(),
      saved: z
        .number()
        .openapi({ description: "What telling everything in full would have cost beyond that" }),
    }),
    degraded: z.string().optional(),
  })
  .openapi("PrimeAnswer");
export type PrimeAnswer = z.infer<typeof PrimeAnswer>;

/** Any JSON object of an agent's own. */
export const FreeObject = z
  .record(z.string(), AnyJson)
  .openapi({ type: "object", additionalProperties: true });
