// The record of a session: creation, changes, and its views in the registry and the API. Pure functions.

import { type Binding, getDefaultScope, type Owner } from "../kernel/access";
import type { Scope } from "../kernel/common";
import { invalidField, ok, type Result } from "../kernel/errors";
import type { Json, JsonObject } from "../kernel/json";
import { TOKEN_BUDGET } from "../kernel/limits";
import { MINUTE_MS, SECOND_MS } from "../kernel/time";
import type { PrivacyRules } from "../trust/privacy/privacy-policy";
import type { PrivacyMode } from "../trust/privacy/privacy-schemas";
import { DEFAULT_WEIGHTS } from "./promotion/importance-scorer";
import type { RegisteredSession } from "./session-repository";
import type {
  PromotionSettings,
  Session,
  SessionCreate,
  SessionPatch,
  SessionPhase,
  SessionStatus,
  TokenBudget,
} from "./session-schemas";

/** Names a session, with what its object needs to know of the call. */
export type SessionRef = {
  tenant: string;
  id: string;
  /** The privacy policies of the tenant, sent with every call of a caller. */
  rules?: PrivacyRules;
  /** The version of the tenant's ontology, sent with them. */
  ontology?: string | null;
  /** Whether the call creates the session if there is none. The object sets it as the call declares. */
  creates?: boolean;
};

/** Stored as JSON. */
export type SessionRecord = Pick<SessionRef, "tenant" | "id"> & {
  status: SessionStatus;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  /** Null means the default. */
  reach: Scope | null;
  phase: SessionPhase | null;
  /** Agents that work in the session besides its own. */
  participating_agents: readonly string[];
  /** The owner that the key which created the session is limited to: what is promoted supersedes nothing else. */
  within?: Binding;
  continues: string | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  token_budget: TokenBudget;
  promotion: PromotionSettings;
  policy: Json;
  privacy: PrivacyMode;
  metadata: JsonObject;
  runs: number;
  total_promoted: number;
  last_run: string | null;
  /**
   * The due times of the next promotion, the extraction of new messages, the retry of the outbox, the sending of
   * messages, the tick and the retry of projectors, the execution of directives, and the removal of expired entries. The
   * alarm is set to the earliest.
   */
  promote_at: number | null;
  extract_at: number | null;
  retry_at: number | null;
  send_at: number | null;
  project_at: number | null;
  reproject_at: number | null;
  execute_at: number | null;
  expire_at: number | null;
  /** The sequence number of the first message in the window. */
  window_start: number;
  /** The sequence number of the last message that candidates have been extracted from. */
  extracted_seq: number;
  /** Failed attempts of the language model to extract from the messages after that. */
  extraction_failures: number;
  /** Set while a paused or ended session has work left for its alarm: its end does not wait for a language model. */
  finishing: boolean;
  /** The sequence number of the last message in the long-term store. */
  messages_sent: number;
  /** The size of the session that the registry knows. */
  reported_bytes: number;
  /** Failed attempts to drain the outbox since the last success. */
  attempts: number;
  /** Promotion pauses until this time, because the session's long-term memory is full. */
  blocked_until: number | null;
  /** Incremented with every change that the registry must receive. */
  version: number;
  /** Whether the registry has to receive the record. */
  unregistered: boolean;
  /** Set while the session is being erased, so that the alarm resumes after a crash. */
  erasing: { memories: boolean } | null;
  /** The state of the long-term store after the last write to it; null before the first. */
  bookmark: string | null;
};

/** The part of a record that the object computes: nothing is due, and the long-term store has nothing yet. */
export const UNPROCESSED = {
  promote_at: null,
  extract_at: null,
  retry_at: null,
  send_at: null,
  project_at: null,
  reproject_at: null,
  execute_at: null,
  expire_at: null,
  extraction_failures: 0,
  messages_sent: 0,
  reported_bytes: 0,
  attempts: 0,
  blocked_until: null,
  unregistered: true,
  erasing: null,
  bookmark: null,
} as const satisfies Partial<SessionRecord>;

