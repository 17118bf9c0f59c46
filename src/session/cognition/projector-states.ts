// The state of a session's projectors: how far each has covered the thread, its trigger and its retries.
import { findProjector, PROJECTORS } from "../../domain/cognition/projectors/projector-registry";
import { parseJson } from "../../platform/json";
import { MINUTE_MS, SECOND_MS } from "../../platform/time";
import type { ThreadKind, Trigger, TriggerPatch } from "../../schemas/projection";
import type { ThreadLog } from "./thread-log";

/** The delay before a failed projector is retried: exponential back-off from the first to the last. */
export const FIRST_PROJECTOR_RETRY_MS = 5 * SECOND_MS;
const LAST_RETRY_MS = 10 * MINUTE_MS;

/** The number of failures after which a projector waits for new entries: about half an hour of retries. */
export const MAX_PROJECTOR_ATTEMPTS = 10;

/** Stored as JSON. */
type StoredState = {
  covered_seq: number;
  /** Failures since the last success, and the time of the next attempt. */
  failures: number;
  retry_at: number | null;
  /** Set after too many failures: it runs again when it has more uncovered entries than this. */
  stalled_fresh: number | null;
  trigger: Trigger;
};

export type ProjectorState = StoredState & {
  name: string;
  /** The number of uncovered entries of the kinds it reads. Counted, not stored. */
  fresh: number;
};

const INITIAL = { covered_seq: 0, failures: 0, retry_at: null, stalled_fresh: null } as const;

/** Returns the state with a changed trigger. */
export function withTrigger(state: ProjectorState, patch: TriggerPatch): ProjectorState {
  const { tick = state.trigger.tick, after = state.trigger.after } = patch;
  return { ...state, trigger: { tick, after } };
}

/** Returns the state after a success. */
export function advance(state: ProjectorState, covered_seq: number, fresh: number): ProjectorState {
  return { ...state, ...INITIAL, covered_seq, fresh };
}

/** Returns the state after a failure: retried with back-off, and in the end only when there are new entries. */
export function recordFailure(state: ProjectorState, now: number): ProjectorState {
  const failures = state.failures + 1;
  if (failures >= MAX_PROJECTOR_ATTEMPTS)
    return { ...state, failures, retry_at: null, stalled_fresh: state.fresh };
  const wait = Math.min(LAST_RETRY_MS, FIRST_PROJECTOR_RETRY_MS * 2 ** (failures - 1));
  return { ...state, failures, retry_at: now + wait };
}

/** Returns whether its trigger applies to its uncovered entries. */
function hasWork({ fresh, stalled_fresh, trigger }: ProjectorState): boolean {
  const wanted = trigger.tick || (trigger.after !== null && fresh >= trigger.after);
  return wanted && fresh > (stalled_fresh ?? 0);
}

/** Returns whether the next tick runs it: after a failure it has a due time of its own. */
export function awaitsTick(state: ProjectorState): boolean {
  return hasWork(state) && state.retry_at === null;
}

export function readsThreadKind(name: string, kind: ThreadKind): boolean {
  return findProjector(name)?.reads.includes(kind) ?? false;
}

export function loadProjectors(sql: SqlStorage, thread: ThreadLog): ProjectorState[] {
  const rows = sql.exec<{ name: string; state: string }>("SELECT name, state FROM projectors").toArray();
  const stored = new Map(rows.map(({ name, state }) => [name, parseJson<StoredState>(state)]));
  return PROJECTORS.map(({ name, reads, trigger }) => {
    const state = stored.get(name) ?? { ...INITIAL, trigger };
    return { ...state, name, fresh: thread.countAfter(state.covered_seq, reads) };
  });
}

export function saveProjectorState(
  sql: SqlStorage,
  { name, fresh: _fresh, ...stored }: ProjectorState,
): void {
  const state = JSON.stringify(stored satisfies StoredState);
  sql.exec("INSERT OR REPLACE INTO projectors (name, state) VALUES (?, ?)", name, state);
}
