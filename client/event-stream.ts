// Reads server-sent events from the bytes of a response.
import { createParser } from "eventsource-parser";

export type StreamEvent =
  | { kind: "message"; id: string | undefined; data: string }
  /** The time to wait before reconnecting. */
  | { kind: "retry"; ms: number };

/** Drops an event that is cut off by the end of the stream: the next connection repeats it. */
export async function* readEventStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let events: StreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => events.push({ kind: "message", id, data }),
    onRetry: (ms) => events.push({ kind: "retry", ms }),
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events;
    events = [];
  }
}
