// What a project's object keeps: when it is due, the run that is under way with its steps, and vectors of texts.

import { parseJson } from "../platform/json";
import { isInitialised, migrate } from "../platform/object-migrations";
import type { ConsolidateAnswer } from "../schemas/consolidation";
import type { Step } from "./plan-consolidation";
import type { ProjectRef } from "./project-rpc";

const SCHEMA: readonly string[] = [
  `CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL);
   CREATE TABLE steps (n INTEGER PRIMARY KEY, step TEXT NOT NULL);
   CREATE TABLE answers (op TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, answer TEXT NOT NULL, at INTEGER NOT NULL);
   CREATE TABLE vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL, used_at INTEGER NOT NULL) WITHOUT ROWID;`,
];

/** A run whose plan stands and is being carried out. */
export type Run = {
  id: string;
  op: string | null;
  fingerprint: string;
  /** How many of its steps are done. */
  done: number;
  /** When it goes on by itself, should it be cut off. */
  resume_at: number;
  answer: ConsolidateAnswer;
};

export type State = {
  ref: ProjectRef;
  /** Milliseconds since 1970; null when nothing is due. */
  consolidate_at: number | null;
  maintain_at: number | null;
  /** The first episode since the last run by itself. */
  waiting_since: number | null;
  /** Counts them, so that one that comes in the middle of a run is not taken for one that the run has seen. */
  notes: number;
  /** The last of them that said that its task was over. */
  finished: number;
  /** Failures of the alarm in a row, and the time before which it does not try again. */
  failures: number;
  retry_at: number | null;
  run: Run | null;
};

export class ProjectStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    if (isInitialised(storage)) migrate(storage, SCHEMA);
  }

  /** Null for a project that nobody has told anything of. */
  read(): State | null {
    if (!isInitialised(this.#storage)) return null;
    const [row] = this.#storage.sql.exec<{ state: string }>("SELECT state FROM state").toArray();
    return row === undefined ? null : parseJson<State>(row.state);
  }

  /** The state, at its beginning if there is none. */
  open(ref: ProjectRef): State {
    migrate(this.#storage, SCHEMA);
    const state = this.read() ?? {
      ref,
      consolidate_at: null,
      maintain_at: null,
      waiting_since: null,
      notes: 0,
      finished: 0,
      failures: 0,
      retry_at: null,
      run: null,
    };
    this.save(state);
    return state;
  }

  save(state: State): void {
    this.#storage.sql.exec("INSERT OR REPLACE INTO state (id, state) VALUES (1, ?)", JSON.stringify(state));
  }

  /** A plan as it shall be carried out, whatever happens from now on. */
  begin(state: State, steps: readonly Step[]): void {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec("DELETE FROM steps");
      for (const [n, step] of steps.entries())
        this.#storage.sql.exec("INSERT INTO steps (n, step) VALUES (?, ?)", n, JSON.stringify(step));
      this.save(state);
    });
  }

  stepsFrom(n: number, limit: number): Step[] {
    return this.#storage.sql
      .exec<{ step: string }>("SELECT step FROM steps WHERE n >= ? ORDER BY n LIMIT ?", n, limit)
      .toArray()
      .map(({ step }) => parseJson<Step>(step));
  }

  /** A run that is done leaves its answer. */
  finish(state: State, at: number): void {
    const { run } = state;
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec("DELETE FROM steps");
      if (run !== null && run.op !== null)
        this.keep({ op: run.op, fingerprint: run.fingerprint }, run.answer, at);
      this.save({ ...state, run: null });
    });
  }

  keep({ op, fingerprint }: { op: string; fingerprint: string }, answer: object, at: number): void {
    this.#storage.sql.exec(
      "INSERT OR IGNORE INTO answers (op, fingerprint, answer, at) VALUES (?, ?, ?, ?)",
      op,
      fingerprint,
      JSON.stringify(answer),
      at,
    );
  }

  kept(op: string): { fingerprint: string; answer: string } | null {
    const [row] = this.#storage.sql
      .exec<{ fingerprint: string; answer: string }>(
        "SELECT fingerprint, answer FROM answers WHERE op = ?",
        op,
      )
      .toArray();
    return row ?? null;
  }

  dropAnswersBefore(at: number): void {
    this.#storage.sql.exec("DELETE FROM answers WHERE at < ?", at);
  }

  vector(key: string): Float32Array | null {
    const [row] = this.#storage.sql
      .exec<{ vector: ArrayBuffer }>("SELECT vector FROM vectors WHERE key = ?", key)
      .toArray();
    return row === undefined ? null : new Float32Array(row.vector);
  }

  keepVectors(vectors: readonly { key: string; vector: Float32Array }[], at: number): void {
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

  /** Takes out the vectors of a text, whoever made them. */
  dropVector(textKey: string): void {
    this.#storage.sql.exec("DELETE FROM vectors WHERE substr(key, -length(?1)) = ?1", ` ${textKey}`);
  }

  /** Only the newest stay. */
  trimVectors(keep: number): void {
    this.#storage.sql.exec(
      `DELETE FROM vectors WHERE key NOT IN (SELECT key FROM vectors ORDER BY used_at DESC, key LIMIT ?)`,
      keep,
    );
  }
}
