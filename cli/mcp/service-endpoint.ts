// Sends messages to the MCP endpoint of the service, and reads the messages of its responses.
import { setTimeout } from "node:timers/promises";
import { KiokuError, readError } from "../../client/errors";
import { readEventStream } from "../../client/event-stream";
import { checkKey, normaliseUrl } from "../../client/settings";
import { isJsonObject, type JsonObject } from "../../src/kernel/json";
import { type Connection, describeMissingKey } from "../connection";
import { CommandError } from "../failures";
import { isLoopback } from "../local-service";

export type EndpointOptions = {
  /** Returns the service and its key as they are now: a local service may have been started anew. */
  connect: () => Pick<Connection, "url" | "apiKey" | "keyFile">;
  /** The path of the endpoint. */
  path: string;
  /** Sent with every request, such as Kioku-Project-Id. */
  headers: Readonly<Record<string, string>>;
};

export type OutgoingRequest = {
  method: "GET" | "POST";
  headers: Headers;
  body?: string;
  signal: AbortSignal;
};

/** A refused connection, or a local service that does not run, is tried again: the service may be starting. */
const CONNECT_DELAYS_MS = [250, 750];

export function createEndpoint({ connect, path, headers: own }: EndpointOptions) {
  return async function request({ headers, signal, ...init }: OutgoingRequest): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const delay = CONNECT_DELAYS_MS[attempt];
      const { url, apiKey, keyFile } = connect();
      if (apiKey === null) {
        if (keyFile === null || delay === undefined)
          throw new CommandError(describeMissingKey({ url, keyFile }));
        await sleep(delay, signal);
        signal.throwIfAborted();
        continue;
      }
      const address = normaliseUrl(url) + path;
      headers.set("authorization", `Bearer ${checkKey(apiKey)}`);
      for (const [name, value] of Object.entries(own)) headers.set(name, value);
      // A local service closes idle connections after five seconds: a message sent into one at that time is lost.
      if (isLoopback(url)) headers.set("connection", "close");
      try {
        return await fetch(address, { ...init, headers, signal });
      } catch (error) {
        signal.throwIfAborted();
        const { message, cause } = error as Error & { cause?: { code?: string } };
        if (cause?.code !== "ECONNREFUSED" || delay === undefined)
          throw new KiokuError("network", `No answer from ${url}: ${cause?.code ?? message}`, {
            cause: error,
          });
        await sleep(delay, signal);
      }
    }
  };
}

/** Yields the messages of a response: of its JSON, or of its events as they come. Notes the id of each event. */
export async function* readMessages(
  response: Response,
  noteEvent: (id: string) => void = () => {},
): AsyncGenerator<JsonObject> {
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && type.startsWith("text/event-stream") && response.body !== null) {
    for await (const event of readEventStream(readBytes(response.body))) {
      if (event.kind === "retry") continue;
      if (event.id !== undefined) noteEvent(event.id);
      if (event.data !== "") yield JSON.parse(event.data);
    }
    return;
  }
  if (response.status === 202 || response.status === 204) {
    await response.body?.cancel();
    return;
  }
  const isJson = type.startsWith("application/json");
  if (!response.ok && !isJson) throw await readError(response);
  const body = isJson ? await response.json().catch(refuseBody) : null;
  if (!isJsonObject(body) || body.jsonrpc !== "2.0")
    throw new CommandError(`${response.url} is no MCP server of Kioku. Check KIOKU_URL.`);
  yield body;
}

async function* readBytes(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    refuseBody(error);
  }
}

/** A service that restarts drops the connections of requests under way. */
function refuseBody(error: unknown): never {
  throw new KiokuError("network", "The service ended its answer too early", { cause: error });
}

/** Resolves after the time, or at once if the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => {});
}
