// A session's signals: those that are kept, as a list, and those to come, as a stream that outlives its connections.
import { type Query, search, segment } from "./call";
import { isKiokuError } from "./errors";
import { readEventStream } from "./event-stream";
import { List } from "./list";
import type { Signal, SignalPage } from "./schema.generated";
import { type CallOptions, sleep, type Transport } from "./transport";

export type StreamOptions = CallOptions & {
  /** The number of the last signal that was seen; without it, from the oldest that is kept. */
  after?: number | undefined;
};

/** Between the end of a connection and the next one, until the service says otherwise. */
const COME_BACK_MS = 1_000;
/** The service gives a sign of life every 15 s; a connection without any is dead, though nobody has said so. */
const SILENCE_MS = 60_000;

export function signalsOf(transport: Transport, session: string) {
  const path = () => `/v1/sessions/${segment("id", session)}/signals`;

  return {
    list(query: { after?: number | undefined; limit?: number | undefined } = {}, options?: CallOptions) {
      return new List<Signal>(async ({ cursor, limit }) => {
        const place: Query = { after: cursor ?? query.after, limit: limit ?? query.limit };
        const page = await transport.send({ method: "GET", path: path() + search(place) }, options);
        const { data, next } = page as SignalPage;
        return { data, next_cursor: data.length === 0 ? null : String(next) };
      });
    },

    /** Goes on until `signal` aborts, which is its end and no error; or until the service cannot be reached. */
    async *stream({ after, ...options }: StreamOptions = {}): AsyncGenerator<Signal, void, undefined> {
      const { signal } = options;
      let last = after === undefined ? undefined : String(after);
      let pause = COME_BACK_MS;
      try {
        while (true) {
          const headers = { ...options.headers, ...(last !== undefined && { "last-event-id": last }) };
          const request = { method: "GET", path: path(), accept: "text/event-stream" };
          const response = await transport.open(request, { ...options, headers });
          for await (const event of readEventStream(bytesOf(response, signal))) {
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

/** The bytes of an answer until it ends, breaks off, falls silent, or nobody wants them any more. */
async function* bytesOf(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const stop = () => void reader.cancel().catch(() => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal?.addEventListener("abort", stop, { once: true });
  try {
    while (signal?.aborted !== true) {
      timer = setTimeout(stop, SILENCE_MS);
      // A connection that breaks off is one that ended: the stream goes on with the next.
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
