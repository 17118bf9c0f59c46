import { EXPERIENCE } from "../limits";
import { Id, Time, z } from "./common";
import { Clock } from "./experience-fields";

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

export const Ids = z.array(z.string());

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
