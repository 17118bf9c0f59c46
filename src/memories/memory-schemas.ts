// Long-term memories: the stored type, its views, and the requests and responses of remember, recall and forget.

import {
  addExample,
  boundedText,
  Clock,
  Confidence,
  countUtf8Bytes,
  Evidence,
  EXTENSION_TYPE,
  Id,
  isCleanText,
  MemoryTypeName,
  PropertyInput,
  ScopeName,
  Signals,
  SourceType,
  Time,
  ZonedTime,
  z,
} from "../kernel/common";
import { LIMITS } from "../kernel/limits";
import { MEMORY_TYPES } from "../ontology/generated/terms.generated";
import type { MemoryActivity } from "./memory-fields";
import { MetadataFilter } from "./memory-fields";
import { Role } from "./message-schemas";

export const MetadataValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())], {
  error: "must be a string, a number, a boolean or a list of strings",
});

/** Checks labels against their limits. */
export function checkMetadata(value: Readonly<Record<string, unknown>>, ctx: z.RefinementCtx): void {
  const problem = findMetadataIssue(value);
  if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
}

/** A memory's labels, by which calls filter. */
export const MemoryMetadata = z.record(z.string(), MetadataValue).superRefine(checkMetadata);
export type MemoryMetadata = z.infer<typeof MemoryMetadata>;

function findMetadataIssue(value: Readonly<Record<string, unknown>>): string | null {
  const keys = Object.keys(value);
  if (keys.length > LIMITS.memoryMetadataKeys)
    return `must have at most ${LIMITS.memoryMetadataKeys} keys, has ${keys.length}: remove some`;
  const long = keys.find((key) => key === "" || [...key].length > LIMITS.memoryMetadataKeyChars);
  if (long !== undefined) return `must have keys of 1 to ${LIMITS.memoryMetadataKeyChars} characters`;
  const json = JSON.stringify(value);
  const bytes = countUtf8Bytes(json);
  if (bytes > LIMITS.memoryMetadataBytes)
    return `must be at most ${LIMITS.memoryMetadataBytes} bytes as JSON, is ${bytes}: shorten it`;
  const texts = Object.entries(value).flat(2);
  return texts.every((text) => typeof text !== "string" || isCleanText(text))
    ? null
    : "must not contain NUL or lone surrogates: remove them and send again";
}

export const Tag = boundedText(1, LIMITS.tagChars);

/** A memory's tags, sorted and without duplicates, so that the same tags are the same value. */
export const Tags = z
  .array(Tag)
  .max(LIMITS.tags)
  .transform((tags) => [...new Set(tags)].sort());

export const MEMORY_STATUSES = ["live", "superseded", "invalidated", "forgotten"] as const;

/** A memory with everything its triples hold: the value that is stored, rebuilt and compared. */
export type Memory = {
  id: string;
  type: z.infer<typeof MemoryTypeName>;
  content: string;
  confidence: number;
  importance: number;
  source_type: SourceType;
  rationale: string | null;
  session_id: string | null;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  topic_key: string | null;
  timestamp: string;
  valid_from: string | null;
  valid_until: string | null;
  superseded_by: string | null;
  invalidated_by: string | null;
  forgotten_at: string | null;
  forget_reason: string | null;
  /** The importance as it was set, if use has raised it since. */
  base_importance?: number;
  access_count: number;
  last_accessed: string;
  evidence: string[];
  /** The type's own properties, by local name: `{ decisionStatus: ["accepted"] }`. */
  properties: Record<string, string[]>;
  metadata: MemoryMetadata;
  /** Sorted, without duplicates. */
  tags: string[];
  /** How it came to be. Set when it is created; a memory that is read has none. */
  activity?: MemoryActivity | undefined;
};

/** A memory to be written. The store assigns its id and its bookkeeping fields, and the defaults of optional ones. */
export type NewMemory = Pick<
  Memory,
  | "type"
  | "content"
  | "confidence"
  | "importance"
  | "source_type"
  | "rationale"
  | "session_id"
  | "agent_id"
  | "project_id"
  | "topic_key"
  | "timestamp"
  | "valid_from"
  | "evidence"
  | "properties"
> &
  Partial<
    Pick<
      Memory,
      "user_id" | "metadata" | "tags" | "valid_until" | "access_count" | "last_accessed" | "activity"
    >
  >;

const NullableText = z.string().nullable();

