// Reads server-sent events from the bytes of an answer.
import { createParser } from "eventsource-parser";

export type StreamEvent =
  | { kind: "message"; id: string | undefined; data: string }
  /** How long to wait before the next connection. */
  | { kind: "retry"; ms: number };

/** An event that the end of the stream cuts off is dropped: the next connection repeats it. */
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
