// The state of a session's projectors: how far each has covered the thread, its trigger and its retries.

import { isJsonObject, type Json, parseJson } from "../../kernel/json";
import { MINUTE_MS, SECOND_MS } from "../../kernel/time";
import { matchesSignal } from "../projectors/projector";
import { findProjector, PROJECTORS } from "../projectors/projector-registry";
import type { ThreadLog } from "./thread-log";
import type { ThreadKind, Trigger, TriggerPatch } from "./thread-schemas";

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
  /** The number of uncovered signals that trigger it. Counted, not stored. */
  signalled: number;
};

const INITIAL = { covered_seq: 0, failures: 0, retry_at: null, stalled_fresh: null } as const;

/** Returns the state with a changed trigger. */
export function withTrigger(state: ProjectorState, patch: TriggerPatch): ProjectorState {
  const { tick = state.trigger.tick, after = state.trigger.after, signals = state.trigger.signals } = patch;
  return { ...state, trigger: { tick, after, signals } };
}

/** Returns the state after a success. */
export function advance(
  state: ProjectorState,
  covered_seq: number,
  uncovered: Pick<ProjectorState, "fresh" | "signalled">,
): ProjectorState {
  return { ...state, ...INITIAL, covered_seq, ...uncovered };
}

/** Returns the state after a failure: retried with back-off, and in the end only when there are new entries. */
export function recordFailure(state: ProjectorState, now: number): ProjectorState {
  const failures = state.failures + 1;
  if (failures >= MAX_PROJECTOR_ATTEMPTS)
    return { ...state, failures, retry_at: null, stalled_fresh: countUncovered(state) };
  const wait = Math.min(LAST_RETRY_MS, FIRST_PROJECTOR_RETRY_MS * 2 ** (failures - 1));
  return { ...state, failures, retry_at: now + wait };
}

/** Counts the entries that it reads or that trigger it. */
export function countUncovered({ fresh, signalled }: ProjectorState): number {
  return fresh + signalled;
}

/** Returns whether its trigger applies to its uncovered entries. */
function hasWork(state: ProjectorState): boolean {
  const { fresh, signalled, stalled_fresh, trigger } = state;
  const wanted = trigger.tick || (trigger.after !== null && fresh >= trigger.after) || signalled > 0;
  return wanted && countUncovered(state) > (stalled_fresh ?? 0);
}

/** Returns whether the next tick runs it: after a failure it is due at `retry_at`. */
export function awaitsTick(state: ProjectorState): boolean {
  return hasWork(state) && state.retry_at === null;
}

/** Returns the state after an entry has been appended to the thread. */
export function noteEntry(
  state: ProjectorState,
  kind: ThreadKind,
  payload: Json | undefined,
): ProjectorState {
  const isRead = findProjector(state.name)?.reads.includes(kind) ?? false;
  const isSignal = kind === "signal" && matchesSignal(state.trigger.signals, readSignalType(payload));
  if (!isRead && !isSignal) return state;
  return {
    ...state,
    fresh: state.fresh + (isRead ? 1 : 0),
    signalled: state.signalled + (isSignal ? 1 : 0),
  };
}

/** Counts the uncovered entries of a projector. */
export function countNewEntries(
  thread: ThreadLog,
  { name, trigger }: Pick<ProjectorState, "name" | "trigger">,
  coveredSeq: number,
): Pick<ProjectorState, "fresh" | "signalled"> {
  const types = trigger.signals.length === 0 ? [] : thread.listSignalTypes(coveredSeq);
  return {
    fresh: thread.countAfter(coveredSeq, findProjector(name)?.reads ?? []),
    signalled: types.filter((type) => matchesSignal(trigger.signals, type)).length,
  };
}

/** Returns the type of a signal, empty if the payload has none. */
function readSignalType(payload: Json | undefined): string {
  return isJsonObject(payload) && typeof payload.type === "string" ? payload.type : "";
}

export function loadProjectors(sql: SqlStorage, thread: ThreadLog): ProjectorState[] {
  const rows = sql.exec<{ name: string; state: string }>("SELECT name, state FROM projectors").toArray();
  const stored = new Map(rows.map(({ name, state }) => [name, parseJson<StoredState>(state)]));
  return PROJECTORS.map(({ name, trigger: initial }) => {
    const state = { ...INITIAL, ...stored.get(name) };
    const trigger = state.trigger ?? { signals: [], ...initial };
    return { ...state, name, trigger, ...countNewEntries(thread, { name, trigger }, state.covered_seq) };
  });
}

export function saveProjectorState(
  sql: SqlStorage,
  { name, fresh: _fresh, signalled: _signalled, ...stored }: ProjectorState,
): void {
  const state = JSON.stringify(stored satisfies StoredState);
  sql.exec("INSERT OR REPLACE INTO projectors (name, state) VALUES (?, ?)", name, state);
}
