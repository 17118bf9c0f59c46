// When a project's object has something to do by itself. Pure.
import { EXPERIENCE } from "../limits";
import type { State } from "./storage";

/** A new episode: the project is consolidated once it is idle, soon if a task is over, and in any case within the hour. */
export function noted(state: State, { finished }: { finished: boolean }, now: number): State {
  const since = state.waiting_since ?? now;
  const latest = since + EXPERIENCE.latestMs;
  const wanted = now + (finished ? EXPERIENCE.afterTaskMs : EXPERIENCE.idleMs);
  return {
    ...state,
    waiting_since: since,
    notes: state.notes + 1,
    // What is to be done soon is not put off by the next episode.
    consolidate_at: Math.min(latest, wanted, soon(state.consolidate_at, now)),
    maintain_at: state.maintain_at ?? now + EXPERIENCE.maintenanceMs,
  };
}

/** After a run by itself: nothing waits, unless an episode came in the middle of it. */
export function consolidated(state: State, before: State, now: number): State {
  const idle = state.notes === before.notes;
  return {
    ...state,
    consolidate_at: idle ? null : now + EXPERIENCE.idleMs,
    waiting_since: idle ? null : now,
  };
}

function soon(at: number | null, now: number): number {
  return at !== null && at <= now + EXPERIENCE.afterTaskMs ? at : Number.POSITIVE_INFINITY;
}

/** The time of the next alarm; null when nothing is left to do. */
export function nextAlarm(state: State, now: number): number | null {
  const { attempts, retryMs, resumeMs } = EXPERIENCE;
  const due = [state.consolidate_at, state.maintain_at, state.run === null ? null : now + resumeMs].filter(
    (at) => at !== null,
  );
  if (due.length === 0) return null;
  const next = Math.max(now, Math.min(...due));
  return state.failures === 0
    ? next
    : Math.max(next, now + retryMs * 2 ** Math.min(state.failures, attempts));
}
