// The records of an export in JSON lines, by kind: what is written, and what an import takes. Values are as they are
// stored: no schema here changes one, but for the defaults of a directive.
import { EXPERIENCE, LIMITS } from "../../limits";
import { AGENT_CLASSES, RESOURCE_CLASS_NAMES } from "../../ontology/entity-classes";
import { WEBHOOK_EVENTS } from "../administration/webhook";
import { AnyJson, countCodePoints, Id, isCleanText, MemoryTypeName, ScopeName, UserId, z } from "../common";
import { Directive, ProviderOptions } from "../directive";
import { EpisodeContext, EpisodeError, EpisodeOutcome } from "../episode";
import { ACTIVITY_KINDS, ImportanceParts } from "../memories/activity";
import { SourceType } from "../memories/source-type";
import { MemoryMetadata, Tag } from "../memory";
import { Role } from "../message";
import { PrivacyModeName, PrivacyPolicy, PrivacyPut } from "../owners/privacy";
import { PolicyInput } from "../policy";
import { ThreadKind } from "../projection";
import {
  ContextKey,
  ContextSource,
  PendingItem,
  PromotionSettings,
  SessionPhase,
  SessionStatus,
  TokenBudget,
} from "../session";
import { SpaceKind } from "../space";
import { ExtensionName } from "../tenant/extension";

/** Far above every limit of a field: the fields of a line bound each other by the size of a part. */
const MAX_CHARS = 2 ** 20;

const CleanText = z
  .string()
  .max(MAX_CHARS)
  .refine(isCleanText, "must not contain NUL or lone surrogates: remove them and send again");
const NullableText = CleanText.nullable();
/** A text of at most so many code points. */
const limitText = (max: number) =>
  CleanText.refine((text) => countCodePoints(text) <= max, `must have at most ${max} characters: shorten it`);
/** Times are compared as text, so they have one form. */
const UtcTime = z
  .string()
  .refine(
    (text) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text) &&
      !Number.isNaN(Date.parse(text)) &&
      new Date(text).toISOString() === text,
    "must be a time of UTC with milliseconds, such as 2026-01-31T12:00:00.000Z",
  );
const NullableTime = UtcTime.nullable();
const Count = z.number().int().min(0);
const JsonMap = z.record(z.string(), AnyJson);
const Unit = z.number().min(0).max(1);

const OWNER = {
  user_id: UserId.nullable(),
  agent_id: Id.nullable(),
  project_id: Id.nullable(),
};
const IN_SESSION = { session_id: Id };

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

