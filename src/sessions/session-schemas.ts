// Sessions and their short-term memory: settings, working context, pending memories, promotion.

import { TriggerPatch } from "../cognition/runtime/thread-schemas";
import { InitialSpaces } from "../cognition/spaces/space-schemas";
import {
  AnyJson,
  addExample,
  BuiltInTypeName,
  boundedJson,
  boundedText,
  Confidence,
  Evidence,
  Id,
  IsoTime,
  Metadata,
  ScopeName,
  SourceType,
  UserId,
  z,
} from "../kernel/common";
import { LIMITS, PROMOTION, TOKEN_BUDGET } from "../kernel/limits";
import { ImportanceParts } from "../memories/memory-fields";
import { PrivacyModeName } from "../trust/privacy/privacy-schemas";
import { PolicyInput } from "./policy-settings";

const SESSION_STATUSES = ["active", "paused", "closed", "abandoned"] as const;
export const SessionStatus = z.enum(SESSION_STATUSES, {
  error: `must be one of: ${SESSION_STATUSES.join(", ")}`,
});
export type SessionStatus = z.infer<typeof SessionStatus>;

const SESSION_PHASES = ["planning", "implementation", "debugging", "review"] as const;
export const SessionPhase = z.enum(SESSION_PHASES, { error: `must be one of: ${SESSION_PHASES.join(", ")}` });
export type SessionPhase = z.infer<typeof SessionPhase>;

/** A phase by its name, or by that of its individual in the ontology: `PlanningPhase` is `planning`. */
export const SessionPhaseInput = z
  .preprocess(
    (value) => SESSION_PHASES.find((phase) => `${phase}phase` === String(value).toLowerCase()) ?? value,
    SessionPhase,
  )
  .openapi({
    type: "string",
    enum: [...SESSION_PHASES],
  });

/** Agents that work in a session besides its own, without duplicates. */
const ParticipatingAgents = z
  .array(Id)
  .max(LIMITS.participatingAgents)
  .transform((ids) => [...new Set(ids)])
  .openapi({
    description:
      "Agents that work in the session besides its own: what one of them remembers, with its `agent_id` in the call, is asserted by it",
  });

const Tokens = z.number().int().min(TOKEN_BUDGET.min).max(TOKEN_BUDGET.max);
export const TokenBudget = z.object({
  total: Tokens,
  conversation: z.number().int().min(100).max(TOKEN_BUDGET.max),
  context: z.number().int().min(100).max(TOKEN_BUDGET.max),
});
export type TokenBudget = z.infer<typeof TokenBudget>;

const TokenBudgetInput = TokenBudget.partial().strict();

const Unit = z.number().min(0).max(1);
export const ImportanceWeights = z.object({
  recency: Unit,
  frequency: Unit,
  confidence: Unit,
  salience: Unit,
});
export type ImportanceWeights = z.infer<typeof ImportanceWeights>;

export const PromotionSettings = z.object({
  enabled: z.boolean(),
  interval_ms: z.number().int().min(PROMOTION.intervalMinMs).max(PROMOTION.intervalMaxMs),
  threshold: Unit,
  max_per_run: z.number().int().min(1).max(PROMOTION.maxPerRunLimit),
  weights: ImportanceWeights,
});
export type PromotionSettings = z.infer<typeof PromotionSettings>;

const PromotionInput = PromotionSettings.partial().strict();

export const SessionCreate = z
  .object({
    id: Id.optional(),
    user_id: UserId.optional().openapi({ description: "The person whom the session serves" }),
    agent_id: Id.optional(),
    project_id: Id.optional(),
    reach: ScopeName.optional().openapi({
      description:
        "Default scope of recall, assemble, preflight and prime, and the widest one of a model's tool calls; by default user, else agent, else project, else session, the first that the session has",
    }),
    continues: Id.optional().openapi({
      description:
        "The session that it continues; user, agent and project are taken from there by default, and so are the spaces",
    }),
    spaces: InitialSpaces.optional().openapi({
      description:
        "The spaces that it starts with, by name: the data of each, or {data, metadata}. They come before inherited ones",
    }),
    spaces_from: Id.optional().openapi({ description: "The session whose spaces are copied" }),
    inherit_spaces: z.boolean().optional().openapi({
      description:
        "true: starts from the spaces of the agent's latest session; false: copies none from the session that it continues",
    }),
    phase: SessionPhaseInput.optional(),
    participating_agents: ParticipatingAgents.optional(),
    token_budget: TokenBudgetInput.optional(),
    promotion: PromotionInput.optional(),
    policy: PolicyInput.optional(),
    privacy: PrivacyModeName.optional().openapi({
      description: "strict: secrets are masked in the session's own window and thread, too",
    }),
    projectors: z.record(z.string(), TriggerPatch).optional().openapi({
      description: "Triggers of this session's projectors, by projector name",
    }),
    metadata: Metadata.optional(),
  })
  .strict()
  .openapi("SessionCreate");
