// A session's own record: how it begins, how it is changed, how it is shown. Pure.

import { DEFAULT_WEIGHTS } from "../domain/promotion/importance-scorer";
import { PROMOTION, TOKEN_BUDGET } from "../limits";
import { invalidField, ok, type Result } from "../platform/errors";
import type { Json, JsonObject } from "../platform/json";
import type {
  PromotionSettings,
  Session,
  SessionCreate,
  SessionPatch,
  SessionStatus,
  TokenBudget,
} from "../schemas/session";
import type { RegisteredSession as RegistryRecord } from "../store/sessions/session-repository";

export type SessionRef = { tenant: string; id: string };

export type SessionRecord = SessionRef & {
  status: SessionStatus;
  agent_id: string | null;
  project_id: string | null;
  continues: string | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  token_budget: TokenBudget;
  promotion: PromotionSettings;
  policy: Json;
  metadata: JsonObject;
  runs: number;
  total_promoted: number;
  last_run: string | null;
  /**
   * When the next promotion is due, when what waits in the outbox is sent again, when projectors run, when those that
   * failed are run again, and when directives are carried out: the alarm is the earliest.
   */
  promote_at: number | null;
  retry_at: number | null;
  project_at: number | null;
  reproject_at: number | null;
  execute_at: number | null;
  /** The sequence number of the first message in the window. */
  window_start: number;
  /** The sequence number of the last message that recall finds everywhere. */
  messages_sent: number;
  /** Failed attempts to empty the outbox since the last success. */
  attempts: number;
  /** No promotion before this time: the last one was refused because long-term memory is full. */
  blocked_until: number | null;
  /** Raised whenever the registry must learn of a change. */
  version: number;
  /** Set while the session is being erased, so that a crash in the middle is carried on. */
  erasing: { memories: boolean } | null;
};

/** What records of earlier versions do not have. */
export const LATER_FIELDS = {
  messages_sent: 0,
  project_at: null,
  reproject_at: null,
  execute_at: null,
} as const;

export function newRecord(ref: SessionRef, create: SessionCreate, now: string): Result<SessionRecord> {
  const budget = budgetOf(DEFAULT_BUDGET, create.token_budget ?? {});
  if (!budget.ok) return budget;
  return ok({
    ...ref,
    status: "active",
    agent_id: create.agent_id ?? null,
    project_id: create.project_id ?? null,
    continues: create.continues ?? null,
    created_at: now,
    updated_at: now,
    ended_at: null,
    token_budget: budget.value,
    promotion: { ...DEFAULT_PROMOTION, ...defined(create.promotion ?? {}) },
    policy: (create.policy ?? null) as Json,
    metadata: (create.metadata ?? {}) as JsonObject,
    runs: 0,
    total_promoted: 0,
    last_run: null,
    promote_at: null,
    retry_at: null,
    project_at: null,
    reproject_at: null,
    execute_at: null,
    window_start: 0,
    messages_sent: 0,
    attempts: 0,
    blocked_until: null,
    version: 1,
    erasing: null,
  });
}

const DEFAULT_BUDGET: TokenBudget = {
  total: TOKEN_BUDGET.total,
  conversation: TOKEN_BUDGET.conversation,
  context: TOKEN_BUDGET.context,
};

const DEFAULT_PROMOTION: PromotionSettings = {
  enabled: true,
  interval_ms: PROMOTION.intervalMs,
  threshold: PROMOTION.threshold,
  max_per_run: PROMOTION.maxPerRun,
  weights: DEFAULT_WEIGHTS,
};

export function patchRecord(record: SessionRecord, patch: SessionPatch): Result<SessionRecord> {
  const budget = budgetOf(record.token_budget, patch.token_budget ?? {});
  if (!budget.ok) return budget;
  return ok({
    ...record,
    token_budget: budget.value,
    promotion: { ...record.promotion, ...defined(patch.promotion ?? {}) },
    policy: patch.policy === undefined ? record.policy : (patch.policy as Json),
    metadata: patch.metadata === undefined ? record.metadata : (patch.metadata as JsonObject),
  });
}

/** A total alone rescales both parts; the parts never add up to more than the total. */
function budgetOf(
  current: TokenBudget,
  given: Partial<{ [K in keyof TokenBudget]: number | undefined }>,
): Result<TokenBudget> {
  const total = given.total ?? Math.max(current.total, (given.conversation ?? 0) + (given.context ?? 0));
  const share = (part: "conversation" | "context") => Math.floor((current[part] / current.total) * total);
  const conversation =
    given.conversation ?? (given.context === undefined ? share("conversation") : total - given.context);
  const context =
    given.context ?? (given.conversation === undefined ? share("context") : total - given.conversation);
  if (conversation + context > total || conversation < 1 || context < 1) {
    return invalidField(
      "token_budget",
      `conversation (${conversation}) and context (${context}) must be positive and together at most total (${total})`,
    );
  }
  return ok({ total, conversation, context });
}

function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

export function withStatus(record: SessionRecord, status: SessionStatus, now: string): SessionRecord {
  const ended = status === "closed" || status === "abandoned";
  return { ...record, status, ended_at: ended ? now : null, updated_at: now, version: record.version + 1 };
}

export function toRegistry(record: SessionRecord): RegistryRecord {
  const { id, status, agent_id, project_id, continues, created_at, updated_at, ended_at, version } = record;
  return { id, status, agent_id, project_id, continues, created_at, updated_at, ended_at, version };
}

export const TIMES = [
  "promote_at",
  "retry_at",
  "project_at",
  "reproject_at",
  "execute_at",
] as const satisfies readonly (keyof SessionRecord)[];

export type Times = Pick<SessionRecord, (typeof TIMES)[number]>;

/** When the alarm is due. */
export function alarmOf(times: Times): number | null {
  return earliest(TIMES.map((name) => times[name]));
}

export function earliest(times: readonly (number | null)[]): number | null {
  const set = times.filter((at) => at !== null);
  return set.length === 0 ? null : Math.min(...set);
}

export function toSession(record: SessionRecord, counts: Session["counts"]): Session {
  const nextRun = earliest([record.promote_at, record.retry_at]);
  const { id, status, agent_id, project_id, continues, created_at, updated_at, ended_at, token_budget } =
    record;
  return {
    id,
    status,
    agent_id,
    project_id,
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
    metadata: record.metadata,
  };
}
