// When a session has something to do by itself: an idle one has nothing, holds no alarm and costs nothing.
import { COGNITION } from "../limits";
import { retryDelay } from "./outbox";
import { isFull } from "./pending";
import { candidatesOf } from "./promotion";
import { earliest, type Times } from "./record";
import type { SessionStorage, ShortTerm } from "./storage";

export function timesOf(storage: SessionStorage, memory: ShortTerm, now: number): Times {
  return {
    promote_at: promoteAt(storage, memory, now),
    retry_at: retryAt(storage, memory, now),
    project_at: projectAt(memory, now),
    execute_at: executeAt(storage, memory, now),
  };
}

export function isSame(a: Times, b: Times): boolean {
  return (
    a.promote_at === b.promote_at &&
    a.retry_at === b.retry_at &&
    a.project_at === b.project_at &&
    a.execute_at === b.execute_at
  );
}

function retryAt(storage: SessionStorage, { record }: ShortTerm, now: number): number | null {
  if (record.erasing === null && !storage.hasEntry()) return null;
  return noLater(record.retry_at, retryDelay(Math.max(1, record.attempts)), now);
}

/** A session that is paused, ended or being erased, or that wants no alarm, promotes and projects only when asked. */
function ticks({ record }: ShortTerm): boolean {
  return record.erasing === null && record.status === "active" && record.promotion.enabled;
}

function promoteAt(storage: SessionStorage, memory: ShortTerm, now: number): number | null {
  const { record, pending } = memory;
  if (!ticks(memory)) return null;
  if (candidatesOf(storage, memory, record.promotion.threshold, now).length === 0) return null;
  if (record.blocked_until !== null && record.blocked_until > now) return record.blocked_until;
  return isFull(pending) ? now : noLater(record.promote_at, record.promotion.interval_ms, now);
}

/** The tick comes with the promotion's interval while something is new; what failed is tried again at its time. */
function projectAt(memory: ShortTerm, now: number): number | null {
  const { record, projectors } = memory;
  if (!ticks(memory)) return null;
  const waiting = projectors.filter(({ fresh, trigger }) => fresh > 0 && trigger.tick);
  const anew = waiting.some(({ retry_at }) => retry_at === null);
  return earliest([
    anew ? noLater(record.project_at, record.promotion.interval_ms, now) : null,
    ...waiting.map(({ retry_at }) => retry_at),
  ]);
}

/** Directives are carried out at once: the alarm is for those that a crash or a failure has left behind. */
function executeAt(storage: SessionStorage, { record }: ShortTerm, now: number): number | null {
  const dueAt = record.erasing === null ? storage.directives.dueAt() : null;
  if (dueAt === null) return null;
  return dueAt > now ? dueAt : noLater(record.execute_at, COGNITION.directiveRetryMs, now);
}

/** What is set stays, if it is no later: a busy session must not push its own alarm ahead of itself. */
function noLater(set: number | null, delay: number, now: number): number {
  return set !== null && set > now && set < now + delay ? set : now + delay;
}
