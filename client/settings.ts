// How a client reaches its service: what was given, or the environment where there is one.
import { invalidInput } from "./errors";

export type KiokuOptions = {
  /** Where the service is. Default: KIOKU_URL. */
  url?: string | undefined;
  /** Default: KIOKU_API_KEY. */
  key?: string | undefined;
  /** For each attempt of a call. Default: 30,000. */
  timeout_ms?: number | undefined;
  /** How often a call that failed in passing is sent again. Default: 3. */
  retries?: number | undefined;
  /** In place of the global one. */
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

export function settingsOf(options: KiokuOptions): Settings {
  return {
    url: urlOf(options.url ?? environment("KIOKU_URL")),
    key: keyOf(options.key ?? environment("KIOKU_API_KEY")),
    timeout_ms: numberOf("timeout_ms", options.timeout_ms ?? DEFAULTS.timeout_ms, 1),
    retries: numberOf("retries", options.retries ?? DEFAULTS.retries, 0),
    // The global one is looked up at each call, and called without an owner, which browsers insist on.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    headers: options.headers ?? {},
  };
}

export function numberOf(name: string, value: number, min: number): number {
  if (typeof value !== "number" || !(value >= min))
    throw invalidInput(name, `must be a number of at least ${min}`);
  return value;
}

function urlOf(text: string | undefined): string {
  if (text === undefined || text === "")
    throw invalidInput("url", "is missing. Give it to new Kioku({ url, key }), or set KIOKU_URL");
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw invalidInput("url", "must be the service's address, as in http://127.0.0.1:8787");
  return text.replace(/\/+$/, "");
}

/** Checked here, because a bad header's own error would quote the key. */
function keyOf(key: string | undefined): string {
  if (key === undefined || key === "")
    throw invalidInput("key", "is missing. Give it to new Kioku({ url, key }), or set KIOKU_API_KEY");
  if (!/^[\x21-\x7e]+$/.test(key))
    throw invalidInput("key", "has a character that no key has. Copy it again, without spaces or line ends");
  return key;
}

/** Browsers and some Workers have no process. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
