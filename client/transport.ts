// One call over HTTP: sent until it succeeds, fails for good, or has been tried often enough. A POST keeps its
// Idempotency-Key through all attempts, so that work whose answer was lost is not done twice.
import { errorOf, isKiokuError, KiokuError } from "./errors";
import { numberOf, type Settings } from "./settings";

/** Of a single call, in place of the client's. */
export type CallOptions = {
  signal?: AbortSignal | undefined;
  timeout_ms?: number | undefined;
  retries?: number | undefined;
  /** For a POST that is the same work as an earlier one. Default: a new one for each call. */
  idempotency_key?: string | undefined;
  headers?: Record<string, string> | undefined;
};

export type Outgoing = {
  method: string;
  /** With its query. */
  path: string;
  body?: unknown;
  /** Another type than JSON: the answer is then its text. */
  accept?: string | undefined;
  /** Another type than JSON: the body is then sent as it is. */
  content_type?: string | undefined;
};

export type Transport = {
  /** The answer's body. */
  send(request: Outgoing, options?: CallOptions): Promise<unknown>;
  /** The answer itself, once its headers are there: its body may take its time. */
  open(request: Outgoing, options?: CallOptions): Promise<Response>;
};

const JSON_TYPE = "application/json";
const BACK_OFF = { first_ms: 250, most_ms: 8_000 };
/** A service that asks for more patience than this is left to the caller. */
const MOST_PATIENCE_SECONDS = 60;
/** They have the status of something that passes, but waiting mends neither. */
const LASTING = new Set<string>(["limit_exceeded", "not_configured"]);

export function createTransport(settings: Settings): Transport {
  async function attempt<T>(
    url: string,
    init: RequestInit,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signal } = options;
    const timeout = numberOf("timeout_ms", options.timeout_ms ?? settings.timeout_ms, 1);
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
      if (!response.ok) throw await errorOf(response);
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (late) throw new KiokuError("timeout", `No answer within ${timeout} ms`, { cause: error });
      if (isKiokuError(error)) throw error;
      throw new KiokuError("network", `No answer from ${new URL(url).host}: ${reasonOf(error)}`, {
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
    const init = initOf(request, settings, options);
    const retries = numberOf("retries", options.retries ?? settings.retries, 0);
    for (let failed = 0; ; failed += 1) {
      options.signal?.throwIfAborted();
      try {
        return await attempt(url, init, options, read);
      } catch (error) {
        const wait = isKiokuError(error) && failed < retries ? waitAfter(error, failed) : null;
        if (wait === null) throw error;
        await sleep(wait, options.signal);
      }
    }
  }

  return {
    send: (request, options = {}) => exchange(request, options, (response) => bodyOf(response, request)),
    open: (request, options = {}) => exchange(request, options, async (response) => response),
  };
}

function initOf(request: Outgoing, settings: Settings, options: CallOptions): RequestInit {
  const { method, body, accept = JSON_TYPE, content_type } = request;
  const headers = new Headers({ ...settings.headers, ...options.headers });
  headers.set("authorization", `Bearer ${settings.key}`);
  headers.set("accept", accept);
  if (method === "POST") headers.set("idempotency-key", options.idempotency_key ?? crypto.randomUUID());
  if (body === undefined) return { method, headers };
  headers.set("content-type", content_type ?? JSON_TYPE);
  return { method, headers, body: content_type === undefined ? JSON.stringify(body) : String(body) };
}

async function bodyOf(response: Response, { accept }: Outgoing): Promise<unknown> {
  const text = await response.text();
  if (accept !== undefined && accept !== JSON_TYPE) return text;
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not retried: whoever answers so is no Kioku service, and will not become one.
    throw new KiokuError(
      "invalid_request",
      "The answer is not JSON. Is `url` the address of a Kioku service?",
      {
        status: response.status,
      },
    );
  }
}

/** How long to wait before the next attempt, in milliseconds; null when there is to be none. */
function waitAfter(error: KiokuError, failed: number): number | null {
  const { code, status, retry_after_seconds } = error;
  const passing = code === "network" || code === "timeout" || status === 429 || status >= 500;
  if (!passing || LASTING.has(code)) return null;
  if (retry_after_seconds !== null)
    return retry_after_seconds <= MOST_PATIENCE_SECONDS ? retry_after_seconds * 1_000 : null;
  const most = Math.min(BACK_OFF.first_ms * 2 ** failed, BACK_OFF.most_ms);
  // Clients that failed together do not come back together.
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

/** Node tells the reason in the cause; a refused connection has only a code. */
function reasonOf(error: unknown): string {
  const { message = "", cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? (cause?.message || message || "the connection failed");
}
