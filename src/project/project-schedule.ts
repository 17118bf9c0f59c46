// When a project's object has something to do by itself. Pure.
import { EXPERIENCE } from "../limits";
import type { State } from "./project-storage";

/** A new episode: the project is consolidated once it is idle, soon if a task is over, and in any case within the hour. */
export function noted(state: State, { finished }: { finished: boolean }, now: number): State {
  const since = state.waiting_since ?? now;
  const latest = since + EXPERIENCE.latestMs;
  const wanted = now + (finished ? EXPERIENCE.afterTaskMs : EXPERIENCE.idleMs);
  return {
    ...state,
    waiting_since: since,
    notes: state.notes + 1,
    finished: finished ? state.notes + 1 : state.finished,
    // What is to be done soon is not put off by the next episode.
    consolidate_at: Math.min(latest, wanted, soon(state.consolidate_at, now)),
    maintain_at: state.maintain_at ?? now + EXPERIENCE.maintenanceMs,
  };
}

/** What a run by itself looks at: the last day, or everything since the first episode that waits, if that is longer ago. */
export function unattended({ waiting_since }: State, now: number): { since: string; now: string } {
  const since = Math.min(now - EXPERIENCE.windowMs, waiting_since ?? now);
  return { since: new Date(since).toISOString(), now: new Date(now).toISOString() };
}

/** After a run by itself: nothing waits, unless an episode came in the middle of it. */
export function consolidated(state: State, before: State, now: number): State {
  if (state.notes === before.notes) return { ...state, consolidate_at: null, waiting_since: null };
  const wait = state.finished > before.notes ? EXPERIENCE.afterTaskMs : EXPERIENCE.idleMs;
  return { ...state, consolidate_at: now + wait, waiting_since: now };
}

/** After an alarm. A failure comes back later and later, and never gives up. */
export function alarmed(state: State, succeeded: boolean, now: number): State {
  if (succeeded) return { ...state, failures: 0, retry_at: null };
  const { attempts, retryMs } = EXPERIENCE;
  const wait = retryMs * 2 ** Math.min(state.failures, attempts - 1);
  return { ...state, failures: state.failures + 1, retry_at: now + wait };
}

function soon(at: number | null, now: number): number {
  return at !== null && at <= now + EXPERIENCE.afterTaskMs ? at : Number.POSITIVE_INFINITY;
}

/** The time of the next alarm; null when nothing is left to do. */
export function nextAlarm(state: State, now: number): number | null {
  const { consolidate_at, maintain_at, run, retry_at } = state;
  const due = [consolidate_at, maintain_at, run?.resume_at ?? null].filter((at) => at !== null);
  return due.length === 0 ? null : Math.max(now, retry_at ?? now, Math.min(...due));
}
