// A session's signals: the stored ones as a list, and new ones as a stream that reconnects.
import { encodeSegment, formatQuery, type Query } from "./call";
import { isKiokuError } from "./errors";
import { readEventStream } from "./event-stream";
import { List } from "./list";
import type { Signal, SignalPage } from "./schema.generated";
import { type CallOptions, sleep, type Transport } from "./transport";

export type StreamOptions = CallOptions & {
  /** Sequence number of the last signal received. Default: start with the oldest stored signal. */
  after?: number | undefined;
};

/** Delay before reconnecting, unless the service sends another one. */
const RECONNECT_MS = 1_000;
/** The service sends a heartbeat every 15 s; a connection that stays silent for a minute is dead. */
const SILENCE_MS = 60_000;

export function createSignals(transport: Transport, session: string) {
  const path = () => `/v1/sessions/${encodeSegment("id", session)}/signals`;

  return {
    list(query: { after?: number | undefined; limit?: number | undefined } = {}, options?: CallOptions) {
      return new List<Signal>(async ({ cursor, limit }) => {
        const position: Query = { after: cursor ?? query.after, limit: limit ?? query.limit };
        const page = await transport.send({ method: "GET", path: path() + formatQuery(position) }, options);
        const { data, next } = page as SignalPage;
        return { data, next_cursor: data.length === 0 ? null : String(next) };
      });
    },

    /** Yields signals until `signal` aborts, which ends the stream without an error. Throws if the service cannot be reached. */
    async *stream({ after, ...options }: StreamOptions = {}): AsyncGenerator<Signal, void, undefined> {
      const { signal } = options;
      let last = after === undefined ? undefined : String(after);
      let pause = RECONNECT_MS;
      try {
        while (true) {
          const headers = { ...options.headers, ...(last !== undefined && { "last-event-id": last }) };
          const request = { method: "GET", path: path(), accept: "text/event-stream" };
          const response = await transport.open(request, { ...options, headers });
          for await (const event of readEventStream(readBytes(response, signal))) {
            if (event.kind === "retry") pause = event.ms;
            else {
              last = event.id ?? last;
              yield JSON.parse(event.data) as Signal;
            }
          }
          await sleep(pause, signal);
        }
      } catch (error) {
        if (signal?.aborted && !isKiokuError(error)) return;
        throw error;
      }
    },
  };
}

/** Yields the bytes of a response until it ends, disconnects, stays silent, or `signal` aborts. */
async function* readBytes(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const stop = () => void reader.cancel().catch(() => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal?.addEventListener("abort", stop, { once: true });
  try {
    while (signal?.aborted !== true) {
      timer = setTimeout(stop, SILENCE_MS);
      // A broken connection counts as ended: the stream reconnects.
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
      clearTimeout(timer);
      if (done || value === undefined) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    stop();
  }
}
