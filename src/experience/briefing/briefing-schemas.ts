// The briefing before a task (prime): request, and the items of the response with their level of detail.

import {
  addExample,
  BuiltInTypeName,
  ClockOverride,
  EpisodeOutcome,
  ForeignSource,
  Id,
  Line,
  nonEmptyText,
  SESSION_DEFAULT,
  UserId,
  z,
} from "../../kernel/common";
import { EXPERIENCE, LIMITS } from "../../kernel/limits";
import { Relation } from "../../memories/links/link-schemas";
import { EpisodeError } from "../episodes/episode-schemas";

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
    kind: TaskKind.optional().openapi({ description: "Kind of task; detected from the goal by default" }),
    phase: Line.optional(),
    action_type: Line.optional().openapi({ description: "Next action, such as write_file or run_test" }),
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
addExample(PrimeInput, { goal: "Fix the checkout for vouchers", project_id: "shop", token_budget: 600 });

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
addExample(PrimeAnswer, {
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
});

// As tools, with descriptions written for models.

export const ContinuityInput = z.object({}).strict();
export const ContinuityAnswer = z.object({
  session_id: z.string(),
  markdown: z.string().meta({ description: "The rendered page" }),
  memory_ids: z.array(z.string()).meta({ description: "Ids of the memories that the page is made of" }),
});

const { shape: primeShape } = PrimeInput;
export const PrimeToolInput = PrimeInput.omit({
  now: true,
  session_id: true,
  user_id: true,
  agent_id: true,
}).extend({
  goal: primeShape.goal.meta({ description: "The task, in one or two sentences" }),
  project_id: primeShape.project_id.meta({ description: `The project; ${SESSION_DEFAULT}` }),
  kind: primeShape.kind.meta({ description: "Kind of task; detected from the goal by default" }),
  phase: primeShape.phase.meta({ description: "Phase of the work, such as planning or testing" }),
  action_type: primeShape.action_type.meta({ description: "Next action, such as write_file or run_test" }),
  token_budget: primeShape.token_budget.meta({ description: "Token budget of the prompt" }),
  limit: primeShape.limit.meta({ description: "Maximum number of items, in all lists together" }),
});
