// The records of an export in JSON lines: what is written, and what an import takes.

import { EpisodeContext, EpisodeError } from "../experience/episodes/episode-schemas";
import { AnyJson, EpisodeOutcome, Id, MemoryTypeName, SourceType, UserId, z } from "../kernel/common";
import { EXPERIENCE, LIMITS } from "../kernel/limits";
import {
  CleanText,
  Count,
  IN_SESSION,
  JsonMap,
  limitText,
  NullableText,
  NullableTime,
  OWNER,
  Unit,
  UtcTime,
} from "../kernel/record-fields";
import { WEBHOOK_EVENTS } from "../kernel/tables";
import { ACTIVITY_KINDS, ImportanceParts } from "../memories/memory-fields";
import { MemoryMetadata, Tag } from "../memories/memory-schemas";
import { AGENT_CLASSES, RESOURCE_CLASS_NAMES } from "../ontology/entity-classes";
import { ExtensionName } from "../ontology/extension-schemas";
import { PolicyInput } from "../sessions/policy-settings";
import {
  AccessRecord,
  ContainerRecord,
  ContextRecord,
  DirectiveRecord,
  EphemeralItemRecord,
  ExportedSessionRecord,
  InlineItemRecord,
  MessageRecord,
  PendingRecord,
  ProjectorRecord,
  SignalRecord,
  SpaceRecord,
  ThreadRecord,
} from "../sessions/session-records";
import { PrivacyPolicy, PrivacyPut } from "../trust/privacy/privacy-schemas";

// The records that D1 stores, by kind: memories, experience, entities, agents, items and rules of the tenant.

/** A triple that links a memory or an episode to another, by compact IRIs. */
const RecordRelation = z.strictObject({
  predicate: z.string().regex(/^jido:[A-Za-z]+$/, "must be a relation such as jido:relatedTo"),
  to: CleanText,
});

const ActivityRecord = z.strictObject({
  kind: z.enum(ACTIVITY_KINDS),
  key_id: CleanText.optional(),
  importance_parts: ImportanceParts.optional(),
  extracted_by: CleanText.optional(),
  context_key: CleanText.optional(),
  run: CleanText.optional(),
});

/** The fields of a memory that change in place. */
const MEMORY_STATE = {
  type: MemoryTypeName,
  content: limitText(LIMITS.contentChars).refine((text) => text !== "", "must not be empty"),
  confidence: Unit,
  importance: Unit,
  source_type: SourceType,
  rationale: limitText(LIMITS.rationaleChars).nullable(),
  topic_key: NullableText,
  valid_from: NullableTime,
  valid_until: NullableTime,
  evidence: z.array(limitText(LIMITS.evidenceChars)).max(EXPERIENCE.sourcesPerPattern),
  properties: z.record(z.string(), z.array(CleanText)),
  metadata: MemoryMetadata,
  tags: z
    .array(Tag)
    .max(LIMITS.tags)
    .refine(
      (tags) => tags.every((tag, i) => i === 0 || String(tags[i - 1]) < tag),
      "must be sorted, without duplicates",
    ),
  relations: z.array(RecordRelation),
};

export const MemoryRecord = z.strictObject({
  kind: z.literal("memory"),
  id: Id,
  ...MEMORY_STATE,
  session_id: Id.nullable(),
  ...OWNER,
  timestamp: UtcTime,
  recorded_at: NullableTime,
  /** Files of earlier versions do not have it. */
  ended_at: NullableTime.optional(),
  superseded_by: Id.nullable(),
  invalidated_by: Id.nullable(),
  forgotten_at: NullableTime,
  forget_reason: NullableText,
  access_count: Count,
  last_accessed: UtcTime,
  activity: ActivityRecord.nullable(),
});
export type MemoryRecord = z.infer<typeof MemoryRecord>;

/** A state of a memory that a change in place has replaced. */
export const VersionRecord = z.strictObject({
  kind: z.literal("memory_version"),
  memory_id: Id,
  /** When it was replaced. */
  until: UtcTime,
  live: z.boolean(),
  ...MEMORY_STATE,
});
export type VersionRecord = z.infer<typeof VersionRecord>;

