import { EXPERIENCE } from "../limits";
import { Confidence, Id, Time, z } from "./common";
import { Line, Lines, Share, Sources, Statement } from "./experience-fields";

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
