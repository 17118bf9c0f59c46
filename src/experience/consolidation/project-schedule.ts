// The schedule of a project's object: when its alarm consolidates, maintains, resumes and retries. Pure functions over
// the stored state.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../kernel/time";
import type { EpisodeNote } from "./project-rpc";
import type { ProjectState } from "./project-storage";

/** Time without a new episode after which a project is consolidated. */
export const IDLE_MS = 10 * MINUTE_MS;
/** The same after an episode that finishes its task, or begins another phase. */
export const FINISHED_TASK_MS = 1 * SECOND_MS;
/** A project that is never idle is consolidated after this time. */
export const MAX_WAIT_MS = 1 * HOUR_MS;
/** Interval of maintenance. */
export const MAINTENANCE_MS = 1 * DAY_MS;
/** Window of a consolidation unless the caller sets one. */
export const CONSOLIDATION_WINDOW_MS = 1 * DAY_MS;
/** Wait before an interrupted run resumes. */
export const RESUME_MS = 1 * MINUTE_MS;
/** Wait after a failed alarm; it doubles with each failure, up to this number of doublings. */
const RETRY_MS = 30 * SECOND_MS;
const MAX_RETRY_DOUBLINGS = 5;

/** Returns the state after a new episode: due once the project is idle, or at the latest after the maximum wait. */
export function scheduleAfterEpisode(
  state: ProjectState,
  { finished, phase = null }: EpisodeNote,
  now: number,
): ProjectState {
  const since = state.waiting_since ?? now;
  const latest = since + MAX_WAIT_MS;
  const last = state.phase;
  // An episode without a phase says nothing about the phase of the project.
  const isBoundary = phase !== null && last !== null && phase !== last;
  const ends = finished || isBoundary;
  const idle = now + (ends ? FINISHED_TASK_MS : IDLE_MS);
  return {
    ...state,
    waiting_since: since,
    phase: phase ?? last,
    notes: state.notes + 1,
    finished: ends ? state.notes + 1 : state.finished,
    // A consolidation that is imminent is not postponed by another episode.
    consolidate_at: Math.min(latest, idle, getImminent(state.consolidate_at, now)),
    maintain_at: state.maintain_at ?? now + MAINTENANCE_MS,
  };
}

/** Returns the window of a scheduled run: the default, extended to the first episode that no such run has seen. */
export function computeWindow({ waiting_since }: ProjectState, now: number): { since: string; now: string } {
  const since = Math.min(now - CONSOLIDATION_WINDOW_MS, waiting_since ?? now);
  return { since: new Date(since).toISOString(), now: new Date(now).toISOString() };
}

/** Returns the state after a scheduled run: nothing is due, unless an episode arrived during the run. */
export function scheduleAfterConsolidation(
  state: ProjectState,
  before: ProjectState,
  now: number,
): ProjectState {
  if (state.notes === before.notes) return { ...state, consolidate_at: null, waiting_since: null };
  const wait = state.finished > before.notes ? FINISHED_TASK_MS : IDLE_MS;
  return { ...state, consolidate_at: now + wait, waiting_since: now };
}

/** Returns the state after an alarm. Failures are retried with exponential back-off, without a limit. */
export function scheduleAfterAlarm(state: ProjectState, succeeded: boolean, now: number): ProjectState {
  if (succeeded) return { ...state, failures: 0, retry_at: null };
  const wait = RETRY_MS * 2 ** Math.min(state.failures, MAX_RETRY_DOUBLINGS);
  return { ...state, failures: state.failures + 1, retry_at: now + wait };
}

function getImminent(at: number | null, now: number): number {
  return at !== null && at <= now + FINISHED_TASK_MS ? at : Number.POSITIVE_INFINITY;
}

/** Returns the time of the next alarm; null if nothing is due. */
export function computeNextAlarm(state: ProjectState, now: number): number | null {
  const { consolidate_at, maintain_at, run, retry_at } = state;
  const due = [consolidate_at, maintain_at, run?.resume_at ?? null].filter((at) => at !== null);
  return due.length === 0 ? null : Math.max(now, retry_at ?? now, Math.min(...due));
}
