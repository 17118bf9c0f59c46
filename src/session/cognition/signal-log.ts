// The signals of a session: what clients read live or from a cursor. The newest are kept; all of them are in the
// thread.

import { COGNITION } from "../../limits";
import { type Json, parseJson } from "../../platform/json";
import { countUtf8Bytes } from "../../schemas/common";
import type { Signal } from "../../schemas/directive";

export class SignalLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Inside a transaction: numbers the signal and keeps it. */
  append(type: string, data: Json, about: { sessionId: string; time: string }): Signal {
    const { seq } = this.#sql
      .exec<{ seq: number }>("INSERT INTO signals (event, bytes) VALUES ('', 0) RETURNING seq")
      .one();
    const signal: Signal = {
      specversion: "1.0",
      id: `${about.sessionId}:${seq}`,
      source: `/v1/sessions/${about.sessionId}`,
      type,
      time: about.time,
      datacontenttype: "application/json",
      data,
      seq,
    };
    const event = JSON.stringify(signal);
    this.#sql.exec(
      "UPDATE signals SET event = ?, bytes = ? WHERE seq = ?",
      event,
      countUtf8Bytes(event),
      seq,
    );
    this.#drop(seq);
    return signal;
  }

  /** The newest stays, whatever its size. */
  #drop(newest: number): void {
    this.#sql.exec(
      `DELETE FROM signals WHERE seq < ? AND (seq <= ? OR seq <= (
         SELECT max(seq) FROM (SELECT seq, sum(bytes) OVER (ORDER BY seq DESC) AS size FROM signals) WHERE size > ?
       ))`,
      newest,
      newest - COGNITION.signalsKept,
      COGNITION.signalBytesKept,
    );
  }

  /** Those after a number, oldest first. */
  after(seq: number, limit: number): Signal[] {
    return this.#sql
      .exec<{ event: string }>("SELECT event FROM signals WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit)
      .toArray()
      .map(({ event }) => parseJson<Signal>(event));
  }

  /** The numbers of the oldest signal that is kept and of the newest; of none, what the next one would follow. */
  kept(): { first: number; last: number } {
    const { first, last } = this.#sql
      .exec<{ first: number | null; last: number | null }>(
        "SELECT min(seq) AS first, max(seq) AS last FROM signals",
      )
      .one();
    return { first: first ?? 1, last: last ?? 0 };
  }
}
