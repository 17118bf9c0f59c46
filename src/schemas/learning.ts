// Learnings: a mistake, its root cause, its fix and its prevention.

import { Id, z } from "./common";
import { SourceIds, Statement } from "./experience-fields";

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
  })
  .openapi("Learning");
export type Learning = z.infer<typeof Learning>;
