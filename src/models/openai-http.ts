// The HTTP client for services with an OpenAI-compatible API, and for those that take a JSON body and a key alike. Errors name the setting to check and quote nothing of
// the request or the response, so that they can be logged.
import { failure } from "../kernel/errors";
import { CallError, invalidResponse } from "../kernel/retry";

export type OpenAiService = {
  /** The base URL, such as https://api.openai.com/v1, or the full URL of the endpoint. */
  url: string;
  key: string | null;
  fetch?: typeof fetch;
};

type OpenAiEndpoint = {
  /** The path below the base URL: "embeddings". */
  path: string;
  /** The names of the settings, for error messages. */
  settings: { url: string; key: string; model: string };
  /** A base URL, for error messages. */
  example?: string;
  /** Further hints for error messages, by status. */
  hints?: Readonly<Record<number, string>>;
};

/**
 * Returns a function that posts a body and returns the parsed response, or rejects with a CallError. Throws at once if
 * the URL is invalid.
 */
export function createOpenAiCall(
  service: OpenAiService,
  { path, settings, example = "https://api.openai.com/v1", hints }: OpenAiEndpoint,
): (body: Record<string, unknown>, signal: AbortSignal) => Promise<unknown> {
  // A plain function: the platform's fetch throws when it is called as a method of another object.
  const { key, fetch: send = (input, init) => fetch(input, init) } = service;
  const url = toEndpointUrl(service.url, path, { setting: settings.url, example });
  const allHints: Readonly<Record<number, string>> = {
    401: `check ${settings.key}`,
    403: `check ${settings.key}`,
    404: `check ${settings.url} and ${settings.model}`,
    ...hints,
  };

  return async (body, signal) => {
    const response = await send(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(key !== null && { Authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      // A redirect may drop the body, or send it and the key to another host.
      redirect: "manual",
      signal,
    }).catch(() => {
      throw new CallError("the service could not be reached", { retryable: true });
    });
    if (!response.ok) {
      // The status is enough for the error; a body that cannot be cancelled changes nothing.
      await response.body?.cancel().catch(() => undefined);
      throw toCallError(response, allHints);
    }
    const text = await response.text().catch(() => {
      throw new CallError("the response was interrupted", { retryable: true });
    });
    return parseBody(text, settings.url);
  };
}

function toEndpointUrl(
  base: string,
  path: string,
  { setting, example }: { setting: string; example: string },
): string {
  if (!/^https?:/i.test(base) || !URL.canParse(base))
    throw failure("not_configured", `${setting} must be an http or https URL, such as ${example}`);
  const url = new URL(base);
  const basePath = url.pathname.replace(/\/+$/, "");
  url.pathname = basePath.endsWith(`/${path}`) ? basePath : `${basePath || "/v1"}/${path}`;
  return url.href;
}

function toCallError({ status, headers }: Response, hints: Readonly<Record<number, string>>): CallError {
  const retryAfterMs = parseRetryAfter(headers.get("Retry-After"));
  const hint = hints[status] === undefined ? "" : `: ${hints[status]}`;
  const later = retryAfterMs > 0 ? `, retry after ${Math.ceil(retryAfterMs / 1_000)} s` : "";
  return new CallError(`status ${status}${hint}${later}`, {
    retryable: status >= 500 || status === 429 || status === 408,
    retryAfterMs,
  });
}

/** Accepts seconds or an HTTP date; returns 0 for anything else. */
function parseRetryAfter(header: string | null): number {
  if (!header) return 0;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return ms > 0 ? ms : 0;
}

function parseBody(text: string, urlSetting: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidResponse(`the response is not JSON: check ${urlSetting}`);
  }
}

// Cuts a text to what a model reads of it.

const encoder = new TextEncoder();

/** Replaces an empty text, which services reject. */
const EMPTY_TEXT = ".";

/** Returns the beginning of a text, up to `maxBytes` of UTF-8, and its number of bytes. */
export function truncateText(whole: string, maxBytes: number): { text: string; bytes: number } {
  // encodeInto stops before the first character that does not fit.
  const { read, written } = encoder.encodeInto(whole, new Uint8Array(Math.min(maxBytes, whole.length * 3)));
  const text = whole.slice(0, read).toWellFormed();
  return text.trim() === "" ? { text: EMPTY_TEXT, bytes: EMPTY_TEXT.length } : { text, bytes: written };
}

// Maps errors of the Workers AI binding to CallErrors.

/** Error codes of rejected requests, models and accounts, and of a used-up daily free allocation. */
const PERMANENT = /^(3003|3006|3023|3036|3039|3041|3042|5\d{3})$/;

/** Error codes of models that do not exist or are not available to the account. */
const MODEL_UNAVAILABLE = /^(3041|3042|5007|5016|5018|5035)$/;

/** The binding reports an error only as a message, "3040: No more data centers …", which may quote the input. */
export function toWorkersAiError(error: unknown, modelSetting: string): CallError {
  const [, code] = /^(\d{4}): /.exec(error instanceof Error ? error.message : "") ?? [];
  if (code === undefined) return new CallError("error without a code", { retryable: true });
  const hint = MODEL_UNAVAILABLE.test(code) ? `: choose another ${modelSetting}` : "";
  return new CallError(`code ${code}${hint}`, { retryable: !PERMANENT.test(code) });
}
