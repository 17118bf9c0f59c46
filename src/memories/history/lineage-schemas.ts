// The lineage of a memory: what it rests on, which activity made it, what it replaced, and what rests on it.

import { addExample, EpisodeOutcome, IsoTime, MemoryTypeName, SourceType, z } from "../../kernel/common";
import { ACTIVITY_KINDS, ImportanceParts } from "../memory-fields";
import { MEMORY_STATUSES } from "../memory-schemas";
import { Role } from "../message-schemas";

const NullableText = z.string().nullable();

/** A memory that another one's lineage names. */
const LineageMemory = z.object({
  id: z.string(),
  type: MemoryTypeName,
  content: z.string(),
  status: z.enum(MEMORY_STATUSES),
  source_type: SourceType,
  timestamp: z.string(),
});

export const LineageSource = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("message"),
      id: z.string(),
      session_id: z.string(),
      role: Role,
      name: NullableText,
      content: z.string(),
      timestamp: z.string(),
    }),
    LineageMemory.extend({ kind: z.literal("memory") }),
    z.object({
      kind: z.literal("episode"),
      id: z.string(),
      goal: z.string(),
      outcome: EpisodeOutcome,
      timestamp: z.string(),
    }),
    z.object({
      kind: z.literal("reference"),
      reference: z.string().openapi({
        description: "A document, file or URL as the caller named it, or something that was erased",
      }),
    }),
  ])
  .openapi("LineageSource");
export type LineageSource = z.infer<typeof LineageSource>;

const SUPERSESSION_REASONS = ["key", "statement", "change", "duplicate", "named"] as const;
export type SupersessionReason = (typeof SUPERSESSION_REASONS)[number];

const Supersession = LineageMemory.extend({
  reason: z.enum(SUPERSESSION_REASONS).openapi({
    description:
      "`key`: the same key; `statement`: another value of the same statement; `change`: a PATCH; `duplicate`: the same in other words; `named`: the caller named the two",
  }),
  note: NullableText.openapi({ description: "The reason that the caller gave" }),
  at: IsoTime,
});
export type Supersession = z.infer<typeof Supersession>;

export const MemoryLineage = z
  .object({
    memory: LineageMemory.extend({
      confidence: z.number(),
      rationale: NullableText,
      session_id: NullableText,
      user_id: NullableText,
      agent_id: NullableText,
      project_id: NullableText,
    }),
    activity: z.object({
      kind: z.enum([...ACTIVITY_KINDS, "unknown"]).openapi({
        description: "What stored the memory. `unknown` if it is not recorded",
      }),
      at: IsoTime.openapi({ description: "When it was stored" }),
      key_id: NullableText.openapi({ description: "The key of the call; null for work of an alarm" }),
      importance: z.object({ score: z.number(), parts: ImportanceParts.nullable() }).nullable().openapi({
        description: "Of a promotion: the importance, and its parts unless it was set",
      }),
      extracted_by: NullableText.openapi({
        description: "Of a promotion: `rules`, or the language model that extracted it from messages",
      }),
      context_key: NullableText.openapi({
        description: "Of a promotion: the key of the item in the working context",
      }),
      run: NullableText.openapi({ description: "Of a consolidation: the run" }),
    }),
    sources: z.array(LineageSource),
    supersedes: z.array(Supersession),
    superseded_by: Supersession.nullable(),
    forgotten: z.object({ at: IsoTime, reason: NullableText }).nullable(),
    derived: z.array(LineageMemory),
    hidden: z.number().openapi({ description: "Sources and memories that the key of the call does not see" }),
  })
  .openapi("MemoryLineage");
export type MemoryLineage = z.infer<typeof MemoryLineage>;
const SUMMARY_EXAMPLE = {
  id: "5c05b1d2a3f04e7a9d3b6f5a7c8e9d01",
  type: "fact",
  content: "Invoices are paid within 14 days",
  status: "live",
  source_type: "user",
  timestamp: "2026-03-02T09:00:00.000Z",
};

addExample(MemoryLineage, {
  memory: {
    ...SUMMARY_EXAMPLE,
    confidence: 0.8,
    rationale: null,
    session_id: "monday",
    user_id: "mia",
    agent_id: null,
    project_id: null,
  },
  activity: {
    kind: "promotion",
    at: "2026-03-02T09:00:30.000Z",
    key_id: null,
    importance: { score: 0.675, parts: { recency: 0.2, frequency: 0.1, confidence: 0.2, salience: 0.175 } },
    extracted_by: "rules",
    context_key: null,
    run: null,
  },
  sources: [
    {
      kind: "message",
      id: "m1",
      session_id: "monday",
      role: "user",
      name: null,
      content: "We pay invoices within 14 days.",
      timestamp: "2026-03-02T08:59:58.000Z",
    },
  ],
  supersedes: [],
  superseded_by: null,
  forgotten: null,
  derived: [],
  hidden: 0,
});

export const MemoryImpact = z
  .object({
    memory_id: z.string(),
    data: z.array(
      LineageMemory.extend({
        path: z.array(z.object({ from: z.string(), relation: z.string() })).openapi({
          description: "The steps from the memory to this one",
        }),
        other_support: z.number().openapi({
          description:
            "Its further sources, apart from the memory and those in the list. 0: it would have no support left",
        }),
      }),
    ),
    hidden: z.number(),
    truncated: z.boolean().openapi({ description: "Whether more memories are affected than are listed" }),
  })
  .openapi("MemoryImpact");
export type MemoryImpact = z.infer<typeof MemoryImpact>;
addExample(MemoryImpact, {
  memory_id: SUMMARY_EXAMPLE.id,
  data: [
    {
      ...SUMMARY_EXAMPLE,
      id: "a327b9ea17371a007fdcfbe6f34c3467",
      content: "The dunning run starts on day 15",
      path: [{ from: SUMMARY_EXAMPLE.id, relation: "derivedFrom" }],
      other_support: 0,
    },
  ],
  hidden: 0,
  truncated: false,
});