export const RecallHit = z
  .object({
    id: z.string(),
    kind: z.literal("memory"),
    content: z.string(),
    type: MemoryTypeName,
    confidence: z.number(),
    status: z.enum(MEMORY_STATUSES),
    timestamp: z.string(),
    session_id: NullableText,
    user_id: NullableText,
    agent_id: NullableText,
    project_id: NullableText,
    source_type: SourceType,
    rationale: NullableText,
    score: z.number(),
    signals: Signals,
    superseded_by: NullableText,
    access_count: z.number(),
    metadata: MemoryMetadata,
    tags: z.array(z.string()),
  })
  .openapi("RecallHit");
export type RecallHit = z.infer<typeof RecallHit>;

/** Two hits of the examples. */
export const DEPLOY_RULE_HIT = {
  id: "b924eb2b8ea1f386820e4e58919566bf",
  kind: "memory",
  content: "We deploy on Fridays only after the smoke tests pass",
  type: "process_convention",
  confidence: 0.9,
  status: "live",
  timestamp: "2026-11-16T09:08:00.000Z",
  session_id: "checkout-fix",
  user_id: null,
  agent_id: "ada",
  project_id: "shop",
  source_type: "agent",
  rationale: "Agreed after the outage in May",
  score: 1.5057,
  signals: { lexical: 1, semantic: 0.3107, recency: 1, importance: 1, mode: "hybrid" },
  superseded_by: null,
  access_count: 1,
  metadata: { team: "web" },
  tags: ["deploy"],
};

export const HOTFIX_RULE_HIT = {
  id: "d2738fe512d8476e3f904e9c40532471",
  kind: "memory",
  content: "Hotfixes are deployed on any day",
  type: "process_convention",
  confidence: 0.8,
  status: "live",
  timestamp: "2026-11-16T09:09:00.000Z",
  session_id: null,
  user_id: null,
  agent_id: null,
  project_id: "shop",
  source_type: "user",
  rationale: null,
  score: 1.7333,
  signals: { lexical: 1, semantic: 0.5433, recency: 1, importance: 1, mode: "hybrid" },
  superseded_by: null,
  access_count: 1,
  metadata: {},
  tags: [],
};

/** A hit in the conversation itself: a message has no type and no confidence. */
export const MessageHit = z
  .object({
    id: z.string(),
    kind: z.literal("message"),
    content: z.string(),
    role: Role,
    name: NullableText,
    timestamp: z.string(),
    session_id: z.string(),
    user_id: NullableText,
    agent_id: NullableText,
    project_id: NullableText,
    score: z.number(),
    signals: Signals,
  })
  .openapi("MessageHit");
export type MessageHit = z.infer<typeof MessageHit>;

export const MemoryView = RecallHit.omit({ score: true, signals: true })
  .extend({
    importance: z.number(),
    key: NullableText,
    valid_from: z.string(),
    valid_until: NullableText,
    forgotten_at: NullableText,
    forget_reason: NullableText,
    last_accessed: z.string(),
    evidence: z.array(z.string()),
    properties: z.record(z.string(), z.array(z.string())),
    invalidated_by: NullableText,
  })
  .openapi("Memory");
export type MemoryView = z.infer<typeof MemoryView>;
export const MEMORY_VIEW_EXAMPLE = addExample(MemoryView, {
  id: "b924eb2b8ea1f386820e4e58919566bf",
  kind: "memory",
  content: "We deploy on Fridays only after the smoke tests pass",
  type: "process_convention",
  confidence: 0.9,
  timestamp: "2026-11-16T09:08:00.000Z",
  session_id: "checkout-fix",
  user_id: null,
  agent_id: "ada",
  project_id: "shop",
  source_type: "agent",
  rationale: "Agreed after the outage in May",
  superseded_by: null,
  access_count: 4,
  metadata: { team: "web" },
  tags: ["deploy"],
  status: "live",
  importance: 1,
  key: null,
  valid_from: "2026-11-16T09:08:00.000Z",
  valid_until: null,
  forgotten_at: null,
  forget_reason: null,
  last_accessed: "2026-11-16T09:10:00.000Z",
  evidence: ["runbook.md"],
  properties: { hasConventionScope: ["ProjectScope"], hasEnforcementLevel: ["Required"] },
  invalidated_by: null,
});

export const MemoryDetail = MemoryView.extend({
  supersedes: z.array(z.string()),
  links: z.array(z.object({ relation: z.string(), direction: z.enum(["out", "in"]), id: z.string() })),
}).openapi("MemoryDetail");
export type MemoryDetail = z.infer<typeof MemoryDetail>;
addExample(MemoryDetail, { ...MEMORY_VIEW_EXAMPLE, supersedes: [], links: [] });

