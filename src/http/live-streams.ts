// Serves a session's WebSocket as server-sent events. The Worker holds the client's connection, so that the session's
// object can hibernate between signals. The object sends on only what has been acknowledged, and the Worker acknowledges
// what its client has read: a slow reader has a window of signals in memory, however many there are.
import { SECOND_MS } from "../kernel/time";

const HEARTBEAT = ":\n\n";

type StreamTimes = {
  /** Proxies close connections that are silent for a minute; a lost client is noticed by what it does not take. */
  heartbeatMs: number;
  /** A client that takes nothing for this long is disconnected. It resumes after the last event that it has read. */
  stallMs: number;
};

const TIMES: StreamTimes = { heartbeatMs: 5 * SECOND_MS, stallMs: 10 * SECOND_MS };

/** `retry` is the time after which a disconnected client reconnects. */
const PREAMBLE = `retry: ${SECOND_MS}\n\n`;

const encoder = new TextEncoder();

/** Calls `onEnd` once, when either side has closed. */
export function streamEvents(
  socket: WebSocket,
  onEnd: () => void,
  { heartbeatMs, stallMs }: StreamTimes = TIMES,
): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let open = true;
  let pendingSince: number | null = null;
  let written: Promise<void> = Promise.resolve();
  const end = () => {
    if (!open) return;
    open = false;
    onEnd();
    clearInterval(heartbeat);
    socket.close(1000, "The reader has gone");
    // A client that reads nothing must not keep what was written. Aborting fails if it has disconnected already.
    writer.abort("The stream has ended").catch(() => undefined);
  };
  const close = () => {
    // What was written before the end is delivered.
    written.then(() => writer.close()).then(end, end);
  };
  /** Writes after what was written before, and resolves when the client has taken it. */
  const write = (text: string, onTaken?: () => void) => {
    written = written.then(async () => {
      pendingSince = Date.now();
      await writer.write(encoder.encode(text));
      pendingSince = null;
      onTaken?.();
    });
    written.catch(end);
  };
  const heartbeat = setInterval(() => {
    if (pendingSince === null) write(HEARTBEAT);
    else if (Date.now() - pendingSince >= stallMs) end();
  }, heartbeatMs);
  socket.addEventListener("message", ({ data }) => {
    const { text, seq } = toEvent(String(data));
    write(text, () => {
      if (open) socket.send(String(seq));
    });
  });
  socket.addEventListener("close", close);
  socket.addEventListener("error", end);
  // The client's disconnection cancels the readable side.
  writer.closed.catch(end);
  socket.accept();
  write(PREAMBLE);
  return new Response(readable, {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
    },
  });
}

/** Returns an event without a name, so that a browser's `onmessage` receives signals of every type. */
function toEvent(signal: string): { text: string; seq: number } {
  const { seq } = JSON.parse(signal) as { seq: number };
  return { text: `id: ${seq}\ndata: ${signal}\n\n`, seq };
}

// Relays a session's WebSocket to a client. The Worker stands in between, because only then it sees when the connection
// ends, and can count those that are open. The session's object can hibernate meanwhile.

/** Close codes that an endpoint may send: 1005, 1006 and 1015 only report how a connection ended (RFC 6455, 7.4.1). */
const REPORTED_CODES: ReadonlySet<number> = new Set([1005, 1006, 1015]);
const MAX_REASON_BYTES = 123;

/** Calls `onEnd` once, when either side has closed. */
export function relaySocket(session: WebSocket, onEnd: () => void): Response {
  const [client, server] = Object.values(new WebSocketPair());
  if (client === undefined || server === undefined) throw new Error("A WebSocket pair has two ends");
  let open = true;
  const end = (code: number, reason: string) => {
    if (!open) return;
    open = false;
    onEnd();
    for (const socket of [session, server]) close(socket, code, reason);
  };
  for (const [from, to] of [
    [session, server],
    [server, session],
  ] as const) {
    from.addEventListener("message", ({ data }) => {
      if (open) to.send(data);
    });
    from.addEventListener("close", ({ code, reason }) => end(code, reason));
    from.addEventListener("error", () => end(1011, "The connection failed"));
    from.accept();
  }
  return new Response(null, { status: 101, webSocket: client });
}

function close(socket: WebSocket, code: number, reason: string): void {
  const fits = new TextEncoder().encode(reason).length <= MAX_REASON_BYTES;
  try {
    socket.close(REPORTED_CODES.has(code) ? 1000 : code, fits ? reason : "");
  } catch {
    // This side has closed already.
  }
}
