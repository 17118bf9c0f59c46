// How far each projector has come in a session's thread.
import { PROJECTORS, projectorNamed } from "../../cognition/projectors";
import { parseJson } from "../../json";
import type { ThreadKind, Trigger } from "../../schemas/cognition";
import type { ThreadLog } from "./thread-log";

type Stored = {
  covered_seq: number;
  /** Since its last success, and when it is tried again. */
  failures: number;
  retry_at: number | null;
  trigger: Trigger;
};

export type ProjectorState = Stored & {
  name: string;
  /** Entries it reads that it has not covered. Counted, not stored. */
  fresh: number;
};

export function readsOf(name: string): readonly ThreadKind[] {
  return projectorNamed(name)?.reads ?? [];
}

export function loadProjectors(sql: SqlStorage, thread: ThreadLog): ProjectorState[] {
  const rows = sql.exec<{ name: string; state: string }>("SELECT name, state FROM projectors").toArray();
  const stored = new Map(rows.map(({ name, state }) => [name, parseJson<Stored>(state)]));
  return PROJECTORS.map(({ name, reads, trigger }) => {
    const state = stored.get(name) ?? { covered_seq: 0, failures: 0, retry_at: null, trigger };
    return { ...state, name, fresh: thread.countAfter(state.covered_seq, reads) };
  });
}

export function saveProjector(sql: SqlStorage, { name, fresh: _fresh, ...stored }: ProjectorState): void {
  const state = JSON.stringify(stored satisfies Stored);
  sql.exec("INSERT OR REPLACE INTO projectors (name, state) VALUES (?, ?)", name, state);
}
