// A session's WebSocket as server-sent events. The Worker holds the client's connection, so that the session's object
// may sleep while nothing happens.
import { COGNITION } from "../limits";

const encoder = new TextEncoder();

/** `retry` is how soon a client comes back after it was cut off. */
const OPENING = `retry: ${COGNITION.reconnectMs}\n\n`;
const SIGN_OF_LIFE = ":\n\n";

export function streamEvents(socket: WebSocket): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let open = true;
  const end = () => {
    if (!open) return;
    open = false;
    clearInterval(heartbeat);
    socket.close(1000, "The reader has gone");
    // A client that is gone already needs no end.
    writer.close().catch(() => undefined);
  };
  const write = (text: string) => {
    writer.write(encoder.encode(text)).catch(end);
  };
  const heartbeat = setInterval(() => write(SIGN_OF_LIFE), COGNITION.heartbeatMs);
  socket.addEventListener("message", ({ data }) => write(toEvent(String(data))));
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
  socket.accept();
  write(OPENING);
  return new Response(readable, {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
    },
  });
}

/** Unnamed, so that a browser's `onmessage` gets every type of signal; a signal says its own type. */
function toEvent(signal: string): string {
  const { seq } = JSON.parse(signal) as { seq: number };
  return `id: ${seq}\ndata: ${signal}\n\n`;
}