export function createRecord(
  ref: SessionRef,
  create: SessionCreate & { within?: Binding },
  now: string,
): Result<SessionRecord> {
  const budget = resolveBudget(DEFAULT_BUDGET, create.token_budget ?? {});
  if (!budget.ok) return budget;
  const owner = {
    user_id: create.user_id ?? null,
    agent_id: create.agent_id ?? null,
    project_id: create.project_id ?? null,
  };
  const reach = checkReach(owner, create.reach);
  if (!reach.ok) return reach;
  return ok({
    tenant: ref.tenant,
    id: ref.id,
    status: "active",
    ...owner,
    reach: create.reach ?? null,
    phase: create.phase ?? null,
    participating_agents: create.participating_agents ?? [],
    ...(create.within === undefined ? {} : { within: create.within }),
    continues: create.continues ?? null,
    created_at: now,
    updated_at: now,
    ended_at: null,
    token_budget: budget.value,
    promotion: { ...DEFAULT_PROMOTION, ...dropUndefined(create.promotion ?? {}) },
    policy: (create.policy ?? null) as Json,
    privacy: create.privacy ?? "standard",
    metadata: (create.metadata ?? {}) as JsonObject,
    runs: 0,
    total_promoted: 0,
    last_run: null,
    window_start: 0,
    extracted_seq: 0,
    finishing: false,
    version: 1,
    ...UNPROCESSED,
  });
}

/** The age of the stored time of the last use from which on it is stored again. */
export const ACTIVITY_STEP_MS = 1 * MINUTE_MS;

/**
 * Returns the record to store, null if the stored one is recent enough: the time of the last use is stored to within a
 * minute. The due times of entries and messages are stored only after a failure, because an alarm sends whatever it
 * finds. A bookmark is stored with other changes; if there are none, the outbox stores it.
 */
export function selectForStorage(stored: SessionRecord | null, record: SessionRecord): SessionRecord | null {
  const hasFailed = record.attempts > 0 || record.erasing !== null;
  const next = hasFailed ? record : { ...record, retry_at: null, send_at: null };
  if (stored === null) return next;
  const unstored = Date.parse(next.updated_at) - Date.parse(stored.updated_at);
  const isUsedLater = unstored < 0 || unstored >= ACTIVITY_STEP_MS;
  const { updated_at, bookmark } = stored;
  const isChanged =
    isUsedLater || JSON.stringify({ ...next, updated_at, bookmark }) !== JSON.stringify(stored);
  return isChanged ? next : null;
}

/** Returns the settings of a session that is created by its first write. */
export function toSessionCreate({ user_id, agent_id, project_id }: Owner): SessionCreate {
  return {
    ...(user_id === null ? {} : { user_id }),
    ...(agent_id === null ? {} : { agent_id }),
    ...(project_id === null ? {} : { project_id }),
  };
}

const DEFAULT_BUDGET: TokenBudget = {
  total: TOKEN_BUDGET.total,
  conversation: TOKEN_BUDGET.conversation,
  context: TOKEN_BUDGET.context,
};

const DEFAULT_PROMOTION: PromotionSettings = {
  enabled: true,
  interval_ms: 30 * SECOND_MS,
  threshold: 0.6,
  max_per_run: 20,
  weights: DEFAULT_WEIGHTS,
};

export function patchRecord(record: SessionRecord, patch: SessionPatch): Result<SessionRecord> {
  const budget = resolveBudget(record.token_budget, patch.token_budget ?? {});
  if (!budget.ok) return budget;
  const reach = checkReach(record, patch.reach);
  if (!reach.ok) return reach;
  return ok({
    ...record,
    reach: patch.reach ?? record.reach,
    phase: patch.phase === undefined ? record.phase : patch.phase,
    participating_agents: patch.participating_agents ?? record.participating_agents,
    token_budget: budget.value,
    promotion: { ...record.promotion, ...dropUndefined(patch.promotion ?? {}) },
    policy: patch.policy === undefined ? record.policy : (patch.policy as Json),
    privacy: patch.privacy ?? record.privacy,
    metadata: patch.metadata === undefined ? record.metadata : (patch.metadata as JsonObject),
  });
}

/** A reach of an owner that the session lacks would find nothing. */
function checkReach(owner: Owner, reach: Scope | undefined): Result<null> {
  if (reach === undefined || reach === "session" || reach === "tenant" || owner[`${reach}_id`] !== null)
    return ok(null);
  return invalidField(
    "reach",
    `is "${reach}", and the session has no ${reach}_id: give one when the session is created, or choose a narrower reach`,
  );
}

