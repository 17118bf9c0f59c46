// One call of a service that speaks OpenAI's protocol: where it is, what is sent, and why it failed in words that
// may be logged.
import { failure } from "../../platform/errors";
import { refusal } from "./response-values";
import { CallFailure } from "./retry";

export type OpenAiService = {
  /** The base address, such as https://api.openai.com/v1, or that of the call itself. */
  url: string;
  key: string | null;
  fetch?: typeof fetch;
};

export type OpenAiCall = {
  /** What follows the base address: "embeddings". */
  path: string;
  /** What the settings are called, for errors that say which to change. */
  settings: { url: string; key: string; model: string };
  /** What else to look at, by status. */
  hints?: Readonly<Record<number, string>>;
};

/** Sends a body and gives the parsed answer. Fails with a CallFailure, and right here if the address is none. */
export function openAiCall(
  service: OpenAiService,
  { path, settings, hints }: OpenAiCall,
): (body: Record<string, unknown>, signal: AbortSignal) => Promise<unknown> {
  // Called as a plain function: the platform's fetch refuses to be a method of something else.
  const { key, fetch: send = (input, init) => fetch(input, init) } = service;
  const url = addressOf(service.url, path, settings.url);
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
      // A redirect may drop the texts, or carry them and the key elsewhere.
      redirect: "manual",
      signal,
    }).catch(() => {
      throw new CallFailure("the service could not be reached", { mayPass: true });
    });
    if (!response.ok) {
      // The status says it all; a body that cannot even be dropped adds nothing.
      await response.body?.cancel().catch(() => undefined);
      throw toFailure(response, allHints);
    }
    const text = await response.text().catch(() => {
      throw new CallFailure("the answer broke off", { mayPass: true });
    });
    return parsed(text, settings.url);
  };
}

function addressOf(base: string, path: string, setting: string): string {
  if (!/^https?:/i.test(base) || !URL.canParse(base))
    throw failure(
      "not_configured",
      `${setting} must be an http or https address, such as https://api.openai.com/v1`,
    );
  const url = new URL(base);
  const given = url.pathname.replace(/\/+$/, "");
  url.pathname = given.endsWith(`/${path}`) ? given : `${given || "/v1"}/${path}`;
  return url.href;
}

function toFailure({ status, headers }: Response, hints: Readonly<Record<number, string>>): CallFailure {
  const retryAfterMs = retryAfter(headers.get("Retry-After"));
  const hint = hints[status] === undefined ? "" : `: ${hints[status]}`;
  const later = retryAfterMs > 0 ? `, to be tried again in ${Math.ceil(retryAfterMs / 1_000)} s` : "";
  return new CallFailure(`status ${status}${hint}${later}`, {
    mayPass: status >= 500 || status === 429 || status === 408,
    retryAfterMs,
  });
}

/** Seconds or a date; 0 where there is neither. */
function retryAfter(header: string | null): number {
  if (!header) return 0;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return ms > 0 ? ms : 0;
}

function parsed(text: string, setting: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(`an answer that is no JSON: check ${setting}`);
  }
}
