// Serves a session's WebSocket as server-sent events. The Worker holds the client's connection, so that the session's
// object can hibernate between signals.
import { SECOND_MS } from "../platform/time";

/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15 * SECOND_MS;
const HEARTBEAT = ":\n\n";

/** `retry` is the time after which a disconnected client reconnects. */
const PREAMBLE = `retry: ${SECOND_MS}\n\n`;

const encoder = new TextEncoder();

/** Calls `onEnd` once, when either side has closed. */
export function streamEvents(socket: WebSocket, onEnd: () => void): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let open = true;
  const end = () => {
    if (!open) return;
    open = false;
    onEnd();
    clearInterval(heartbeat);
    socket.close(1000, "The reader has gone");
    // Closing fails if the client has disconnected already.
    writer.close().catch(() => undefined);
  };
  const write = (text: string) => {
    writer.write(encoder.encode(text)).catch(end);
  };
  const heartbeat = setInterval(() => write(HEARTBEAT), HEARTBEAT_MS);
  socket.addEventListener("message", ({ data }) => write(toEvent(String(data))));
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
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
function toEvent(signal: string): string {
  const { seq } = JSON.parse(signal) as { seq: number };
  return `id: ${seq}\ndata: ${signal}\n\n`;
}
