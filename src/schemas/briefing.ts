// The briefing before a task (prime): request, and the items of the response with their level of detail.
import { EXPERIENCE, LIMITS } from "../limits";
import { BuiltInTypeName, ClockOverride, Id, Line, nonEmptyText, UserId, z } from "./common";
import { EpisodeError, EpisodeOutcome } from "./episode";
import { Relation } from "./memories/relation";
import { ForeignSource } from "./memories/source-type";

export const TASK_KINDS = ["exploration", "implementation", "debugging", "review", "refactoring"] as const;

export const TaskKind = z.enum(TASK_KINDS, { error: `must be one of: ${TASK_KINDS.join(", ")}` });
export type TaskKind = z.infer<typeof TaskKind>;

const BUDGET_MESSAGE = `must be a whole number from ${EXPERIENCE.briefingTokens.min} to ${EXPERIENCE.briefingTokens.max}`;

const ITEMS_MESSAGE = `must be a whole number from ${EXPERIENCE.briefingItems.min} to ${EXPERIENCE.briefingItems.max}`;

export const PrimeInput = z
  .object({
    goal: nonEmptyText(LIMITS.contentChars),
    session_id: Id.optional().openapi({
      description: "The session that asks: its reach and its owner apply, and it need not exist yet",
    }),
    user_id: UserId.optional().openapi({
      description: "The user, for a session that does not exist yet or has no user, or without a session",
    }),
    agent_id: Id.optional().openapi({
      description: "The agent, for a session that does not exist yet or has no agent, or without a session",
    }),
    project_id: Id.optional().openapi({ description: "The project; the session's by default" }),
    kind: TaskKind.optional().openapi({
      description: "Kind of task; detected from the goal by default",
    }),
    phase: Line.optional(),
    action_type: Line.optional().openapi({
      description: "Next action, such as write_file or run_test",
    }),
    token_budget: z
      .int(BUDGET_MESSAGE)
      .min(EXPERIENCE.briefingTokens.min, BUDGET_MESSAGE)
      .max(EXPERIENCE.briefingTokens.max, BUDGET_MESSAGE)
      .default(EXPERIENCE.briefingTokens.default),
    limit: z
      .int(ITEMS_MESSAGE)
      .min(EXPERIENCE.briefingItems.min, ITEMS_MESSAGE)
      .max(EXPERIENCE.briefingItems.max, ITEMS_MESSAGE)
      .default(EXPERIENCE.briefingItems.default)
      .openapi({ description: "Maximum number of items, in all lists together" }),
    now: ClockOverride,
  })
  .strict()
  .openapi("PrimeInput");
export type PrimeInput = z.infer<typeof PrimeInput>;

export const DETAIL_LEVELS = ["index", "timeline", "full"] as const;

/** Level of detail of an item: its name, its gist, or everything. */
export const DetailLevel = z.enum(DETAIL_LEVELS);
export type DetailLevel = z.infer<typeof DetailLevel>;

const Primed = z.object({
  id: z.string(),
  layer: DetailLevel,
  text: z.string().openapi({ description: "The item as rendered in the prompt" }),
  score: z.number(),
  via: z
    .object({ from: z.string(), relation: Relation, strength: z.number() })
    .optional()
    .openapi({ description: "The link that led here, for an item that the search itself did not find" }),
});
export type PrimedVia = z.infer<typeof Primed>["via"];

const Name = z.string().nullable().openapi({ description: "The name of the pattern, if it has one" });

export const PrimedPattern = Primed.extend({
  name: Name,
  pattern: z.string().openapi({ description: "The statement of the pattern, or the fact or decision" }),
  category: z.string(),
  memory_type: BuiltInTypeName.openapi({
    description: "`discovery` or `hypothesis` for a pattern; otherwise the type of the fact or decision",
  }),
  confidence: z.number(),
  source_type: ForeignSource,
  conditions: z.array(z.string()).optional(),
  correct_approach: z.string().nullable().optional(),
  incorrect_approach: z.string().nullable().optional(),
  source_episodes: z.array(z.string()).optional(),
}).openapi("PrimedPattern");
export type PrimedPattern = z.infer<typeof PrimedPattern>;

export const PrimedLesson = Primed.extend({
  kind: z.enum(["anti_pattern", "learning"]),
  name: Name,
  what_fails: z.string(),
  confidence: z.number(),
  source_type: ForeignSource,
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
  outcome: EpisodeOutcome,
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
    prompt: z.string().openapi({ description: "The briefing as Markdown, ready for a prompt" }),
    tokens: z.object({
      used: z.number().openapi({ description: "Tokens of the prompt" }),
      budget: z.number(),
      saved: z.number().openapi({ description: "Tokens saved compared with all items in full detail" }),
    }),
    degraded: z.string().optional(),
  })
  .openapi("PrimeAnswer");
export type PrimeAnswer = z.infer<typeof PrimeAnswer>;
