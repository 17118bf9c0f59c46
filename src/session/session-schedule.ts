// When a session has something to do by itself: an idle one has nothing, holds no alarm and costs nothing.
import { COGNITION } from "../limits";
import { awaitsTick } from "./cognition/projector-states";
import { retryDelay } from "./outbox";
import { candidatesOf } from "./promotion/promotion-run";
import { alarmOf, earliest, TIMES, type Times } from "./session-record";
import type { SessionStorage, ShortTermMemory } from "./session-storage";
import { isFull } from "./short-term/pending-items";

export function computeDueTimes(storage: SessionStorage, memory: ShortTermMemory, now: number): Times {
  return {
    promote_at: promoteAt(storage, memory, now),
    retry_at: retryAt(storage, memory, now),
    project_at: projectAt(memory, now),
    reproject_at: reprojectAt(memory),
    execute_at: executeAt(storage, memory, now),
  };
}

export function isSame(a: Times, b: Times): boolean {
  return TIMES.every((name) => a[name] === b[name]);
}

/** What an alarm is for: it has come, so the earliest time is due, whatever the clock says. */
export function selectDueTimes(record: Times, now: number): ReadonlySet<keyof Times> {
  const at = Math.max(now, alarmOf(record) ?? now);
  return new Set(TIMES.filter((name) => (record[name] ?? Number.POSITIVE_INFINITY) <= at));
}

function retryAt(storage: SessionStorage, { record }: ShortTermMemory, now: number): number | null {
  if (record.erasing === null && !storage.hasEntry()) return null;
  return noLater(record.retry_at, retryDelay(Math.max(1, record.attempts)), now);
}

/** A session that is paused, ended or being erased, or that wants no alarm, promotes and projects only when asked. */
function ticks({ record }: ShortTermMemory): boolean {
  return record.erasing === null && record.status === "active" && record.promotion.enabled;
}

function promoteAt(storage: SessionStorage, memory: ShortTermMemory, now: number): number | null {
  const { record, pending } = memory;
  if (!ticks(memory)) return null;
  if (candidatesOf(storage, memory, record.promotion.threshold, now).length === 0) return null;
  if (record.blocked_until !== null && record.blocked_until > now) return record.blocked_until;
  return isFull(pending) ? now : noLater(record.promote_at, record.promotion.interval_ms, now);
}

/** The tick comes with the promotion's interval while something is new. */
function projectAt(memory: ShortTermMemory, now: number): number | null {
  const { record, projectors } = memory;
  if (!ticks(memory) || !projectors.some((state) => awaitsTick(state))) return null;
  return noLater(record.project_at, record.promotion.interval_ms, now);
}

/** What failed is tried again at a time of its own. */
function reprojectAt(memory: ShortTermMemory): number | null {
  if (!ticks(memory)) return null;
  return earliest(memory.projectors.filter(({ fresh }) => fresh > 0).map(({ retry_at }) => retry_at));
}

/** Directives are carried out at once: the alarm is for those that a crash or a failure has left behind. */
function executeAt(storage: SessionStorage, { record }: ShortTermMemory, now: number): number | null {
  const dueAt = record.erasing === null ? storage.directives.dueAt() : null;
  if (dueAt === null) return null;
  return dueAt > now ? dueAt : noLater(record.execute_at, COGNITION.directiveRetryMs, now);
}

/**
 * What is set stays, if it is no later: a busy session must not push its own alarm ahead of itself, not even one
 * whose time has come and that is only waiting for its turn.
 */
function noLater(set: number | null, delay: number, now: number): number {
  return set !== null && set < now + delay ? set : now + delay;
}
