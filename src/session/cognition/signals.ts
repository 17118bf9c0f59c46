// The signals of a session: what clients read live or from a cursor. The newest are kept; all of them are in the
// thread.

import { COGNITION } from "../../limits";
import { describeDefect } from "../../platform/errors";
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

export type SocketsOptions = {
  state: DurableObjectState;
  signalsAfter: (seq: number) => Signal[];
  /** Which of these keys still stand. */
  standing: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
};

type Attachment = { cursor: number; key: string };

/** Codes of our own, as WebSockets leave them to applications. */
const CLOSED = {
  keyGone: { code: 4401, reason: "The key was deleted or has expired" },
  erased: { code: 4404, reason: "The session was erased" },
  tryAgain: { code: 1013, reason: "Try again with your cursor" },
} as const;

export class SignalSockets {
  readonly #options: SocketsOptions;
  #sending = false;
  #again = false;

  constructor(options: SocketsOptions) {
    this.#options = options;
    // Answered without waking the object.
    options.state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Connects a client that has seen the signals up to a number. */
  accept(cursor: number, key: string): Response {
    const [client, server] = Object.values(new WebSocketPair());
    if (client === undefined || server === undefined) throw new Error("A WebSocket pair has two ends");
    this.#options.state.acceptWebSocket(server);
    server.serializeAttachment({ cursor, key } satisfies Attachment);
    this.send();
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends everyone what they have not seen. */
  send(): void {
    this.#again = true;
    if (this.#sending) return;
    this.#sending = true;
    void this.#run();
  }

  closeAll(): void {
    for (const socket of this.#options.state.getWebSockets()) close(socket, CLOSED.erased);
  }

  async #run(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        await this.#round();
      }
    } finally {
      // Without a wait after the last look at `again`: nobody who asks in between is forgotten.
      this.#sending = false;
    }
  }

  async #round(): Promise<void> {
    const { state, standing } = this.#options;
    const keys = state.getWebSockets().map((socket) => attachmentOf(socket).key);
    if (keys.length === 0) return;
    const allowed = await standing([...new Set(keys)]).catch((error: unknown) => {
      console.error(JSON.stringify({ event: "signals.error", ...describeDefect(error) }));
      return null;
    });
    // Asked anew: one may have come meanwhile, whose key is looked at in the next round.
    for (const socket of state.getWebSockets()) {
      const { key } = attachmentOf(socket);
      if (allowed === null) close(socket, CLOSED.tryAgain);
      else if (allowed.has(key)) this.#catchUp(socket);
      else if (keys.includes(key)) close(socket, CLOSED.keyGone);
    }
  }

  #catchUp(socket: WebSocket): void {
    const { cursor, key } = attachmentOf(socket);
    let seen = cursor;
    try {
      for (;;) {
        const signals = this.#options.signalsAfter(seen);
        for (const signal of signals) {
          socket.send(JSON.stringify(signal));
          seen = signal.seq;
        }
        if (signals.length === 0) break;
      }
      if (seen !== cursor) socket.serializeAttachment({ cursor: seen, key } satisfies Attachment);
    } catch (error) {
      // It went away while it was being sent to: it comes back with its own cursor.
      console.error(JSON.stringify({ event: "signals.error", ...describeDefect(error) }));
      close(socket, CLOSED.tryAgain);
    }
  }
}

function attachmentOf(socket: WebSocket): Attachment {
  return socket.deserializeAttachment() as Attachment;
}

function close(socket: WebSocket, { code, reason }: { code: number; reason: string }): void {
  try {
    socket.close(code, reason);
  } catch {
    // It is closed already, which is what was wanted.
  }
}
