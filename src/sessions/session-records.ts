// The records that the object of a session stores, by kind.

import { Directive, ProviderOptions, ThreadKind } from "../cognition/runtime/thread-schemas";
import { SpaceKind } from "../cognition/spaces/space-schemas";
import { AnyJson, Id, MemoryTypeName, ScopeName, UserId, z } from "../kernel/common";
import {
  CleanText,
  Count,
  IN_SESSION,
  JsonMap,
  NullableText,
  NullableTime,
  OWNER,
  Unit,
  UtcTime,
} from "../kernel/record-fields";
import { Role } from "../memories/message-schemas";
import { PrivacyModeName } from "../trust/privacy/privacy-schemas";
import { PolicyInput } from "./policy-settings";
import {
  ContextKey,
  ContextSource,
  PendingItem,
  PromotionSettings,
  SessionPhase,
  SessionStatus,
  TokenBudget,
} from "./session-schemas";

export const ExportedSessionRecord = z.strictObject({
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
export type ExportedSession = z.infer<typeof ExportedSessionRecord>;

const Seq = Count.min(1);

export const MessageRecord = z.strictObject({
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

export const ContextRecord = z.strictObject({
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

export const PendingRecord = z.strictObject({
  kind: z.literal("pending_item"),
  ...IN_SESSION,
  id: CleanText.min(1),
  item: PendingItem.extend({ created_at: UtcTime }).strict(),
});

export const AccessRecord = z.strictObject({
  kind: z.literal("access"),
  ...IN_SESSION,
  seq: Seq,
  key: CleanText,
  at: Count,
});

/** The revision and metadata of all spaces of a session. */
export const ContainerRecord = z.strictObject({
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

export const SpaceRecord = z
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

export const ThreadRecord = z
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

export const ProjectorRecord = z.strictObject({
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

export const InlineItemRecord = z.strictObject({
  kind: z.literal("inline_item"),
  ...IN_SESSION,
  store: CleanText,
  key: CleanText,
  value: AnyJson,
});

export const EphemeralItemRecord = z.strictObject({
  kind: z.literal("ephemeral_item"),
  ...IN_SESSION,
  store: CleanText,
  key: CleanText,
  value: AnyJson,
  expires_at: Count,
});

const ProviderName = z.enum(["inline", "d1", "vector", "ephemeral"]);

export const DirectiveRecord = z.strictObject({
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

export const SignalRecord = z.strictObject({
  kind: z.literal("signal"),
  ...IN_SESSION,
  seq: Seq,
  event: JsonMap,
});

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
] as const;

export type SessionKind = (typeof SESSION_KINDS)[number];
