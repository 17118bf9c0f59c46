// Resolves the client's settings from its options, the environment and defaults.
import { invalidInput } from "./errors";

export type KiokuOptions = {
  /** Base URL of the service. Default: KIOKU_URL, or the local service at http://127.0.0.1:8787. */
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

/** A service binding of a Worker, or anything else with its `fetch`. */
export type KiokuBinding = { fetch(url: string, init?: RequestInit): Promise<Response> };

export type BindingOptions = Omit<KiokuOptions, "url" | "fetch">;

/** A binding ignores the host name; errors quote it. */
const BOUND_URL = "https://kioku";

/** Returns the options of a client that sends every call through a service binding. */
export function toBindingOptions(binding: KiokuBinding, options: BindingOptions): KiokuOptions {
  if (typeof binding?.fetch !== "function")
    throw invalidInput(
      "binding",
      'is missing. Add { "binding": "KIOKU", "service": "kioku" } to the services of your wrangler.jsonc',
    );
  // The transport sends texts; called as a method, because a binding needs itself as the receiver.
  const send = (url: string, init?: RequestInit) => binding.fetch(url, init);
  return { ...options, url: BOUND_URL, fetch: send as typeof fetch };
}

export type Settings = {
  url: string;
  key: string;
  timeout_ms: number;
  retries: number;
  fetch: typeof fetch;
  headers: Record<string, string>;
};

/** Where a local service listens, unless it is told otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:8787";

const DEFAULTS = { timeout_ms: 30_000, retries: 3 };

export function resolveSettings(options: KiokuOptions): Settings {
  return {
    url: normaliseUrl(options.url ?? (readEnvironment("KIOKU_URL") || DEFAULT_URL)),
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

export function normaliseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw invalidInput("url", `must be the service's address, as in ${DEFAULT_URL}`);
  // `fetch` refuses them with an error that quotes them.
  const { username, password } = new URL(text);
  if (username !== "" || password !== "")
    throw invalidInput(
      "url",
      "must have no user name and no password. Give the key as `key`, or in KIOKU_API_KEY",
    );
  return text.replace(/\/+$/, "");
}

/** Validates the key here, because the runtime's error for an invalid header would quote it. */
export function checkKey(key: string | undefined): string {
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
