// Directives that a session has accepted: kept until they are carried out, and known by their request id after that.
import type { ProviderName } from "../../domain/cognition/provider";
import { COGNITION } from "../../limits";
import { parseJson } from "../../platform/json";
import type { Directive, ProviderOptions } from "../../schemas/directive";

/** A directive with its provider found, as it is carried out. */
export type Work = { directive: Directive; provider: ProviderName; options: ProviderOptions };

export type Waiting = Work & { seq: number; request_id: string; attempts: number };

export class DirectiveQueue {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** What is known of a request: a digest of what it asked for. */
  digestOf(requestId: string): string | null {
    const [row] = this.#sql
      .exec<{ digest: string }>("SELECT digest FROM directives WHERE request_id = ?", requestId)
      .toArray();
    return row?.digest ?? null;
  }

  add(requestId: string, digest: string, work: Work): void {
    this.#sql.exec(
      "INSERT INTO directives (request_id, digest, provider, work) VALUES (?, ?, ?, ?)",
      requestId,
      digest,
      work.provider,
      JSON.stringify(work),
    );
  }

  /** The next one to carry out. Those of one provider keep their order: behind one that failed, the others wait. */
  next(now: number): Waiting | null {
    const [row] = this.#sql
      .exec<{ seq: number; request_id: string; work: string; attempts: number }>(
        `SELECT seq, request_id, work, attempts FROM directives d WHERE work IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM directives e WHERE e.work IS NOT NULL AND e.provider = d.provider AND e.seq <= d.seq AND e.due_at > ?
         ) ORDER BY seq LIMIT 1`,
        now,
      )
      .toArray();
    return row === undefined ? null : { ...row, ...parseJson<Work>(row.work) };
  }

  postpone(seq: number, dueAt: number): void {
    this.#sql.exec("UPDATE directives SET attempts = attempts + 1, due_at = ? WHERE seq = ?", dueAt, seq);
  }

  /** Its request id is remembered for as long as its signal is. */
  finish(seq: number): void {
    this.#sql.exec("UPDATE directives SET work = NULL WHERE seq = ?", seq);
    this.#sql.exec("DELETE FROM directives WHERE work IS NULL AND seq <= ?", seq - COGNITION.signalsKept);
  }

  count(): number {
    return this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM directives WHERE work IS NOT NULL").one()
      .n;
  }

  /** When the next one is due; null when none waits. */
  dueAt(): number | null {
    return this.#sql
      .exec<{ at: number | null }>("SELECT min(due_at) AS at FROM directives WHERE work IS NOT NULL")
      .one().at;
  }
}
