// Sends requests over HTTP and retries transient failures. A POST keeps its Idempotency-Key through all attempts, so
// that a request whose response was lost is not executed twice. Every request carries the newest bookmark of the answers
// so far, so that a read replica that answers has all that this client has written or seen.
import { isKiokuError, KiokuError, readError } from "./errors";
import { checkMinimum, type Settings } from "./settings";

/** Options of a single call; they override those of the client. */
export type CallOptions = {
  signal?: AbortSignal | undefined;
  timeout_ms?: number | undefined;
  retries?: number | undefined;
  /** Set it to repeat an earlier POST. Default: a new key for each call. */
  idempotency_key?: string | undefined;
  headers?: Record<string, string> | undefined;
};

export type Outgoing = {
  method: string;
  /** Includes the query string. */
  path: string;
  body?: unknown;
  /** A media type other than JSON; the response is then returned as text. */
  accept?: string | undefined;
  /** A media type other than JSON; the body is then sent as text. */
  content_type?: string | undefined;
};

export type Transport = {
  /** Returns the body of the response. */
  send(request: Outgoing, options?: CallOptions): Promise<unknown>;
  /** Returns the response as soon as its headers arrive, for a streamed body. */
  open(request: Outgoing, options?: CallOptions): Promise<Response>;
};

const JSON_TYPE = "application/json";
const BOOKMARK_HEADER = "x-kioku-bookmark";
const BACK_OFF = { first_ms: 250, most_ms: 8_000 };
/** A longer Retry-After is left to the caller. */
const MAX_RETRY_AFTER_SECONDS = 60;
/** Codes with the status of a transient failure that a retry cannot fix. */
const NOT_RETRIED = new Set<string>(["limit_exceeded", "not_configured"]);

export function createTransport(settings: Settings): Transport {
  let bookmark = "";

  /** Bookmarks sort as text. Answers may arrive in any order. */
  function noteBookmark({ headers }: Response): void {
    const answered = headers.get(BOOKMARK_HEADER) ?? "";
    if (answered > bookmark) bookmark = answered;
  }

  async function attempt<T>(
    url: string,
    init: RequestInit,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signal } = options;
    const timeout = checkMinimum("timeout_ms", options.timeout_ms ?? settings.timeout_ms, 1);
    const controller = new AbortController();
    const follow = () => controller.abort();
    let late = false;
    const timer = setTimeout(
      () => {
        late = true;
        controller.abort();
      },
      Math.min(timeout, 2 ** 31 - 1),
    );
    signal?.addEventListener("abort", follow, { once: true });
    try {
      const response = await settings.fetch(url, { ...init, signal: controller.signal });
      noteBookmark(response);
      if (!response.ok) throw await readError(response);
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (late) throw new KiokuError("timeout", `No answer within ${timeout} ms`, { cause: error });
      if (isKiokuError(error)) throw error;
      throw new KiokuError("network", `No answer from ${new URL(url).host}: ${describeCause(error)}`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", follow);
    }
  }

  async function exchange<T>(
    request: Outgoing,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const url = settings.url + request.path;
    const init = createInit(request, settings, options, bookmark);
    const retries = checkMinimum("retries", options.retries ?? settings.retries, 0);
    for (let failures = 0; ; failures += 1) {
      options.signal?.throwIfAborted();
      try {
        return await attempt(url, init, options, read);
      } catch (error) {
        const wait = isKiokuError(error) && failures < retries ? computeRetryDelay(error, failures) : null;
        if (wait === null) throw error;
        await sleep(wait, options.signal);
      }
    }
  }

  return {
    send: (request, options = {}) => exchange(request, options, (response) => readBody(response, request)),
    open: (request, options = {}) => exchange(request, options, async (response) => response),
  };
}

function createInit(
  request: Outgoing,
  settings: Settings,
  options: CallOptions,
  bookmark: string,
): RequestInit {
  const { method, body, accept = JSON_TYPE, content_type } = request;
  const headers = new Headers({ ...settings.headers, ...options.headers });
  if (bookmark !== "" && !headers.has(BOOKMARK_HEADER)) headers.set(BOOKMARK_HEADER, bookmark);
  headers.set("authorization", `Bearer ${settings.key}`);
  headers.set("accept", accept);
  if (method === "POST") headers.set("idempotency-key", options.idempotency_key ?? crypto.randomUUID());
  if (body === undefined) return { method, headers };
  headers.set("content-type", content_type ?? JSON_TYPE);
  return { method, headers, body: content_type === undefined ? JSON.stringify(body) : String(body) };
}

async function readBody(response: Response, { accept }: Outgoing): Promise<unknown> {
  const text = await response.text();
  if (accept !== undefined && accept !== JSON_TYPE) return text;
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not retried: the server at this address is not a Kioku service.
    throw new KiokuError(
      "invalid_request",
      "The answer is not JSON. Is `url` the address of a Kioku service?",
      {
        status: response.status,
      },
    );
  }
}

/** Returns the delay before the next attempt in milliseconds; null if the call is not retried. */
function computeRetryDelay(error: KiokuError, failures: number): number | null {
  const { code, status, retry_after_seconds } = error;
  const transient = code === "network" || code === "timeout" || status === 429 || status >= 500;
  if (!transient || NOT_RETRIED.has(code)) return null;
  if (retry_after_seconds !== null)
    return retry_after_seconds <= MAX_RETRY_AFTER_SECONDS ? retry_after_seconds * 1_000 : null;
  const most = Math.min(BACK_OFF.first_ms * 2 ** failures, BACK_OFF.most_ms);
  // Jitter: clients that failed together do not retry together.
  return most * (0.5 + Math.random() / 2);
}

export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Returns the reason of a failed fetch. Node puts it into the cause; a refused connection has only a code. */
function describeCause(error: unknown): string {
  const { message = "", cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? (cause?.message || message || "the connection failed");
}