export type SessionCreate = z.infer<typeof SessionCreate>;
addExample(SessionCreate, {
  id: "checkout-fix",
  agent_id: "ada",
  project_id: "shop",
  reach: "project",
  phase: "implementation",
  promotion: { threshold: 0.6 },
  metadata: { ticket: "SHOP-412" },
});

export const SessionPatch = z
  .object({
    reach: ScopeName.optional(),
    phase: SessionPhaseInput.nullable().optional().openapi({ description: "null removes the phase" }),
    participating_agents: ParticipatingAgents.optional(),
    token_budget: TokenBudgetInput.optional(),
    promotion: PromotionInput.optional(),
    policy: PolicyInput.nullable().optional().openapi({
      description: "Overrides the agent's policy; null removes the override",
    }),
    privacy: PrivacyModeName.optional(),
    metadata: Metadata.optional(),
  })
  .strict()
  .openapi("SessionPatch");
export type SessionPatch = z.infer<typeof SessionPatch>;
addExample(SessionPatch, {
  token_budget: { total: 16000, conversation: 10000 },
  metadata: { ticket: "SHOP-412", reviewer: "mia" },
});

export const Session = z
  .object({
    id: z.string(),
    status: SessionStatus,
    user_id: z.string().nullable(),
    agent_id: z.string().nullable(),
    project_id: z.string().nullable(),
    reach: ScopeName,
    phase: SessionPhase.nullable(),
    participating_agents: z.array(z.string()),
    continues: z.string().nullable(),
    created_at: IsoTime,
    updated_at: IsoTime,
    ended_at: IsoTime.nullable(),
    token_budget: TokenBudget,
    promotion: PromotionSettings.extend({
      runs: z.number(),
      total_promoted: z.number(),
      last_run: IsoTime.nullable(),
      next_run: IsoTime.nullable(),
    }),
    counts: z.object({
      messages: z.number(),
      tokens: z.number(),
      context: z.number(),
      pending: z.number(),
      memories: z.number(),
    }),
    policy: AnyJson.nullable(),
    privacy: PrivacyModeName.openapi({
      description: "The session's own mode; that of its project or tenant may be stricter",
    }),
    metadata: z.record(z.string(), AnyJson),
  })
  .openapi("Session");
export type Session = z.infer<typeof Session>;
export const PROMOTION_EXAMPLE = {
  enabled: true,
  interval_ms: 30000,
  threshold: 0.6,
  max_per_run: 20,
  weights: { recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 },
  runs: 2,
  total_promoted: 2,
  last_run: "2026-11-16T09:28:00.000Z",
  next_run: null,
};

/** A session in a list, read from the registry without waking its object. */
export const SessionSummary = Session.pick({
  id: true,
  status: true,
  user_id: true,
  agent_id: true,
  project_id: true,
  reach: true,
  phase: true,
  continues: true,
  created_at: true,
  updated_at: true,
  ended_at: true,
}).openapi("SessionSummary");
export type SessionSummary = z.infer<typeof SessionSummary>;
const SESSION_SUMMARY_EXAMPLE = addExample(SessionSummary, {
  id: "checkout-fix",
  status: "active",
  user_id: null,
  agent_id: "ada",
  project_id: "shop",
  reach: "project",
  phase: "implementation",
  continues: null,
  created_at: "2026-11-16T09:01:00.000Z",
  updated_at: "2026-11-16T09:01:00.000Z",
  ended_at: null,
});

export const USED_SESSION_EXAMPLE = {
  ...SESSION_SUMMARY_EXAMPLE,
  participating_agents: [],
  updated_at: "2026-11-16T09:30:00.000Z",
  token_budget: { total: 16000, conversation: 10000, context: 6000 },
  promotion: PROMOTION_EXAMPLE,
  counts: { messages: 2, tokens: 31, context: 1, pending: 0, memories: 4 },
  policy: null,
  privacy: "standard",
  metadata: { ticket: "SHOP-412", reviewer: "mia" },
};

export const SESSION_EXAMPLE = addExample(Session, {
  ...USED_SESSION_EXAMPLE,
  updated_at: USED_SESSION_EXAMPLE.created_at,
  token_budget: { total: 32000, conversation: 20000, context: 12000 },
  promotion: { ...PROMOTION_EXAMPLE, runs: 0, total_promoted: 0, last_run: null },
  counts: { messages: 0, tokens: 0, context: 0, pending: 0, memories: 0 },
  metadata: { ticket: "SHOP-412" },
});