/** A topic key, or a prefix of one. */
export const MemoryKey = boundedText(1, 128);

export const RememberInput = z
  .object({
    content: z.string().trim().pipe(boundedText(1, LIMITS.contentChars)).meta({
      description: "The content to remember: one concise, factual statement",
      minLength: 1,
      maxLength: LIMITS.contentChars,
    }),
    type: MemoryTypeName.default("fact").meta({ description: "Kind of memory, a class of the ontology" }),
    confidence: Confidence.default(0.8),
    rationale: boundedText(1, LIMITS.rationaleChars).optional().meta({
      description: "Why this is worth remembering",
    }),
    evidence: Evidence.default([]).meta({ description: "References that support it" }),
    source_type: SourceType.default("agent").meta({
      description:
        "The source of the information. Its rank decides what it may supersede: user and agent, then tool, then external_document. In a tool call, user counts as agent",
    }),
    valid_from: Time.optional().meta({ description: "When it became true, if not now" }),
    key: MemoryKey.optional().meta({
      description: "Names a topic: a new memory with the same key in the same scope supersedes the live one",
    }),
    properties: z
      .record(z.string(), PropertyInput)
      .optional()
      .meta({
        description:
          'The type\'s own properties from the ontology, e.g. { decisionStatus: "accepted" }, and its relations to other ' +
          'memories, by their ids, e.g. { hasAlternative: ["<id>"], contradicts: "<id>" }',
      }),
    metadata: MemoryMetadata.optional().meta({
      description: "Labels to filter by: texts, numbers, booleans and lists of texts, by key",
    }),
    tags: Tags.optional().meta({ description: "Tags to filter by" }),
    supersede: z.boolean().default(true).meta({
      description: "false keeps an earlier memory of the same topic or key",
    }),
  })
  .strict();
export type RememberInput = z.infer<typeof RememberInput>;

export const RememberAnswer = z
  .object({
    remembered: z.literal(true),
    memory_id: z.string(),
    memory_type: MemoryTypeName,
    message: z.string(),
    deduplicated: z.boolean(),
    superseded: z.array(z.string()).meta({
      description: "Ids of the memories that this one supersedes: live until this call",
    }),
    contradicts: z.array(z.string()).optional().meta({
      description:
        "Ids of memories with the same key or topic that stay live, because their source ranks higher: listed as contradictions to settle",
    }),
    scope: z.object({ kind: ScopeName, id: z.string().nullable() }).meta({
      description: "Where recall finds it by default",
    }),
    warnings: z.array(z.string()).optional().meta({
      description:
        "What a shape of the ontology asks for and the memory lacks, and links that were not written",
    }),
  })
  .openapi("RememberAnswer");
export type RememberAnswer = z.infer<typeof RememberAnswer>;

const RECALL_TYPES = ["all", ...MEMORY_TYPES] as const;

const RECALL_TYPE_MESSAGE = `must be all, or one of: ${MEMORY_TYPES.join(", ")}`;

/** A memory type, as in MemoryTypeName, or all of them. */
export const RecallType = z.union(
  [z.enum(RECALL_TYPES), z.string({ error: RECALL_TYPE_MESSAGE }).regex(EXTENSION_TYPE, RECALL_TYPE_MESSAGE)],
  { error: RECALL_TYPE_MESSAGE },
) as unknown as z.ZodEnum<{ [Type in (typeof RECALL_TYPES)[number]]: Type }>;

const RECALL_SOURCES = ["memories", "messages", "episodes"] as const;
export type RecallSource = (typeof RECALL_SOURCES)[number];
export const DEFAULT_SOURCES: readonly RecallSource[] = ["memories", "messages"];

/** Options of the ranking. Those that a request leaves out come from the embedder's preset. */
export const RankingInput = z
  .object({
    fusion: z.enum(["weighted", "rrf"]).optional().meta({
      description:
        "How lexical and semantic scores are fused; rrf suits strong embedders. By default as the embedder's preset has it",
    }),
    semantic_weight: z.number().min(0).max(2).optional().meta({
      description:
        "Weight of the semantic score; the lexical score has weight 1. By default as the embedder's preset has it",
    }),
    user_prior: z.number().min(0).max(1).optional().meta({
      description: "Score added to messages with the role user. Default: 0",
    }),
    rerank: z.boolean().optional().meta({
      description:
        "Whether the reranker orders the first 50 hits. By default it does if one is configured; true without one is an error",
    }),
  })
  .strict()
  .openapi("RankingOptions");
