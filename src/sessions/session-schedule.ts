// The schedule of a session: when its alarm extracts, promotes, retries, runs projectors, executes directives and
// removes expired entries. An idle session has no due time and no alarm.
import { DIRECTIVE_RETRY_MS } from "../cognition/runtime/directive-queue";
import { awaitsTick, countUncovered } from "../cognition/runtime/projector-states";
import { computeRetryDelay } from "./outbox";
import { findCandidates } from "./promotion/promotion-entries";
import { DUE_TIMES, type DueTimes, findEarliest, getPromotionThreshold } from "./session-record";
import type { SessionStorage, ShortTermMemory } from "./session-storage";
import {
  computeExtractionRetryDelay,
  countUnsent,
  hasNewMessages,
  SEND_RECOVERY_MS,
} from "./short-term/message-progress";
import { isFull } from "./short-term/pending-items";

export function computeDueTimes(storage: SessionStorage, memory: ShortTermMemory, now: number): DueTimes {
  return {
    promote_at: computePromotionTime(storage, memory, now),
    extract_at: computeExtractionTime(memory, now),
    retry_at: computeOutboxRetryTime(storage, memory, now),
    send_at: computeSendTime(memory, now),
    project_at: computeTickTime(memory, now),
    reproject_at: findProjectorRetryTime(memory),
    execute_at: computeDirectiveTime(storage, memory, now),
    expire_at: memory.record.erasing === null ? storage.findExpiry() : null,
  };
}

export function areSameDueTimes(a: DueTimes, b: DueTimes): boolean {
  return DUE_TIMES.every((name) => a[name] === b[name]);
}

/** Returns the time of the alarm: the earliest due time, null if there is none. */
export function findAlarmTime(times: DueTimes): number | null {
  return findEarliest(DUE_TIMES.map((name) => times[name]));
}

/** Returns whether an ended session still has work that its end did not wait for. */
export function hasWorkToFinish({ promote_at, extract_at, project_at, reproject_at }: DueTimes): boolean {
  return [promote_at, extract_at, project_at, reproject_at].some((at) => at !== null);
}

/** Selects the due work of an alarm that has fired: at least the earliest, even if the clock is behind it. */
export function selectDueTimes(times: DueTimes, now: number): ReadonlySet<keyof DueTimes> {
  const at = Math.max(now, findAlarmTime(times) ?? now);
  return new Set(DUE_TIMES.filter((name) => (times[name] ?? Number.POSITIVE_INFINITY) <= at));
}

function computeOutboxRetryTime(
  storage: SessionStorage,
  memory: ShortTermMemory,
  now: number,
): number | null {
  const { record } = memory;
  if (record.erasing === null && !hasWorkToSend(storage, memory)) return null;
  return noLater(record.retry_at, computeRetryDelay(Math.max(1, record.attempts)), now);
}

/** Returns whether entries, the record or, after a failure, messages have to reach the long-term store. */
function hasWorkToSend(storage: SessionStorage, memory: ShortTermMemory): boolean {
  const { attempts, unregistered } = memory.record;
  return unregistered || storage.hasOutboxEntry() || (attempts > 0 && countUnsent(memory) > 0);
}

/**
 * Returns the due times with those that are not stored: the alarm of an object that was lost while it sent something
 * sends it.
 */
export function restoreDueTimes(storage: SessionStorage, memory: ShortTermMemory, now: number): DueTimes {
  const { record } = memory;
  return {
    ...record,
    retry_at: record.retry_at ?? (hasWorkToSend(storage, memory) ? now : null),
    send_at: record.send_at ?? (countUnsent(memory) > 0 ? now : null),
  };
}

/** The object sends messages by itself; the alarm sends those of an object that was lost meanwhile. */
function computeSendTime(memory: ShortTermMemory, now: number): number | null {
  const { erasing, attempts, send_at } = memory.record;
  if (erasing !== null || attempts > 0 || countUnsent(memory) === 0) return null;
  return noLater(send_at, SEND_RECOVERY_MS, now);
}

/**
 * A session that is paused, ended, being erased, or has promotion disabled promotes and projects on demand only, except
 * for the work that its end has left to the alarm.
 */
function runsByAlarm({ record }: ShortTermMemory): boolean {
  const { erasing, status, promotion, finishing } = record;
  return erasing === null && (finishing || (status === "active" && promotion.enabled));
}

function computePromotionTime(storage: SessionStorage, memory: ShortTermMemory, now: number): number | null {
  const { record, pending } = memory;
  if (!runsByAlarm(memory)) return null;
  if (findCandidates(storage, memory, getPromotionThreshold(record), now).length === 0) return null;
  if (record.blocked_until !== null && record.blocked_until > now)
    return record.finishing ? null : record.blocked_until;
  return isFull(pending) ? now : noLater(record.promote_at, record.promotion.interval_ms, now);
}

/** Extraction follows one interval after the first new message, and at once after the end of the session. */
function computeExtractionTime(memory: ShortTermMemory, now: number): number | null {
  const { record } = memory;
  if (!runsByAlarm(memory) || !hasNewMessages(memory)) return null;
  const delay = record.finishing ? 0 : record.promotion.interval_ms;
  const failures = record.extraction_failures;
  return noLater(record.extract_at, failures === 0 ? delay : computeExtractionRetryDelay(failures), now);
}

/** Projectors tick at the promotion's interval while the thread has entries that they have not covered. */
function computeTickTime(memory: ShortTermMemory, now: number): number | null {
  const { record, projectors } = memory;
  if (!runsByAlarm(memory) || !projectors.some((state) => awaitsTick(state))) return null;
  return noLater(record.project_at, record.promotion.interval_ms, now);
}

function findProjectorRetryTime(memory: ShortTermMemory): number | null {
  if (!runsByAlarm(memory)) return null;
  return findEarliest(
    memory.projectors.filter((state) => countUncovered(state) > 0).map(({ retry_at }) => retry_at),
  );
}

/** Directives run right after they are accepted; the alarm runs those left over by a crash or a failure. */
function computeDirectiveTime(
  storage: SessionStorage,
  { record }: ShortTermMemory,
  now: number,
): number | null {
  const dueAt = record.erasing === null ? storage.directives.findDueTime() : null;
  if (dueAt === null) return null;
  return dueAt > now ? dueAt : noLater(record.execute_at, DIRECTIVE_RETRY_MS, now);
}

/**
 * Returns the time that is already set unless it is later than `now + delay`: a busy session must not postpone its own
 * alarm, not even one that is overdue and about to run.
 */
function noLater(set: number | null, delay: number, now: number): number {
  return set !== null && set < now + delay ? set : now + delay;
}