/** What is stored is complete: no field has a default. */
const EpisodeContextRecord = EpisodeContext.extend({
  phase: EpisodeContext.shape.phase.removeDefault(),
  constraints: EpisodeContext.shape.constraints.removeDefault(),
  files_involved: EpisodeContext.shape.files_involved.removeDefault(),
});
const EpisodeErrorRecord = EpisodeError.extend({
  message: EpisodeError.shape.message.removeDefault(),
  resolution: EpisodeError.shape.resolution.removeDefault(),
});

export const EpisodeRecord = z.strictObject({
  kind: z.literal("episode"),
  id: Id,
  task_id: NullableText,
  project_id: Id.nullable(),
  user_id: UserId.nullable(),
  agent: Id.nullable(),
  timestamp: UtcTime,
  duration_seconds: z.number().min(0).nullable(),
  context: EpisodeContextRecord,
  action_log: z.array(z.looseObject({ action: CleanText })),
  outcome: EpisodeOutcome,
  errors_encountered: z.array(EpisodeErrorRecord),
  artifacts_produced: z.array(CleanText),
  files_read: z.array(CleanText),
  files_modified: z.array(CleanText),
  git_commit: NullableText,
  tokens_used: Count.nullable(),
  importance: Unit,
  summary: NullableText,
  usage_count: Count,
  last_used: NullableTime,
  decayed_at: NullableTime,
  archived_at: NullableTime,
  relations: z.array(RecordRelation),
});
export type EpisodeRecord = z.infer<typeof EpisodeRecord>;

export const LinkRecord = z.strictObject({
  kind: z.literal("link"),
  id: CleanText.min(1),
  from: CleanText,
  to: CleanText,
  relation: CleanText,
  strength: Unit,
  linked_at: UtcTime,
  resolution: z.strictObject({ action: CleanText, reason: NullableText, resolved_at: UtcTime }).nullable(),
});
export type LinkRecord = z.infer<typeof LinkRecord>;

const PROPERTIES = z.record(z.string(), z.array(CleanText));

const AgentRecord = z.strictObject({
  kind: z.literal("agent"),
  id: Id,
  class: z.enum(Object.values(AGENT_CLASSES)),
  properties: PROPERTIES,
});
const ProjectRecord = z.strictObject({ kind: z.literal("project"), id: Id, properties: PROPERTIES });
const ResourceRecord = z.strictObject({
  kind: z.literal("resource"),
  id: Id,
  class: z.enum(RESOURCE_CLASS_NAMES),
  properties: PROPERTIES,
});
export type EntityRecord = z.infer<typeof AgentRecord | typeof ProjectRecord | typeof ResourceRecord>;

const LedgerRecord = z.strictObject({
  kind: z.literal("ledger"),
  agent_id: Id,
  version: Count.min(1),
  ledger: JsonMap,
  last_checkpoint: UtcTime,
});

const HandoffRecord = z.strictObject({
  kind: z.literal("handoff"),
  id: Id,
  project_id: Id.nullable(),
  from_agent: Id,
  to_agent: Id,
  timestamp: UtcTime,
  context: JsonMap,
  status: z.enum(["pending", "acknowledged"]),
  acknowledged_by: Id.nullable(),
  acknowledged_at: NullableTime,
});

const SkillProposalRecord = z.strictObject({
  kind: z.literal("skill_proposal"),
  project_id: z.string().max(128),
  slug: CleanText.min(1),
  pattern_id: CleanText,
  body: CleanText,
  status: z.enum(["proposed", "accepted", "dismissed"]),
  created_at: UtcTime,
  decided_at: NullableTime,
});

const BriefingCountRecord = z.strictObject({
  kind: z.literal("briefing_count"),
  day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day, such as 2026-01-31"),
  project_id: z.string().max(128),
  agent_id: z.string().max(128),
  calls: Count,
  with_patterns: Count,
  patterns: Count,
  tokens_used: Count,
  tokens_saved: z.number().int(),
});