/** Applies changes to a token budget. A new total alone rescales both parts. */
function resolveBudget(
  current: TokenBudget,
  changes: Partial<{ [K in keyof TokenBudget]: number | undefined }>,
): Result<TokenBudget> {
  const total =
    changes.total ?? Math.max(current.total, (changes.conversation ?? 0) + (changes.context ?? 0));
  const share = (part: "conversation" | "context") => Math.floor((current[part] / current.total) * total);
  const conversation =
    changes.conversation ?? (changes.context === undefined ? share("conversation") : total - changes.context);
  const context =
    changes.context ?? (changes.conversation === undefined ? share("context") : total - changes.conversation);
  if (conversation + context > total || conversation < 1 || context < 1) {
    return invalidField(
      "token_budget",
      `conversation (${conversation}) and context (${context}) must be positive and together at most total (${total})`,
    );
  }
  return ok({ total, conversation, context });
}

function dropUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

export function withStatus(record: SessionRecord, status: SessionStatus, now: string): SessionRecord {
  const ended = status === "closed" || status === "abandoned";
  return {
    ...record,
    status,
    finishing: status !== "active",
    ended_at: ended ? now : null,
    updated_at: now,
    version: record.version + 1,
    unregistered: true,
  };
}

/** The highest threshold of a session's last promotion: candidates that it leaves behind are lost. */
const FINAL_THRESHOLD = 0.4;

/** Returns the importance that a candidate needs, which is lower once the session has ended for good. */
export function getPromotionThreshold({ status, promotion }: SessionRecord): number {
  const isOver = status === "closed" || status === "abandoned";
  return isOver ? getFinalThreshold(promotion) : promotion.threshold;
}

export function getFinalThreshold({ threshold }: PromotionSettings): number {
  return Math.min(threshold, FINAL_THRESHOLD);
}

export function toRegistryRecord(record: SessionRecord): RegisteredSession {
  const { id, status, user_id, agent_id, project_id, continues } = record;
  const { created_at, updated_at, ended_at, version, phase, participating_agents } = record;
  const reach = getReach(record);
  return {
    id,
    status,
    user_id,
    agent_id,
    project_id,
    reach,
    phase,
    participating_agents,
    continues,
    created_at,
    updated_at,
    ended_at,
    version,
  };
}

/** Whether a change concerns the registry, which has only some of the settings. */
export function isSameInRegistry(before: SessionRecord, after: SessionRecord): boolean {
  return JSON.stringify(toRegistryRecord(before)) === JSON.stringify(toRegistryRecord(after));
}

/** Returns the default scope of the session's calls, and the widest of its model's. */
export function getReach(record: Owner & { reach: Scope | null }): Scope {
  return record.reach ?? getDefaultScope(record);
}

export const DUE_TIMES = [
  "promote_at",
  "extract_at",
  "retry_at",
  "send_at",
  "project_at",
  "reproject_at",
  "execute_at",
  "expire_at",
] as const satisfies readonly (keyof SessionRecord)[];

export type DueTimes = Pick<SessionRecord, (typeof DUE_TIMES)[number]>;

/** Returns the earliest time that is set. */
export function findEarliest(times: readonly (number | null)[]): number | null {
  const set = times.filter((at) => at !== null);
  return set.length === 0 ? null : Math.min(...set);
}

export function toSession(record: SessionRecord, counts: Session["counts"]): Session {
  const nextRun = findEarliest([record.promote_at, record.extract_at, record.retry_at]);
  const { id, status, user_id, agent_id, project_id, continues } = record;
  const { created_at, updated_at, ended_at, token_budget, phase, participating_agents } = record;
  return {
    id,
    status,
    user_id,
    agent_id,
    project_id,
    reach: getReach(record),
    phase,
    participating_agents: [...participating_agents],
    continues,
    created_at,
    updated_at,
    ended_at,
    token_budget,
    promotion: {
      ...record.promotion,
      runs: record.runs,
      total_promoted: record.total_promoted,
      last_run: record.last_run,
      next_run: nextRun === null ? null : new Date(nextRun).toISOString(),
    },
    counts,
    policy: record.policy,
    privacy: record.privacy,
    metadata: record.metadata,
  };
}