export const ContextKey = z
  .string()
  .regex(
    /^(?!\.+$)[A-Za-z0-9_.:-]{1,64}$/,
    "must be 1 to 64 characters of A-Z, a-z, 0-9, _ . : and -, other than dots alone, which no path can name",
  );

const CONTEXT_SOURCES = ["inferred", "explicit", "tool"] as const;
export const ContextSource = z.enum(CONTEXT_SOURCES, {
  error: `must be one of: ${CONTEXT_SOURCES.join(", ")}`,
});
export type ContextSource = z.infer<typeof ContextSource>;

export const ContextPut = z
  .object({
    value: boundedJson(LIMITS.contextValueBytes),
    source: ContextSource.default("inferred"),
    confidence: Confidence.default(0.7),
    memory_type: BuiltInTypeName.optional(),
  })
  .strict()
  .openapi("ContextPut");
export type ContextPut = z.infer<typeof ContextPut>;
addExample(ContextPut, { value: "Phoenix 1.8", source: "tool", confidence: 0.95 });

export const ContextItem = z
  .object({
    key: z.string(),
    value: AnyJson,
    source: ContextSource,
    confidence: z.number(),
    access_count: z.number(),
    first_seen: IsoTime,
    last_accessed: IsoTime,
    suggested_type: BuiltInTypeName.nullable(),
    importance: z.number(),
  })
  .openapi("ContextItem");
export type ContextItem = z.infer<typeof ContextItem>;
export const CONTEXT_ITEM_EXAMPLE = addExample(ContextItem, {
  key: "framework",
  value: "Phoenix 1.8",
  source: "tool",
  confidence: 0.95,
  access_count: 2,
  first_seen: "2026-11-16T09:04:00.000Z",
  last_accessed: "2026-11-16T09:05:00.000Z",
  suggested_type: "fact",
  importance: 0.6725,
});

export const PendingCreate = z
  .object({
    content: z.string().trim().pipe(boundedText(1, LIMITS.contentChars)),
    memory_type: BuiltInTypeName,
    confidence: Confidence.default(0.8),
    source_type: SourceType.default("agent"),
    evidence: Evidence.default([]),
    rationale: boundedText(1, LIMITS.rationaleChars).optional(),
    importance_score: Unit.optional(),
    suggested_by: z.enum(["implicit", "agent"]).default("implicit"),
  })
  .strict()
  .openapi("PendingCreate");
export type PendingCreate = z.infer<typeof PendingCreate>;
const PENDING_CREATE_EXAMPLE = addExample(PendingCreate, {
  content: "Guests have no customer id at checkout",
  memory_type: "discovery",
  confidence: "high",
  evidence: ["lib/shop/checkout.ex"],
  rationale: "It is why the payment step fails",
  suggested_by: "agent",
});

export const PendingItem = z
  .object({
    id: z.string(),
    content: z.string(),
    memory_type: BuiltInTypeName,
    confidence: z.number(),
    source_type: SourceType,
    evidence: z.array(z.string()),
    rationale: z.string().nullable(),
    suggested_by: z.enum(["implicit", "agent"]),
    importance_score: z.number(),
    created_at: IsoTime,
    access_count: z.number(),
    topic_key: z.string().nullable().openapi({
      description: "Once promoted, it supersedes the live memory with the same topic key",
    }),
    supersedes: z.array(z.string()).optional().openapi({
      description: "Ids of the memories that it supersedes once promoted",
    }),
    importance_parts: ImportanceParts.optional().openapi({
      description: "What the importance score is made of, unless the caller or a language model set it",
    }),
    extracted_by: z.string().optional().openapi({
      description: "`rules`, or the language model that extracted it from messages",
    }),
  })
  .openapi("PendingItem");
export type PendingItem = z.infer<typeof PendingItem>;
addExample(PendingItem, {
  ...PENDING_CREATE_EXAMPLE,
  id: "f97e2e2d-2ac6-4db6-9814-f0bf082ee640",
  confidence: 0.9,
  source_type: "agent",
  importance_score: 0.655,
  created_at: "2026-11-16T09:06:00.000Z",
  access_count: 1,
  topic_key: null,
});

export const Promoted = z.object({
  memory_id: z.string(),
  memory_type: BuiltInTypeName,
  importance_score: z.number(),
});
export type Promoted = z.infer<typeof Promoted>;

export const PromotionAnswer = z
  .object({ promoted: z.array(Promoted), remaining: z.number() })
  .openapi("PromotionAnswer");
export type PromotionAnswer = z.infer<typeof PromotionAnswer>;
addExample(PromotionAnswer, {
  promoted: [
    { memory_id: "16304ee22c42a268346723dde09797e6", memory_type: "fact", importance_score: 0.6725 },
    { memory_id: "ab6a92ee32fc50cabc64c255171ccc6b", memory_type: "discovery", importance_score: 0.655 },
  ],
  remaining: 0,
});
