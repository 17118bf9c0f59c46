// Skills: reusable procedures, as JSON and as Markdown.
import { EXPERIENCE, LIMITS } from "../limits";
import { boundedText, Id, z } from "./common";

const SLUG_MESSAGE = "must be 1 to 64 characters of a-z, 0-9, _ and -, and begin with a letter or a digit";

export const SkillSlug = z
  .string({ error: SLUG_MESSAGE })
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, SLUG_MESSAGE)
  .openapi({ description: "Identifies the skill in its path" });

/** Returns the schema of a text with normalised line endings, so that JSON and Markdown hold the same text. */
function normalisedText(tidy: (text: string) => string) {
  return z
    .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a text") })
    .overwrite((value) => tidy(value.replace(/\r\n?/g, "\n")));
}

/** Removes empty lines around a text. The first line keeps its indentation, since it may be code. */
export function trimLines(value: string): string {
  return value.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

const Text = normalisedText((value) => value.trim());
const Item = Text.pipe(boundedText(1, LIMITS.contentChars));
const Items = z.array(Item).max(EXPERIENCE.listItems).default([]);

export const CommonError = z.object({ error: Item, fix: Item }).strict().openapi("CommonError");
export type CommonError = z.infer<typeof CommonError>;

const SkillFields = z.object({
  name: Text.pipe(
    boundedText(1, EXPERIENCE.lineChars).refine(
      (name) => !name.includes("\n"),
      "must be one line: put the rest into description",
    ),
  ),
  description: Text.pipe(boundedText(0, LIMITS.contentChars)).default(""),
  prerequisites: Items,
  steps: z
    .array(Item, { error: ({ input }) => (input === undefined ? "is required" : "must be a list of texts") })
    .min(1, "must have at least one step")
    .max(EXPERIENCE.listItems),
  common_errors: z.array(CommonError).max(EXPERIENCE.listItems).default([]),
  exit_criteria: Items,
  example_usage: normalisedText(trimLines).pipe(boundedText(1, EXPERIENCE.skillBytes)).optional(),
});
/** The fields of a skill that the caller provides. */
export type SkillFields = z.infer<typeof SkillFields>;

/** The project of a skill, in a query. */
export const SkillProject = Id.optional().openapi({
  description: "The project whose own skill it is; without one, a skill applies to all projects",
});

export const SKILL_STATUSES = ["active", "proposed", "dismissed"] as const;
export const SkillStatus = z.enum(SKILL_STATUSES, { error: `must be one of: ${SKILL_STATUSES.join(", ")}` });
export type SkillStatus = z.infer<typeof SkillStatus>;

export const SkillPut = SkillFields.extend({
  slug: SkillSlug.optional().openapi({ description: "Must equal the slug in the path" }),
  project_id: Id.nullable().optional().openapi({ description: "The same as the query parameter" }),
})
  .strict()
  .openapi("SkillPut");

export const Skill = z
  .object({ slug: z.string(), ...SkillFields.shape })
  .extend({
    project_id: z.string().nullable().openapi({ description: "null: it applies to all projects" }),
    status: SkillStatus.openapi({
      description: "`proposed` by a strong pattern: not used until it is accepted",
    }),
    derived_from: z
      .string()
      .nullable()
      .openapi({ description: "Id of the pattern that proposed it; null if a caller wrote it" }),
    memory_id: z
      .string()
      .nullable()
      .openapi({ description: "Id of the memory that stores this version; null for a proposal" }),
    importance: z.number(),
    usage_count: z.number(),
    last_used: z.string().nullable(),
    updated_at: z.string(),
  })
  .openapi("Skill");
export type Skill = z.infer<typeof Skill>;
/** A skill that is stored as a memory. */
export type StoredSkill = Skill & { memory_id: string };

export const SkillDecision = z
  .object({
    project_id: Id.optional().openapi({
      description: "The project of the proposal; required if several projects have one of this slug",
    }),
  })
  .strict()
  .openapi("SkillDecision");
