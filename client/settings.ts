// Resolves the client's settings from its options, the environment and defaults.
import { invalidInput } from "./errors";

export type KiokuOptions = {
  /** Base URL of the service. Default: KIOKU_URL. */
  url?: string | undefined;
  /** API key. Default: KIOKU_API_KEY. */
  key?: string | undefined;
  /** Timeout of each attempt. Default: 30,000. */
  timeout_ms?: number | undefined;
  /** Maximum number of retries after a transient failure. Default: 3. */
  retries?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Sent with every call. */
  headers?: Record<string, string> | undefined;
};

export type Settings = {
  url: string;
  key: string;
  timeout_ms: number;
  retries: number;
  fetch: typeof fetch;
  headers: Record<string, string>;
};

const DEFAULTS = { timeout_ms: 30_000, retries: 3 };

export function resolveSettings(options: KiokuOptions): Settings {
  return {
    url: normaliseUrl(options.url ?? readEnvironment("KIOKU_URL")),
    key: checkKey(options.key ?? readEnvironment("KIOKU_API_KEY")),
    timeout_ms: checkMinimum("timeout_ms", options.timeout_ms ?? DEFAULTS.timeout_ms, 1),
    retries: checkMinimum("retries", options.retries ?? DEFAULTS.retries, 0),
    // Looks up the global `fetch` on each call and calls it with the global object as receiver, as browsers require.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    headers: options.headers ?? {},
  };
}

export function checkMinimum(name: string, value: number, min: number): number {
  if (typeof value !== "number" || !(value >= min))
    throw invalidInput(name, `must be a number of at least ${min}`);
  return value;
}

function normaliseUrl(text: string | undefined): string {
  if (text === undefined || text === "")
    throw invalidInput("url", "is missing. Give it to new Kioku({ url, key }), or set KIOKU_URL");
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw invalidInput("url", "must be the service's address, as in http://127.0.0.1:8787");
  return text.replace(/\/+$/, "");
}

/** Validates the key here, because the runtime's error for an invalid header would quote it. */
function checkKey(key: string | undefined): string {
  if (key === undefined || key === "")
    throw invalidInput("key", "is missing. Give it to new Kioku({ url, key }), or set KIOKU_API_KEY");
  if (!/^[\x21-\x7e]+$/.test(key))
    throw invalidInput("key", "has a character that no key has. Copy it again, without spaces or line ends");
  return key;
}

/** Reads an environment variable. Browsers and some Workers have no `process`. */
function readEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
