// Skills: ways of doing something that can be followed again, as they are told and as they are shown.
import { EXPERIENCE, LIMITS } from "../limits";
import { text, z } from "./common";

const SLUG_MESSAGE = "must be 1 to 64 characters of a-z, 0-9, _ and -, and begin with a letter or a digit";

export const SkillSlug = z
  .string({ error: SLUG_MESSAGE })
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, SLUG_MESSAGE)
  .openapi({ description: "The name of the skill in its path" });

/** Lines end in one way only, so that a text is the same in JSON and in Markdown. */
function told(tidy: (text: string) => string) {
  return z
    .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a text") })
    .overwrite((value) => tidy(value.replace(/\r\n?/g, "\n")));
}

/** Without the empty lines around it. Its first line stays as far in as it is: it may be code. */
export function trimLines(value: string): string {
  return value.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

const Text = told((value) => value.trim());
const Item = Text.pipe(text(1, LIMITS.contentChars));
const Items = z.array(Item).max(EXPERIENCE.listItems).default([]);

export const CommonError = z.object({ error: Item, fix: Item }).strict().openapi("CommonError");
export type CommonError = z.infer<typeof CommonError>;

const SkillTold = z.object({
  name: Text.pipe(
    text(1, EXPERIENCE.lineChars).refine(
      (name) => !name.includes("\n"),
      "must be one line: put the rest into description",
    ),
  ),
  description: Text.pipe(text(0, LIMITS.contentChars)).default(""),
  prerequisites: Items,
  steps: z
    .array(Item, { error: ({ input }) => (input === undefined ? "is required" : "must be a list of texts") })
    .min(1, "must have at least one step")
    .max(EXPERIENCE.listItems),
  common_errors: z.array(CommonError).max(EXPERIENCE.listItems).default([]),
  exit_criteria: Items,
  example_usage: told(trimLines).pipe(text(1, EXPERIENCE.skillBytes)).optional(),
});
/** What a skill says, in either form. */
export type SkillTold = z.infer<typeof SkillTold>;

export const SkillPut = SkillTold.extend({
  slug: SkillSlug.optional().openapi({ description: "As in the path" }),
})
  .strict()
  .openapi("SkillPut");

export const Skill = z
  .object({ slug: z.string(), ...SkillTold.shape })
  .extend({
    memory_id: z.string().openapi({ description: "The memory that holds this version" }),
    importance: z.number(),
    usage_count: z.number(),
    last_used: z.string().nullable(),
    updated_at: z.string(),
  })
  .openapi("Skill");
export type Skill = z.infer<typeof Skill>;
