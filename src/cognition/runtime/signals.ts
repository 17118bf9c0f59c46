// The signals of a session: a log of the newest, read from a cursor, and hibernatable WebSockets that deliver them live.
// The thread contains all of them.

import { countUtf8Bytes } from "../../kernel/common";
import { failure, logDefect } from "../../kernel/errors";
import { type Json, parseJson } from "../../kernel/json";
import { COGNITION } from "../../kernel/limits";
import type { Signal } from "./thread-schemas";

/** A signal with its text, which is JSON. */
type StoredSignal = { seq: number; event: string };

export class SignalLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Inside a transaction: assigns the sequence number and stores the signal. */
  append(type: string, data: Json, about: { sessionId: string; time: string }): Signal {
    const seq = this.getRange().last + 1;
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
      "INSERT INTO signals (seq, bytes, event) VALUES (?, ?, ?)",
      seq,
      countUtf8Bytes(event),
      event,
    );
    this.#trim(seq);
    return signal;
  }

  /** Deletes the oldest signals beyond the limits, but never the newest. */
  #trim(newest: number): void {
    this.#sql.exec(
      `DELETE FROM signals WHERE seq < ? AND (seq <= ? OR seq <= (
         SELECT max(seq) FROM (SELECT seq, sum(bytes) OVER (ORDER BY seq DESC) AS size FROM signals) WHERE size > ?
       ))`,
      newest,
      newest - COGNITION.storedSignals,
      COGNITION.storedSignalBytes,
    );
  }

  /** Lists the signals after a sequence number, oldest first. */
  list(seq: number, limit: number): Signal[] {
    return this.#sql
      .exec<{ event: string }>("SELECT event FROM signals WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit)
      .toArray()
      .map(({ event }) => parseJson<Signal>(event));
  }

  /** Returns the first signal after a sequence number as stored, null if there is none. */
  findNext(seq: number): StoredSignal | null {
    const next = "SELECT seq, event FROM signals WHERE seq > ? ORDER BY seq LIMIT 1";
    return this.#sql.exec<StoredSignal>(next, seq).toArray()[0] ?? null;
  }

  /** Returns the sequence numbers of the oldest and the newest stored signal; 1 and 0 if there is none. */
  getRange(): { first: number; last: number } {
    const { first, last } = this.#sql
      .exec<{ first: number | null; last: number | null }>(
        "SELECT min(seq) AS first, max(seq) AS last FROM signals",
      )
      .one();
    return { first: first ?? 1, last: last ?? 0 };
  }
}

type SignalSocketsOptions = {
  state: DurableObjectState;
  /** Reads signals one by one, so that no more are read than the windows of the readers take. */
  findNext: (after: number) => StoredSignal | null;
  /** Returns those of the API keys that are still valid. */
  findActiveKeys: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
};

type Attachment = {
  /** The last signal that was sent. */
  cursor: number;
  key: string;
  /** Whether the reader acknowledges signals, as event streams do. */
  acknowledges?: boolean;
  /** The characters that were sent and are not acknowledged. */
  unread?: number;
};

/** The characters that are sent beyond the last acknowledgement before the object waits for another. */
const WINDOW_CHARS = 64 * 1024;
/** The characters that are sent to a client that does not acknowledge, before it has to reconnect with its cursor. */
const UNACKNOWLEDGED_CHARS = 2 ** 20;

/** Close codes; those from 4000 on are reserved for applications. */
const CLOSE = {
  keyGone: { code: 4401, reason: "The key was deleted or has expired" },
  erased: { code: 4404, reason: "The session was erased" },
  tryAgain: { code: 1013, reason: "Try again with your cursor" },
  tooMuch: { code: 1013, reason: "Much was sent: try again after the last signal that you have read" },
} as const;

export class SignalSockets {
  readonly #options: SignalSocketsOptions;
  #sending = false;
  #again = false;

