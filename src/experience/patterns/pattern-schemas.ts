// Patterns, anti-patterns and learnings.

import {
  addExample,
  Confidence,
  ForeignSource,
  Id,
  Line,
  LineList,
  SESSION_DEFAULT,
  SourceIds,
  Statement,
  Time,
  UnitInterval,
  z,
} from "../../kernel/common";
import { EXPERIENCE } from "../../kernel/limits";
import { Relation, RelationInput } from "../../memories/links/link-schemas";

export const ANTI_PATTERN = "anti-pattern";

/** Confidence from which a pattern is a discovery; below it is a hypothesis. The default of a posted pattern. */
export const DISCOVERY_CONFIDENCE = 0.8;

export const PatternCreate = z
  .object({
    id: Id.optional().openapi({
      description: "Your own name for the pattern; a later pattern with this name supersedes it",
    }),
    project_id: Id.nullable().default(null),
    pattern: Statement.optional().openapi({
      description: "The general statement; generated for an anti-pattern that has none",
    }),
    category: Line.default("general"),
    conditions: LineList.default([]),
    correct_approach: Statement.nullable().default(null),
    incorrect_approach: Statement.nullable().default(null),
    what_fails: Statement.optional(),
    why: Statement.optional(),
    prevention: Statement.optional(),
    confidence: Confidence.default(DISCOVERY_CONFIDENCE),
    importance: UnitInterval.default(EXPERIENCE.defaultImportance),
    source_episodes: SourceIds.default([]),
    usage_count: z.number().int().min(0).default(0).openapi({ description: "Number of uses so far" }),
    last_used: Time.nullable().default(null),
    links: z
      .array(z.object({ to: Id, relation: RelationInput, strength: UnitInterval.optional() }).strict())
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
        message: `is only for anti-patterns: set category to "${ANTI_PATTERN}"`,
      });
  })
  .openapi("PatternCreate");
export type PatternCreate = z.infer<typeof PatternCreate>;
const PATTERN_CREATE_EXAMPLE = addExample(PatternCreate, {
  id: "guest-checkout-needs-a-test",
  project_id: "shop",
  pattern: "A change of the checkout needs a test that buys as a guest",
  category: "testing",
  conditions: ["the checkout is changed"],
  correct_approach: "Write the guest's test first",
  incorrect_approach: "Test with a customer only",
  confidence: 0.85,
  source_episodes: ["ep-guest-checkout"],
});

export const PATTERN_TYPES = ["discovery", "hypothesis", "lesson_learned"] as const;

export const Pattern = z
  .object({
    id: z.string().openapi({ description: "Id of the memory that stores it" }),
    name: z.string().nullable().openapi({ description: "The name given as `id` when it was written" }),
    project_id: z.string().nullable(),
    memory_type: z.enum(PATTERN_TYPES),
    status: z.enum(["live", "superseded", "invalidated", "forgotten"]),
    pattern: z.string(),
    category: z.string(),
    conditions: z.array(z.string()),
    correct_approach: z.string().nullable(),
    incorrect_approach: z.string().nullable(),
    what_fails: z.string().optional().openapi({ description: "Anti-patterns only" }),
    why: z.string().nullable().optional(),
    prevention: z.string().nullable().optional(),
    confidence: z.number(),
    importance: z.number(),
    source_episodes: z.array(z.string()),
    usage_count: z.number(),
    last_used: z.string().nullable(),
    links: z.array(
      z.object({
        to: z.string(),
        name: z.string().nullable().openapi({ description: "The name of the linked pattern, if it has one" }),
        relation: Relation,
        strength: z.number(),
      }),
    ),
    superseded_by: z.string().nullable(),
    created_at: z.string(),
    source_type: ForeignSource,
  })
  .openapi("Pattern");
export type Pattern = z.infer<typeof Pattern>;
addExample(Pattern, {
  ...PATTERN_CREATE_EXAMPLE,
  id: "7bb91cdd3572b4bc19f0d954e0c6bfd7",
  name: "guest-checkout-needs-a-test",
  memory_type: "discovery",
  status: "live",
  importance: 0.5,
  usage_count: 0,
  last_used: null,
  links: [],
  superseded_by: null,
  created_at: "2026-11-16T09:21:00.000Z",
});

export const LearningCreate = z
  .object({
    trigger: Statement,
    root_cause: Statement,
    fix: Statement,
    prevention: Statement,
    evidence: SourceIds.default([]),
    project_id: Id.nullable()
      .default(null)
      .openapi({ description: "Without one the learning applies to all projects" }),
  })
  .strict()
  .openapi("LearningCreate");
export type LearningCreate = z.infer<typeof LearningCreate>;
const LEARNING_CREATE_EXAMPLE = addExample(LearningCreate, {
  trigger: "Checkout failed for guests",
  root_cause: "The payment step read the customer id, which guests do not have",
  fix: "Read the e-mail in its place",
  prevention: "Test each change of the checkout as a guest",
  evidence: ["ep-guest-checkout"],
  project_id: "shop",
});

export const Learning = z
  .object({
    id: z.string().openapi({ description: "Id of the memory that stores it" }),
    trigger: z.string(),
    root_cause: z.string(),
    fix: z.string(),
    prevention: z.string(),
    evidence: z.array(z.string()),
    project_id: z.string().nullable(),
    occurrences: z.number(),
    confidence: z.number(),
    importance: z.number(),
    created_at: z.string(),
    last_seen: z.string(),
    source_type: ForeignSource,
  })
  .openapi("Learning");
export type Learning = z.infer<typeof Learning>;
addExample(Learning, {
  ...LEARNING_CREATE_EXAMPLE,
  id: "85e27ca53ae76776a7abee574163d710",
  occurrences: 1,
  confidence: 0.8,
  importance: 0.5,
  created_at: "2026-11-16T09:22:00.000Z",
  last_seen: "2026-11-16T09:22:00.000Z",
});

// As tools, with descriptions written for models.

const { shape: learningShape } = LearningCreate;
export const LearnInput = LearningCreate.extend({
  trigger: learningShape.trigger.meta({ description: "The action or event that led to the mistake" }),
  root_cause: learningShape.root_cause.meta({ description: "Why it went wrong" }),
  fix: learningShape.fix.meta({ description: "The fix" }),
  prevention: learningShape.prevention.meta({ description: "How to prevent it from happening again" }),
  evidence: learningShape.evidence.meta({ description: "Ids of episodes, files or tickets that show it" }),
  project_id: learningShape.project_id.meta({
    description: `The project; ${SESSION_DEFAULT}. Without one the learning applies to all projects`,
  }),
});