/** A session whose thread quotes a memory: an erasure of the memory reaches it. */
const QuotationRecord = z.strictObject({ kind: z.literal("quotation"), memory_id: Id, ...IN_SESSION });

/** An item of the providers `d1` and `vector`. */
export const ItemRecord = z
  .strictObject({
    kind: z.literal("item"),
    collection: z
      .string()
      .max(512)
      .regex(/^(?:d1|vector)\/(?:session|index):/, "must be a collection such as d1/index:glossary"),
    key: CleanText.min(1),
    value: AnyJson,
    session_id: Id.nullable(),
    updated_at: UtcTime,
    embedding: NullableText,
    embedder: NullableText,
  })
  .refine(({ collection, session_id }) => session_id === getCollectionSession(collection), {
    path: ["session_id"],
    message: "must be the session that collection names, and null in a collection that sessions share",
  });

/** Returns the id of the session that a collection belongs to; null if sessions share it. */
function getCollectionSession(collection: string): string | null {
  return /^[^/]+\/session:(.*)$/s.exec(collection)?.[1] ?? null;
}
export type ItemRecord = z.infer<typeof ItemRecord>;

const PolicyRecord = z.strictObject({
  kind: z.literal("policy"),
  agent_id: Id,
  policy: PolicyInput,
  updated_at: UtcTime,
});

export const PrivacyRecord = z.strictObject({
  kind: z.literal("privacy_policy"),
  /** Null for the policy of the tenant. */
  project_id: Id.nullable(),
  policy: z.union([PrivacyPolicy.strict(), PrivacyPut]),
});
export type PrivacyRecord = z.infer<typeof PrivacyRecord>;

/** Without its secret: the imported one gets a new one. */
const WebhookRecord = z.strictObject({
  kind: z.literal("webhook"),
  id: z
    .string()
    .regex(/^wh_[0-9a-f]{24}$/, "must be the id of a webhook, such as wh_0123456789abcdef01234567"),
  url: CleanText,
  events: z.array(z.enum(WEBHOOK_EVENTS)).min(1),
  created_at: UtcTime,
  failing_since: NullableTime,
  disabled_at: NullableTime,
});

const ExtensionRecord = z.strictObject({
  kind: z.literal("ontology_extension"),
  name: ExtensionName,
  version: Count.min(1),
  turtle: CleanText,
  created_at: UtcTime,
  current: z.boolean(),
});

/** The records of a session, which its object stores. */

/** In the order of an export. What other records rest on comes first; rules that could refuse them come last. */
export const RECORD_SCHEMAS = {
  ontology_extension: ExtensionRecord,
  resource: ResourceRecord,
  project: ProjectRecord,
  session: ExportedSessionRecord,
  projector: ProjectorRecord,
  message: MessageRecord,
  context_item: ContextRecord,
  pending_item: PendingRecord,
  access: AccessRecord,
  space_container: ContainerRecord,
  space: SpaceRecord,
  thread_entry: ThreadRecord,
  inline_item: InlineItemRecord,
  ephemeral_item: EphemeralItemRecord,
  directive: DirectiveRecord,
  signal: SignalRecord,
  memory: MemoryRecord,
  memory_version: VersionRecord,
  episode: EpisodeRecord,
  link: LinkRecord,
  item: ItemRecord,
  quotation: QuotationRecord,
  skill_proposal: SkillProposalRecord,
  briefing_count: BriefingCountRecord,
  ledger: LedgerRecord,
  handoff: HandoffRecord,
  policy: PolicyRecord,
  agent: AgentRecord,
  privacy_policy: PrivacyRecord,
  webhook: WebhookRecord,
} as const;

export type RecordKind = keyof typeof RECORD_SCHEMAS;
export const RECORD_KINDS = Object.keys(RECORD_SCHEMAS) as RecordKind[];
export type ExportRecord<K extends RecordKind = RecordKind> = z.infer<(typeof RECORD_SCHEMAS)[K]>;
