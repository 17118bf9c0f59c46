// Skills: reusable procedures, as JSON and as SKILL.md.

import { addExample, boundedText, Id, SESSION_DEFAULT, z } from "../../kernel/common";
import { AGENT_SKILL, EXPERIENCE, LIMITS } from "../../kernel/limits";

export const SKILL_SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const SLUG_MESSAGE = "must be 1 to 64 characters of a-z, 0-9, _ and -, and begin with a letter or a digit";

export const SkillSlug = z.string({ error: SLUG_MESSAGE }).regex(SKILL_SLUG, SLUG_MESSAGE).openapi({
  description: "Identifies the skill in its path",
});

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

const MetadataKey = boundedText(1, AGENT_SKILL.metadataKeyChars).refine(
  (key) => !key.startsWith("kioku-"),
  "must not begin with kioku-, which SKILL.md files use for fields of Kioku",
);

const SkillFields = z.object({
  name: Text.pipe(
    boundedText(1, EXPERIENCE.lineChars).refine(
      (name) => !name.includes("\n"),
      "must be one line: put the rest into description",
    ),
  ),
  description: Text.pipe(boundedText(0, LIMITS.contentChars)).default(""),
  prerequisites: Items,
  steps: z.array(Item, { error: "must be a list of texts" }).max(EXPERIENCE.listItems).default([]).openapi({
    description: "At least one, unless there are `instructions`",
  }),
  common_errors: z.array(CommonError).max(EXPERIENCE.listItems).default([]),
  exit_criteria: Items,
  example_usage: normalisedText(trimLines).pipe(boundedText(1, EXPERIENCE.skillBytes)).optional(),
  instructions: normalisedText(trimLines).pipe(boundedText(0, EXPERIENCE.skillBytes)).optional().openapi({
    description: "The body of a SKILL.md, as free Markdown, in place of steps and other sections",
  }),
  license: Text.pipe(boundedText(1, AGENT_SKILL.licenseChars)).optional(),
  compatibility: Text.pipe(boundedText(1, AGENT_SKILL.compatibilityChars)).optional().openapi({
    description: "What the skill needs, such as a product or packages",
  }),
  allowed_tools: z
    .array(Text.pipe(boundedText(1, EXPERIENCE.lineChars)))
    .max(EXPERIENCE.listItems)
    .optional()
    .openapi({
      description: "Tools that the skill may use without asking, such as `Bash(git:*)`",
    }),
  metadata: z
    .record(MetadataKey, normalisedText((value) => value).pipe(boundedText(0, LIMITS.contentChars)))
    .refine(
      (metadata) => Object.keys(metadata).length <= EXPERIENCE.listItems,
      `must have at most ${EXPERIENCE.listItems} keys`,
    )
    .optional()
    .openapi({
      description: "Texts by name, as in the front matter of a SKILL.md",
    }),
});
/** The fields of a skill that the caller provides. */
export type SkillFields = z.infer<typeof SkillFields>;

/** The project of a skill, in a query. */
export const SkillProject = Id.optional().openapi({
  description: "The project whose own skill it is; without one, a skill applies to all projects",
});

const SKILL_STATUSES = ["active", "proposed", "dismissed"] as const;
export const SkillStatus = z.enum(SKILL_STATUSES, { error: `must be one of: ${SKILL_STATUSES.join(", ")}` });
export type SkillStatus = z.infer<typeof SkillStatus>;

export const SkillPut = SkillFields.extend({
  slug: SkillSlug.optional().openapi({ description: "Must equal the slug in the path" }),
  project_id: Id.nullable().optional().openapi({ description: "The same as the query parameter" }),
})
  .strict()
  .openapi("SkillPut");
const SKILL_PUT_EXAMPLE = addExample(SkillPut, {
  name: "Deploy the shop",
  description: "From a green branch to production",
  prerequisites: ["The branch is reviewed"],
  steps: ["Run the smoke tests on staging", "Deploy to production", "Watch the error rate for ten minutes"],
  common_errors: [{ error: "The smoke tests time out", fix: "Wake the staging server first" }],
  exit_criteria: ["No new errors after ten minutes"],
});

