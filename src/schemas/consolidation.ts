// Requests and responses of consolidation and maintenance.

import { EXPERIENCE } from "../limits";
import { ClockOverride, Id, Time, z } from "./common";
import { addExample } from "./examples";

const ProjectId = Id.openapi({ description: "The project; `default` has the episodes without one" });

export const ConsolidateInput = z
  .object({
    project_id: ProjectId,
    since: Time.optional().openapi({ description: "Start of the window; defaults to 24 hours ago" }),
    now: ClockOverride,
    dry_run: z.boolean().default(false).openapi({ description: "Report the changes without making them" }),
  })
  .strict()
  .openapi("ConsolidateInput");
export type ConsolidateInput = z.infer<typeof ConsolidateInput>;
addExample(ConsolidateInput, { project_id: "shop" });

const Ids = z.array(z.string());

export const ConsolidateAnswer = z
  .object({
    episodes: z.number().openapi({ description: "Number of episodes considered" }),
    clusters: z.number().openapi({ description: "Number of groups of at least two similar episodes" }),
    created: Ids.openapi({ description: "Ids of new patterns" }),
    updated: Ids.openapi({ description: "Ids of patterns and anti-patterns that gained evidence" }),
    anti_patterns: Ids.openapi({ description: "Ids of new anti-patterns" }),
    merged: Ids.openapi({ description: "Ids of patterns merged into a near-duplicate" }),
    learnings: Ids.openapi({ description: "Ids of learnings that resolved errors created or confirmed" }),
    contradictions: Ids.openapi({
      description: "Ids of new contradictions between patterns, or between facts",
    }),
    proposed_skills: Ids.openapi({ description: "Slugs of new skill proposals" }),
    dry_run: z.boolean(),
  })
  .openapi("ConsolidateAnswer");
export type ConsolidateAnswer = z.infer<typeof ConsolidateAnswer>;
addExample(ConsolidateAnswer, {
  episodes: 2,
  clusters: 1,
  created: [],
  updated: ["7bb91cdd3572b4bc19f0d954e0c6bfd7"],
  anti_patterns: [],
  merged: [],
  learnings: [],
  contradictions: [],
  proposed_skills: [],
  dry_run: false,
});

export const MaintenanceInput = z
  .object({ project_id: ProjectId, now: ClockOverride })
  .strict()
  .openapi("MaintenanceInput");
export type MaintenanceInput = z.infer<typeof MaintenanceInput>;
addExample(MaintenanceInput, { project_id: "shop" });

export const MaintenanceAnswer = z
  .object({
    summarised: z.number(),
    archived: z.number(),
    merged: z.number(),
    decayed: z.number(),
    contradictions: z.number().openapi({ description: "Number of new contradictions" }),
    ids: z
      .object({ summarised: Ids, archived: Ids, merged: Ids, contradictions: Ids })
      .openapi({ description: `The ids, at most ${EXPERIENCE.reportedIds} of each kind` }),
  })
  .openapi("MaintenanceAnswer");
export type MaintenanceAnswer = z.infer<typeof MaintenanceAnswer>;
addExample(MaintenanceAnswer, {
  summarised: 0,
  archived: 0,
  merged: 0,
  decayed: 4,
  contradictions: 0,
  ids: { summarised: [], archived: [], merged: [], contradictions: [] },
});
