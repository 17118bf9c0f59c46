// How far each projector has come in a session's thread.
import { findProjector, PROJECTORS } from "../../domain/cognition/projectors/projector-registry";
import { COGNITION } from "../../limits";
import { parseJson } from "../../platform/json";
import type { ThreadKind, Trigger, TriggerPatch } from "../../schemas/projection";
import type { ThreadLog } from "./thread-log";

type Stored = {
  covered_seq: number;
  /** Since its last success, and when it is tried again. */
  failures: number;
  retry_at: number | null;
  /** It has failed so often that it waits for more than this many entries that it has not covered. */
  stalled_fresh: number | null;
  trigger: Trigger;
};

export type ProjectorState = Stored & {
  name: string;
  /** Entries it reads that it has not covered. Counted, not stored. */
  fresh: number;
};

const BEGINNING = { covered_seq: 0, failures: 0, retry_at: null, stalled_fresh: null } as const;

/** When it runs, changed in part. */
export function triggered(state: ProjectorState, patch: TriggerPatch): ProjectorState {
  const { tick = state.trigger.tick, after = state.trigger.after } = patch;
  return { ...state, trigger: { tick, after } };
}

/** After a success. */
export function advanced(state: ProjectorState, covered_seq: number, fresh: number): ProjectorState {
  return { ...state, ...BEGINNING, covered_seq, fresh };
}

/** After a failure: tried again, later each time, and in the end only when there is more to try it on. */
export function failed(state: ProjectorState, now: number): ProjectorState {
  const failures = state.failures + 1;
  if (failures >= COGNITION.projectAttempts)
    return { ...state, failures, retry_at: null, stalled_fresh: state.fresh };
  const wait = Math.min(COGNITION.projectRetryLastMs, COGNITION.projectRetryFirstMs * 2 ** (failures - 1));
  return { ...state, failures, retry_at: now + wait };
}

/** Whether there is something that it would be run on by itself. */
export function hasWork({ fresh, stalled_fresh, trigger }: ProjectorState): boolean {
  const wanted = trigger.tick || (trigger.after !== null && fresh >= trigger.after);
  return wanted && fresh > (stalled_fresh ?? 0);
}

/** Whether the next tick is for it: what failed has a time of its own. */
export function awaitsTick(state: ProjectorState): boolean {
  return hasWork(state) && state.retry_at === null;
}

export function readsOf(name: string): readonly ThreadKind[] {
  return findProjector(name)?.reads ?? [];
}

export function loadProjectors(sql: SqlStorage, thread: ThreadLog): ProjectorState[] {
  const rows = sql.exec<{ name: string; state: string }>("SELECT name, state FROM projectors").toArray();
  const stored = new Map(rows.map(({ name, state }) => [name, parseJson<Stored>(state)]));
  return PROJECTORS.map(({ name, reads, trigger }) => {
    const state = stored.get(name) ?? { ...BEGINNING, trigger };
    return { ...state, name, fresh: thread.countAfter(state.covered_seq, reads) };
  });
}

export function saveProjector(sql: SqlStorage, { name, fresh: _fresh, ...stored }: ProjectorState): void {
  const state = JSON.stringify(stored satisfies Stored);
  sql.exec("INSERT OR REPLACE INTO projectors (name, state) VALUES (?, ?)", name, state);
}