/** A skill that names itself. */
export const SkillPost = z
  .object({ ...SkillPut.shape, slug: SkillSlug })
  .strict()
  .openapi("SkillPost");
addExample(SkillPost, { slug: "deploy-shop", ...SKILL_PUT_EXAMPLE });

export const Skill = z
  .object({ slug: z.string(), ...SkillFields.shape })
  .extend({
    steps: z.array(z.string()),
    project_id: z.string().nullable().openapi({ description: "null: it applies to all projects" }),
    status: SkillStatus.openapi({
      description: "`proposed` by a strong pattern: not used until it is accepted",
    }),
    derived_from: z.string().nullable().openapi({
      description: "Id of the pattern that proposed it; null if a caller wrote it",
    }),
    memory_id: z.string().nullable().openapi({
      description: "Id of the memory that stores this version; null for a proposal",
    }),
    importance: z.number(),
    usage_count: z.number(),
    last_used: z.string().nullable(),
    updated_at: z.string(),
  })
  .openapi("Skill");
export type Skill = z.infer<typeof Skill>;
export const SKILL_EXAMPLE = addExample(Skill, {
  ...SKILL_PUT_EXAMPLE,
  slug: "deploy-shop",
  project_id: null,
  status: "active",
  derived_from: null,
  memory_id: "6e621afba3cdcbb6fb1e23bd273dd999",
  importance: 0.5,
  usage_count: 0,
  last_used: null,
  updated_at: "2026-11-16T09:24:00.000Z",
});
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
addExample(SkillDecision, { project_id: "shop" });

// As tools, with descriptions written for models.

const Slug = SkillSlug.meta({ description: "The short name of the skill, such as release-a-version" });

export const FindSkillInput = z
  .object({
    query: boundedText(0, LIMITS.queryChars).optional().meta({
      description: "The task, in plain words; without it, the newest skills are returned",
    }),
    limit: z.number().int().min(1).max(LIMITS.recallMax).default(5).meta({
      description: "Maximum number of skills",
    }),
    project_id: SkillProject.meta({ description: `Also the project's own skills; ${SESSION_DEFAULT}` }),
  })
  .strict();
export const FindSkillAnswer = z.object({
  count: z.number(),
  skills: z.array(
    Skill.pick({ slug: true, name: true, description: true, memory_id: true, usage_count: true }).extend({
      score: z.number(),
    }),
  ),
});
export const ReadSkillInput = z
  .object({
    slug: Slug,
    project_id: SkillProject.meta({
      description: `The project, whose own skill comes first; ${SESSION_DEFAULT}`,
    }),
  })
  .strict();
export const SaveSkillInput = SkillPut.extend({
  slug: Slug,
  project_id: SkillPut.shape.project_id.meta({
    description: "The project of the skill; without one it applies to all projects",
  }),
  name: SkillPut.shape.name.meta({ description: "Title, in one line" }),
  description: SkillPut.shape.description.meta({
    description: "Purpose of the skill, and when to follow it",
  }),
  prerequisites: SkillPut.shape.prerequisites.meta({ description: "Requirements before the first step" }),
  steps: SkillPut.shape.steps.meta({ description: "The steps, in order; required without instructions" }),
  common_errors: SkillPut.shape.common_errors.meta({
    description: "Common errors and their fixes",
  }),
  exit_criteria: SkillPut.shape.exit_criteria.meta({ description: "How to verify that the task is done" }),
  example_usage: SkillPut.shape.example_usage.meta({ description: "An example, as Markdown" }),
  instructions: SkillPut.shape.instructions.meta({
    description: "Free Markdown in place of steps and the other sections, as the body of a SKILL.md",
  }),
  license: SkillPut.shape.license.meta({ description: "Name of the license" }),
  compatibility: SkillPut.shape.compatibility.meta({ description: "Products or packages it needs" }),
  allowed_tools: SkillPut.shape.allowed_tools.meta({ description: "Tools it may use without asking" }),
  metadata: SkillPut.shape.metadata.meta({ description: "Other texts by name" }),
});