  constructor(options: SignalSocketsOptions) {
    this.#options = options;
    // The platform answers pings without waking the object.
    options.state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Connects a client that has received the signals up to a sequence number. */
  accept(reader: Pick<Attachment, "cursor" | "key" | "acknowledges">): Response {
    this.#checkStreamLimits(reader.key);
    const [client, server] = Object.values(new WebSocketPair());
    if (client === undefined || server === undefined) throw new Error("A WebSocket pair has two ends");
    this.#options.state.acceptWebSocket(server);
    server.serializeAttachment({ ...reader } satisfies Attachment);
    this.send();
    return new Response(null, { status: 101, webSocket: client });
  }

  #checkStreamLimits(key: string): void {
    const keys = this.#options.state.getWebSockets().map((socket) => readAttachment(socket).key);
    const own = keys.filter((one) => one === key).length;
    const { streamsPerSession, streamsPerSessionAndKey } = COGNITION;
    if (own >= streamsPerSessionAndKey)
      throw failure(
        "limit_exceeded",
        `This key has ${own} live streams of this session open, which is the limit. Close one, or read signals by page.`,
      );
    if (keys.length >= streamsPerSession)
      throw failure(
        "limit_exceeded",
        `This session has ${keys.length} live streams open, which is the limit. Close one, or read signals by page.`,
      );
  }

  /** Takes the number of the last signal that a client has read, and sends on. */
  acknowledge(socket: WebSocket, message: string): void {
    if (!/^\d{1,16}$/.test(message)) return;
    const attachment = readAttachment(socket);
    if (attachment.acknowledges !== true || Number(message) < attachment.cursor) return;
    socket.serializeAttachment({ ...attachment, unread: 0 } satisfies Attachment);
    this.send();
  }

  /** Sends every client the signals after its cursor. */
  send(): void {
    this.#again = true;
    if (this.#sending) return;
    this.#sending = true;
    void this.#run();
  }

  closeAll(): void {
    for (const socket of this.#options.state.getWebSockets()) close(socket, CLOSE.erased);
  }

  async #run(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        await this.#sendAll();
      }
    } finally {
      // No await since the last check of #again: no call in between is lost.
      this.#sending = false;
    }
  }

  async #sendAll(): Promise<void> {
    const { state, findActiveKeys } = this.#options;
    const keys = state.getWebSockets().map((socket) => readAttachment(socket).key);
    if (keys.length === 0) return;
    const allowed = await findActiveKeys([...new Set(keys)]).catch((error: unknown) => {
      logDefect("signals.error", error);
      return null;
    });
    // A socket that was accepted meanwhile has an unchecked key, which the next round checks.
    for (const socket of state.getWebSockets()) {
      const { key } = readAttachment(socket);
      if (allowed === null) close(socket, CLOSE.tryAgain);
      else if (allowed.has(key)) this.#catchUp(socket);
      else if (keys.includes(key)) close(socket, CLOSE.keyGone);
    }
  }

  #catchUp(socket: WebSocket): void {
    const attachment = readAttachment(socket);
    const { acknowledges = false } = attachment;
    const window = acknowledges ? WINDOW_CHARS : UNACKNOWLEDGED_CHARS;
    let { cursor, unread = 0 } = attachment;
    try {
      while (unread < window) {
        const signal = this.#options.findNext(cursor);
        if (signal === null) break;
        socket.send(signal.event);
        cursor = signal.seq;
        unread += signal.event.length;
      }
      if (cursor !== attachment.cursor)
        socket.serializeAttachment({ ...attachment, cursor, unread } satisfies Attachment);
      if (unread >= window && !acknowledges) close(socket, CLOSE.tooMuch);
    } catch (error) {
      // The client disconnected during the send; it reconnects with its own cursor.
      logDefect("signals.error", error);
      close(socket, CLOSE.tryAgain);
    }
  }
}

function readAttachment(socket: WebSocket): Attachment {
  return socket.deserializeAttachment() as Attachment;
}

function close(socket: WebSocket, { code, reason }: { code: number; reason: string }): void {
  try {
    socket.close(code, reason);
  } catch {
    // The socket is already closed.
  }
}
