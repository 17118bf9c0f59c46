// Memories in bulk and in place: batches, searches, changes; and the versions of a memory.

import {
  AnyJson,
  addExample,
  Clock,
  Confidence,
  MemoryTypeName,
  OwnerIds,
  PropertyInput,
  Time,
  UnitInterval,
  z,
} from "../kernel/common";
import { FAILURE_CODES } from "../kernel/errors";
import { LIMITS } from "../kernel/limits";
import { MetadataFilter } from "./memory-fields";
import {
  checkMetadata,
  MEMORY_VIEW_EXAMPLE,
  MemoryDetail,
  MemoryView,
  MetadataValue,
  RememberAnswer,
  RememberInput,
  Tags,
} from "./memory-schemas";

/** The items are validated one by one: an invalid one does not refuse the others. */
export const BatchInput = z
  .object({
    memories: z
      .array(AnyJson.openapi({ type: "object", allOf: [{ $ref: "#/components/schemas/RememberItem" }] }))
      .min(1)
      .max(LIMITS.memoriesPerCall),
  })
  .strict()
  .openapi("BatchInput");
addExample(BatchInput, {
  memories: [
    {
      content: "The staging shop is reset every night",
      project_id: "shop",
      metadata: { team: "web" },
      tags: ["staging"],
    },
    {
      content: "Write to the guests of the outage",
      type: "task",
      project_id: "shop",
      properties: { hasTaskStatus: "Nearly" },
    },
  ],
});

export const BatchResult = z
  .union([
    RememberAnswer.pick({
      remembered: true,
      memory_id: true,
      deduplicated: true,
      superseded: true,
      contradicts: true,
      warnings: true,
    }),
    z.object({
      error: z.object({
        code: z.enum(FAILURE_CODES),
        detail: z.string(),
        errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      }),
    }),
  ])
  .openapi("BatchResult");
export type BatchResult = z.infer<typeof BatchResult>;

export const BatchAnswer = z
  .object({ results: z.array(BatchResult).meta({ description: "One result per item, in order" }) })
  .openapi("BatchAnswer");
export type BatchAnswer = z.infer<typeof BatchAnswer>;

export const UpdateMemoryInput = z
  .object({
    content: RememberInput.shape.content.optional(),
    type: MemoryTypeName.optional(),
    confidence: Confidence.optional(),
    importance: UnitInterval.optional(),
    properties: z.record(z.string(), PropertyInput.nullable()).optional().meta({
      description: "Properties to set; null removes one",
    }),
    metadata: z.record(z.string(), MetadataValue.nullable()).superRefine(checkMetadata).optional().meta({
      description: "Labels to set, by key; null removes one",
    }),
    tags: Tags.optional().meta({ description: "Replaces all tags" }),
    valid_from: Time.nullable().optional(),
    valid_until: Time.nullable().optional(),
  })
  .strict()
  .openapi("UpdateMemoryInput");
export type UpdateMemoryInput = z.infer<typeof UpdateMemoryInput>;
addExample(UpdateMemoryInput, { importance: 0.9, metadata: { team: "web" }, tags: ["deploy"] });

export const UpdateMemoryAnswer = MemoryDetail.extend({
  superseded: RememberAnswer.shape.superseded,
  warnings: RememberAnswer.shape.warnings,
}).openapi("UpdateMemoryAnswer");
export type UpdateMemoryAnswer = z.infer<typeof UpdateMemoryAnswer>;
addExample(UpdateMemoryAnswer, {
  ...MEMORY_VIEW_EXAMPLE,
  importance: 0.9,
  metadata: { team: "web" },
  tags: ["deploy"],
  supersedes: [],
  links: [],
  superseded: [],
});

export const MemorySearch = OwnerIds.extend({
  filter: MetadataFilter.default({}),
  include_superseded: z.boolean().default(false),
  ...Clock.shape,
  limit: z.number().int().min(1).max(LIMITS.pageMax).default(LIMITS.pageDefault),
  cursor: z.string().min(1).max(1_024).optional(),
})
  .strict()
  .openapi("MemorySearch");
addExample(MemorySearch, {
  filter: { "metadata.team": "web", tags: { $in: ["deploy", "release"] } },
  project_id: "shop",
});

const MemoryVersionView = MemoryView.extend({
  recorded_at: z.string().meta({ description: "When the service stored this state" }),
  recorded_until: z.string().meta({ description: "When a change replaced this state" }),
}).openapi("MemoryVersion");

export const RecordedMemoryView = MemoryView.extend({
  recorded_at: z.string().meta({ description: "When the service stored the memory" }),
  ended_at: z.string().nullable().meta({
    description: "When it was superseded, forgotten or invalidated; null while it is live",
  }),
  versions: z.array(MemoryVersionView).meta({
    description: "Earlier states that changes in place have replaced, oldest first",
  }),
}).openapi("RecordedMemory");
export type RecordedMemoryView = z.infer<typeof RecordedMemoryView>;
addExample(RecordedMemoryView, {
  ...MEMORY_VIEW_EXAMPLE,
  recorded_at: MEMORY_VIEW_EXAMPLE.timestamp,
  ended_at: null,
  versions: [
    {
      ...MEMORY_VIEW_EXAMPLE,
      confidence: 0.7,
      recorded_at: MEMORY_VIEW_EXAMPLE.timestamp,
      recorded_until: "2026-11-16T09:09:30.000Z",
    },
  ],
});
