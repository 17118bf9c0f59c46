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
