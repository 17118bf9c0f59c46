// Storage of a project's object in its SQLite: the schedule, the run in progress with its steps, answers to
// idempotent calls, and the embedding cache.

import type { Operation, StoredAnswer } from "../../kernel/idempotency";
import { parseJson } from "../../kernel/json";
import { isInitialised, migrate } from "../../kernel/object-migrations";
import type { ConsolidateAnswer } from "./consolidation-schemas";
import type { ConsolidationStep } from "./plan-consolidation";
import type { ProjectRef } from "./project-rpc";

const SCHEMA: readonly string[] = [
  `CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL);
   CREATE TABLE steps (n INTEGER PRIMARY KEY, step TEXT NOT NULL);
   CREATE TABLE answers (op TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, answer TEXT NOT NULL, at INTEGER NOT NULL);
   CREATE TABLE vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL, used_at INTEGER NOT NULL) WITHOUT ROWID;`,
];

/** A consolidation in progress. Stored as JSON. */
type ConsolidationRun = {
  id: string;
  op: string | null;
  fingerprint: string;
  /** Number of completed steps. */
  done: number;
  /** When the alarm resumes it if it is interrupted. */
  resume_at: number;
  answer: ConsolidateAnswer;
};

/** The schedule of a project. Stored as JSON. */
export type ProjectState = {
  ref: ProjectRef;
  /** Milliseconds since 1970; null if nothing is due. */
  consolidate_at: number | null;
  maintain_at: number | null;
  /** When the first episode since the last scheduled run arrived. */
  waiting_since: number | null;
  /** Number of episodes: it reveals those that arrive during a run. */
  notes: number;
  /** Number of the last episode that finished its task or began another phase. */
  finished: number;
  /** The phase of the last episode that has one. */
  phase: string | null;
  /** Consecutive failures of the alarm, and the time of its next attempt. */
  failures: number;
  retry_at: number | null;
  run: ConsolidationRun | null;
};

export class ProjectStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    if (isInitialised(storage)) migrate(storage, SCHEMA);
  }

  /** Returns null for a project that was never written to; such an object stays without storage. */
  readState(): ProjectState | null {
    if (!isInitialised(this.#storage)) return null;
    const [row] = this.#storage.sql.exec<{ state: string }>("SELECT state FROM state").toArray();
    return row === undefined ? null : parseJson<ProjectState>(row.state);
  }

  /** Returns the state, creating the storage if there is none. */
  openState(ref: ProjectRef): ProjectState {
    migrate(this.#storage, SCHEMA);
    const state = this.readState() ?? {
      ref,
      consolidate_at: null,
      maintain_at: null,
      waiting_since: null,
      notes: 0,
      finished: 0,
      phase: null,
      failures: 0,
      retry_at: null,
      run: null,
    };
    this.saveState(state);
    return state;
  }

  saveState(state: ProjectState): void {
    this.#storage.sql.exec("INSERT OR REPLACE INTO state (id, state) VALUES (1, ?)", JSON.stringify(state));
  }

  /** Stores a run with its steps: from now on it completes, even after an interruption. */
  beginRun(state: ProjectState, steps: readonly ConsolidationStep[]): void {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec("DELETE FROM steps");
      for (const [n, step] of steps.entries())
        this.#storage.sql.exec("INSERT INTO steps (n, step) VALUES (?, ?)", n, JSON.stringify(step));
      this.saveState(state);
    });
  }

  listSteps(n: number, limit: number): ConsolidationStep[] {
    return this.#storage.sql
      .exec<{ step: string }>("SELECT step FROM steps WHERE n >= ? ORDER BY n LIMIT ?", n, limit)
      .toArray()
      .map(({ step }) => parseJson<ConsolidationStep>(step));
  }

  /** Ends a run and stores its answer. */
  finishRun(state: ProjectState, at: number): void {
    const { run } = state;
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec("DELETE FROM steps");
      if (run !== null && run.op !== null)
        this.saveAnswer({ op: run.op, fingerprint: run.fingerprint }, run.answer, at);
      this.saveState({ ...state, run: null });
    });
  }

  saveAnswer({ op, fingerprint }: Operation, answer: object, at: number): void {
    this.#storage.sql.exec(
      "INSERT OR REPLACE INTO answers (op, fingerprint, answer, at) VALUES (?, ?, ?, ?)",
      op,
      fingerprint,
      JSON.stringify(answer),
      at,
    );
  }

  /** Returns the stored answer of an idempotency key, if it was stored after `since`. */
  findAnswer(op: string, since: number): StoredAnswer | null {
    const [row] = this.#storage.sql
      .exec<StoredAnswer>(
        "SELECT fingerprint, answer AS response FROM answers WHERE op = ? AND at > ?",
        op,
        since,
      )
      .toArray();
    return row ?? null;
  }

  deleteAnswersBefore(at: number): void {
    this.#storage.sql.exec("DELETE FROM answers WHERE at < ?", at);
  }

  findVector(key: string): Float32Array | null {
    const [row] = this.#storage.sql
      .exec<{ vector: ArrayBuffer }>("SELECT vector FROM vectors WHERE key = ?", key)
      .toArray();
    return row === undefined ? null : new Float32Array(row.vector);
  }

  saveVectors(vectors: readonly { key: string; vector: Float32Array }[], at: number): void {
    this.#storage.transactionSync(() => {
      for (const { key, vector } of vectors)
        this.#storage.sql.exec(
          "INSERT OR REPLACE INTO vectors (key, vector, used_at) VALUES (?, ?, ?)",
          key,
          vector.slice().buffer,
          at,
        );
    });
  }

  /** Deletes the vectors of a text by every embedder. */
  deleteVectors(textKey: string): void {
    this.#storage.sql.exec("DELETE FROM vectors WHERE substr(key, -length(?1)) = ?1", ` ${textKey}`);
  }

  /** Deletes all but the most recently written vectors. */
  trimVectors(max: number): void {
    this.#storage.sql.exec(
      `DELETE FROM vectors WHERE key NOT IN (SELECT key FROM vectors ORDER BY used_at DESC, key LIMIT ?)`,
      max,
    );
  }
}