export type RankingInput = z.infer<typeof RankingInput>;

/** The options of one ranking, all of them known. */
export type RankingOptions = { fusion: "weighted" | "rrf"; semantic_weight: number; user_prior: number };

export const RecallInput = z
  .object({
    query: boundedText(0, LIMITS.queryChars).optional().meta({
      description: "The search query, in plain words",
    }),
    type: RecallType.default("all").meta({ description: "Only this kind of memory, with its subclasses" }),
    min_confidence: z.number().min(0).max(1).default(0.5).meta({
      description: "Minimum confidence of a memory",
    }),
    limit: z.number().int().min(1).max(LIMITS.recallMax).default(10).meta({
      description: "Maximum number of memories",
    }),
    min_score: z.number().optional().meta({ description: "Leaves out hits with a lower score" }),
    min_relevance: z.number().min(0).max(2).optional().meta({
      description:
        "Leaves out hits with a lower relevance (signals.relevance: coverage of the query plus similarity). 0 turns the floor off; by default a calibrated floor",
    }),
    mode: z.enum(["text", "semantic", "hybrid"]).default("hybrid").meta({ description: "Search mode" }),
    scope: ScopeName.optional().meta({
      description:
        "Whose memories to search; by default the session's reach, else the narrowest id that is given",
    }),
    include_superseded: z.boolean().default(false).meta({
      description: "Include superseded and forgotten memories",
    }),
    since: Time.optional().meta({ description: "Only memories from this time on" }),
    until: Time.optional().meta({ description: "Only memories up to this time" }),
    ...Clock.shape,
    key_prefix: MemoryKey.optional().meta({ description: "Only memories whose key begins with this" }),
    filter: MetadataFilter.optional().meta({
      description:
        "Conditions on metadata.<key>, tags, type and source_type, all of which must hold: a value, or an operator such as $in",
    }),
    now: ZonedTime.optional().meta({
      description:
        'The clock of the asker, by which "yesterday" or "last Tuesday" in the query are read; its offset is the time zone. The server\'s clock by default',
    }),
    sources: z.array(z.enum(RECALL_SOURCES)).min(1).optional().meta({
      description:
        "Sources to search: memories, messages of the conversations, episodes of a project. By default memories and messages, without the messages that the asking session still has in its window",
    }),
    ranking: RankingInput.default({}).meta({ description: "Ranking options; rarely needed" }),
  })
  .strict();
export type RecallInput = z.infer<typeof RecallInput>;

export const ForgetInput = z
  .object({
    memory_id: Id.meta({ description: "Id of the memory to forget" }),
    reason: boundedText(1, LIMITS.reasonChars).optional().meta({ description: "Why it is no longer valid" }),
    replacement_id: Id.optional().meta({ description: "Id of the memory that replaces it" }),
  })
  .strict();
export type ForgetInput = z.infer<typeof ForgetInput>;

export const ForgetAnswer = z
  .object({
    forgotten: z.literal(true),
    memory_id: z.string(),
    message: z.string(),
    reason: z.string().optional(),
    replacement_id: z.string().optional(),
  })
  .openapi("ForgetAnswer");
export type ForgetAnswer = z.infer<typeof ForgetAnswer>;

/** Returns why a memory no longer holds, or "live". An invalidation outweighs a supersession, which outweighs a deletion. */
export function getMemoryStatus(memory: Memory): MemoryView["status"] {
  if (memory.invalidated_by !== null) return "invalidated";
  if (memory.superseded_by !== null) return "superseded";
  return memory.forgotten_at === null ? "live" : "forgotten";
}

/** Returns whether a memory was true at a time: from the beginning of its validity up to its end, which is exclusive. */
export function isValidAt(
  { valid_from, valid_until, timestamp }: Pick<Memory, "valid_from" | "valid_until" | "timestamp">,
  at: string,
): boolean {
  return (valid_from ?? timestamp) <= at && (valid_until === null || valid_until > at);
}

/** Adds the key of the call to the activity that creates a memory. One of another kind than `remember` is named by its caller. */
export function addActivity({ keyId }: { keyId?: string | undefined }, memory: NewMemory): NewMemory {
  const key = keyId === undefined ? {} : { key_id: keyId };
  return { ...memory, activity: { kind: "remember", ...key, ...memory.activity } };
}