const MemoryRecord = z.strictObject({
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
const VersionRecord = z.strictObject({
  kind: z.literal("memory_version"),
  memory_id: Id,
  /** When it was replaced. */
  until: UtcTime,
  live: z.boolean(),
  ...MEMORY_STATE,
});
export type VersionRecord = z.infer<typeof VersionRecord>;

const EpisodeRecord = z.strictObject({
  kind: z.literal("episode"),
  id: Id,
  task_id: NullableText,
  project_id: Id.nullable(),
  user_id: UserId.nullable(),
  agent: Id.nullable(),
  timestamp: UtcTime,
  duration_seconds: z.number().min(0).nullable(),
  context: EpisodeContext,
  action_log: z.array(z.looseObject({ action: CleanText })),
  outcome: EpisodeOutcome,
  errors_encountered: z.array(EpisodeError),
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

const LinkRecord = z.strictObject({
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
const ItemRecord = z
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

const PrivacyRecord = z.strictObject({
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
export type WebhookRecord = z.infer<typeof WebhookRecord>;

const ExtensionRecord = z.strictObject({
  kind: z.literal("ontology_extension"),
  name: ExtensionName,
  version: Count.min(1),
  turtle: CleanText,
  created_at: UtcTime,
  current: z.boolean(),
});
export type ExtensionRecord = z.infer<typeof ExtensionRecord>;

/** The records of a session, which its object stores. */

const SessionRecord = z.strictObject({
  kind: z.literal("session"),
  id: Id,
  status: SessionStatus,
  ...OWNER,
  reach: ScopeName.nullable(),
  phase: SessionPhase.nullable(),
  participating_agents: z.array(Id),
  within: z.strictObject({ user_id: UserId, agent_id: Id, project_id: Id }).partial().optional(),
  continues: Id.nullable(),
  created_at: UtcTime,
  updated_at: UtcTime,
  ended_at: NullableTime,
  token_budget: TokenBudget,
  promotion: PromotionSettings,
  policy: PolicyInput.nullable(),
  privacy: PrivacyModeName,
  metadata: JsonMap,
  runs: Count,
  total_promoted: Count,
  last_run: NullableTime,
  window_start: Count,
  extracted_seq: Count,
  finishing: z.boolean(),
  version: Count.min(1),
});
export type ExportedSession = z.infer<typeof SessionRecord>;

const Seq = Count.min(1);

const MessageRecord = z.strictObject({
  kind: z.literal("message"),
  ...IN_SESSION,
  seq: Seq,
  id: Id,
  role: Role,
  name: NullableText,
  content: CleanText,
  timestamp: UtcTime,
  token_count: Count,
  tool_calls: z.array(AnyJson).nullable(),
  tool_call_id: NullableText,
  metadata: JsonMap,
});

const ContextRecord = z.strictObject({
  kind: z.literal("context_item"),
  ...IN_SESSION,
  key: ContextKey,
  item: z.strictObject({
    key: ContextKey,
    value: AnyJson,
    source: ContextSource,
    confidence: Unit,
    access_count: Count,
    first_seen: UtcTime,
    last_accessed: UtcTime,
    suggested_type: MemoryTypeName.nullable(),
    tokens: Count,
    given_type: MemoryTypeName.nullable().optional(),
    promoted: NullableText,
  }),
});

const PendingRecord = z.strictObject({
  kind: z.literal("pending_item"),
  ...IN_SESSION,
  id: CleanText.min(1),
  item: PendingItem.extend({ created_at: UtcTime }).strict(),
});

const AccessRecord = z.strictObject({
  kind: z.literal("access"),
  ...IN_SESSION,
  seq: Seq,
  key: CleanText,
  at: Count,
});

/** The revision and metadata of all spaces of a session. */
const ContainerRecord = z.strictObject({
  kind: z.literal("space_container"),
  ...IN_SESSION,
  head: z.strictObject({
    rev: Count,
    updated_at: UtcTime,
    metadata: JsonMap,
    deleted_rev: Count,
    totals: z.strictObject({ spaces: Count, bytes: Count }),
  }),
});

const SpaceRecord = z
  .strictObject({
    kind: z.literal("space"),
    ...IN_SESSION,
    name: CleanText.min(1),
    type: SpaceKind,
    rev: Count,
    data: z.union([z.array(AnyJson), JsonMap]),
    metadata: JsonMap,
    bytes: Count,
    expires: z.record(z.string(), Count).nullable(),
  })
  .refine(({ type, data }) => (type === "list") === Array.isArray(data), {
    path: ["data"],
    message: "must be a list in a space of type list, and an object in one of type map",
  });

const ThreadRecord = z
  .strictObject({
    kind: z.literal("thread_entry"),
    ...IN_SESSION,
    seq: Seq,
    type: ThreadKind,
    at: UtcTime,
    payload: AnyJson.optional(),
    message: Seq.nullable(),
    ref: NullableText,
  })
  .refine(({ payload, message }) => (payload === undefined) === (message !== null), {
    path: ["payload"],
    message: "must be given unless the entry refers to a message, by its seq",
  });

const ProjectorRecord = z.strictObject({
  kind: z.literal("projector"),
  ...IN_SESSION,
  name: CleanText.min(1),
  state: z.looseObject({
    covered_seq: Count,
    failures: Count,
    retry_at: Count.nullable(),
    stalled_fresh: Count.nullable(),
    trigger: z.looseObject({ tick: z.boolean(), after: Count.nullable() }),
  }),
});

const InlineItemRecord = z.strictObject({
  kind: z.literal("inline_item"),
  ...IN_SESSION,
  store: CleanText,
  key: CleanText,
  value: AnyJson,
});

const EphemeralItemRecord = z.strictObject({
  kind: z.literal("ephemeral_item"),
  ...IN_SESSION,
  store: CleanText,
  key: CleanText,
  value: AnyJson,
  expires_at: Count,
});

const ProviderName = z.enum(["inline", "d1", "vector", "ephemeral"]);

const DirectiveRecord = z.strictObject({
  kind: z.literal("directive"),
  ...IN_SESSION,
  seq: Seq,
  request_id: CleanText.min(1),
  digest: CleanText,
  provider: ProviderName,
  work: z
    .strictObject({
      directive: Directive,
      provider: ProviderName,
      options: ProviderOptions.strict(),
    })
    .nullable(),
  attempts: Count,
  due_at: Count,
});

const SignalRecord = z.strictObject({
  kind: z.literal("signal"),
  ...IN_SESSION,
  seq: Seq,
  event: JsonMap,
});

/** In the order of an export. What other records rest on comes first; rules that could refuse them come last. */
export const RECORD_SCHEMAS = {
  ontology_extension: ExtensionRecord,
  resource: ResourceRecord,
  project: ProjectRecord,
  session: SessionRecord,
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

/** The kinds that the object of a session stores, in their order. */
export const SESSION_KINDS = [
  "session",
  "projector",
  "message",
  "context_item",
  "pending_item",
  "access",
  "space_container",
  "space",
  "thread_entry",
  "inline_item",
  "ephemeral_item",
  "directive",
  "signal",
] as const satisfies readonly RecordKind[];
export type SessionKind = (typeof SESSION_KINDS)[number];
