// The queue of a session's accepted directives in its object. Executed ones are remembered by their request id.

import { parseJson } from "../../kernel/json";
import { COGNITION } from "../../kernel/limits";
import { SECOND_MS } from "../../kernel/time";
import type { ProviderName } from "../providers/provider";
import type { Directive, ProviderOptions } from "./thread-schemas";

/** The delay before a failed directive is retried; it doubles with each attempt. */
export const DIRECTIVE_RETRY_MS = 1 * SECOND_MS;

/** A directive with its resolved provider. Stored as JSON. */
export type DirectiveWork = { directive: Directive; provider: ProviderName; options: ProviderOptions };

export type QueuedDirective = DirectiveWork & { seq: number; request_id: string; attempts: number };

export class DirectiveQueue {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Returns the digest of the directive that a request id was first used for. */
  findDigest(requestId: string): string | null {
    const [row] = this.#sql
      .exec<{ digest: string }>("SELECT digest FROM directives WHERE request_id = ?", requestId)
      .toArray();
    return row?.digest ?? null;
  }

  add(requestId: string, digest: string, work: DirectiveWork): void {
    this.#sql.exec(
      "INSERT INTO directives (request_id, digest, provider, work) VALUES (?, ?, ?, ?)",
      requestId,
      digest,
      work.provider,
      JSON.stringify(work),
    );
  }

  /** Returns the next due directive. Those of one provider run in order: a failed one holds back its successors. */
  findNext(now: number): QueuedDirective | null {
    const [row] = this.#sql
      .exec<{ seq: number; request_id: string; work: string; attempts: number }>(
        `SELECT seq, request_id, work, attempts FROM directives d WHERE work IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM directives e WHERE e.work IS NOT NULL AND e.provider = d.provider AND e.seq <= d.seq AND e.due_at > ?
         ) ORDER BY seq LIMIT 1`,
        now,
      )
      .toArray();
    return row === undefined ? null : { ...row, ...parseJson<DirectiveWork>(row.work) };
  }

  postpone(seq: number, dueAt: number): void {
    this.#sql.exec("UPDATE directives SET attempts = attempts + 1, due_at = ? WHERE seq = ?", dueAt, seq);
  }

  /** Marks a directive as executed. Its request id is remembered as long as its signal. */
  finish(seq: number): void {
    this.#sql.exec("UPDATE directives SET work = NULL WHERE seq = ?", seq);
    this.#sql.exec("DELETE FROM directives WHERE work IS NULL AND seq <= ?", seq - COGNITION.storedSignals);
  }

  countWaiting(): number {
    return this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM directives WHERE work IS NOT NULL").one()
      .n;
  }

  /** Returns the earliest due time, null if the queue is empty. */
  findDueTime(): number | null {
    return this.#sql
      .exec<{ at: number | null }>("SELECT min(due_at) AS at FROM directives WHERE work IS NOT NULL")
      .one().at;
  }
}
