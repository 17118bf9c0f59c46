// The stdio bridge: forwards JSON-RPC messages, one a line, from stdin to the service's MCP endpoint, and its messages to
// stdout. A failure is answered as a JSON-RPC error with its fix; the next message is tried anew.
import type { Readable } from "node:stream";
import { isKiokuError, KiokuError } from "../../client/index";
import { isJsonObject } from "../../src/kernel/json";
import { CommandError, formatError } from "../failures";
import { splitLines } from "../input";
import { addSessionHeaders, createMessageHeaders, type McpSession, type Message } from "./message-headers";
import { createEndpoint, type EndpointOptions, readMessages, sleep } from "./service-endpoint";

export type BridgeOptions = EndpointOptions & {
  input: Readable;
  /** Writes a line to stdout. */
  write: (line: string) => Promise<void>;
  /** Writes a line to stderr. */
  log: (text: string) => void;
};

/** Codes of JSON-RPC. */
const CODES = { invalid: -32_600, internal: -32_603 };
const CANCELLED = "notifications/cancelled";
const RECONNECT_MS = 1_000;
/** How long answers are waited for after stdin has ended. */
const DRAIN_MS = 10_000;

/** Runs until stdin ends and what was asked is answered. */
export async function runBridge({ input, write, log, ...endpoint }: BridgeOptions): Promise<void> {
  const request = createEndpoint(endpoint);
  const session: McpSession = {};
  const closing = new AbortController();
  /** The requests under way, by id. */
  const pending = new Map<unknown, AbortController>();
  const work = new Set<Promise<void>>();
  let listening = Promise.resolve();
  let written = Promise.resolve();

  function send(message: object): Promise<void> {
    written = written.then(() => write(JSON.stringify(message)));
    return written;
  }

  function refuse(id: unknown, code: number, error: unknown): Promise<void> {
    const message = report(error);
    const data = isKiokuError(error) ? { data: { code: error.code } } : {};
    return send({ jsonrpc: "2.0", id, error: { code, message, ...data } });
  }

  function report(error: unknown): string {
    const message = formatError(error);
    log(`kioku mcp: ${message}`);
    return message;
  }

  async function forward(message: Message): Promise<void> {
    const { id, method } = message;
    const isRequest = id !== undefined && method !== undefined;
    const controller = new AbortController();
    if (isRequest) pending.set(id, controller);
    try {
      const response = await request({
        method: "POST",
        headers: createMessageHeaders(message, session),
        body: JSON.stringify(message),
        signal: AbortSignal.any([controller.signal, closing.signal]),
      });
      if (method === "initialize") session.id = response.headers.get("mcp-session-id") ?? undefined;
      const isAnswered = await relay(response, message);
      if (isRequest && !isAnswered)
        throw new KiokuError("network", `The service ended its answer to ${method} too early`);
      if (method === "notifications/initialized") listening = listen();
    } catch (error) {
      if (controller.signal.aborted || closing.signal.aborted) return;
      if (isRequest) await refuse(id, CODES.internal, error);
      else report(error);
    } finally {
      if (isRequest) pending.delete(id);
    }
  }

  /** Writes the messages of a response, but for the refusal of a notification, which nobody waits for. Returns whether the answer is among them. */
  async function relay(response: Response, { id, method }: Message): Promise<boolean> {
    let isAnswered = false;
    for await (const message of readMessages(response)) {
      // The service answers a message that it cannot read without an id.
      const answer = message.id === null && id !== undefined ? { ...message, id } : message;
      if (answer.id === null) {
        log(`kioku mcp: ${JSON.stringify(answer.error)}`);
        continue;
      }
      if (answer.method === undefined && answer.id === id) isAnswered = true;
      if (method === "initialize" && isJsonObject(answer.result))
        session.protocolVersion = String(answer.result.protocolVersion);
      await send(answer);
    }
    return isAnswered;
  }

  /** Receives what the service sends of its own accord, if it has a stream for that. Reconnects until the end. */
  async function listen(): Promise<void> {
    let last: string | undefined;
    while (!closing.signal.aborted) {
      const headers = new Headers({ accept: "text/event-stream" });
      addSessionHeaders(headers, session);
      if (last !== undefined) headers.set("last-event-id", last);
      try {
        const response = await request({ method: "GET", headers, signal: closing.signal });
        if (response.status >= 400 && response.status < 500) return void (await response.body?.cancel());
        const noteEvent = (id: string) => {
          last = id;
        };
        for await (const message of readMessages(response, noteEvent)) await send(message);
      } catch (error) {
        if (!closing.signal.aborted) report(error);
      }
      await sleep(RECONNECT_MS, closing.signal);
    }
  }

  /** Ends a request that the client no longer waits for. Only the versions of 2025 also tell the service so. */
  async function cancel(message: Message): Promise<void> {
    pending.get(message.params?.requestId)?.abort();
    if (session.protocolVersion !== undefined) await forward(message);
  }

  function start(task: Promise<void>): void {
    const tracked = task.finally(() => work.delete(tracked));
    work.add(tracked);
  }

  for await (const line of splitLines(input.setEncoding("utf8"))) {
    const message = parseMessage(line);
    if (message instanceof CommandError) start(refuse(null, CODES.invalid, message));
    else if (message !== null) start(message.method === CANCELLED ? cancel(message) : forward(message));
  }
  await Promise.race([Promise.allSettled(work), sleep(DRAIN_MS, closing.signal)]);
  closing.abort();
  await Promise.allSettled([...work, listening]);
  await written;
}

/** Returns null for an empty line, and an error for one that is no message. */
function parseMessage(line: string): Message | CommandError | null {
  if (line.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(line);
    if (isJsonObject(value)) return value as Message;
  } catch {
    // Reported below, without quoting the line.
  }
  return new CommandError("A line must be one JSON-RPC message. Send those of a batch one by one.");
}
