// JSON types, so that values crossing RPC and storage are never `unknown`.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Parses JSON that this service wrote itself, as the type it was written with. */
export function parseJson<T>(text: string): T {
  return JSON.parse(text) as T;
}

/** Whether a value is an object, neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a field of a value of unknown shape, such as the response of a service; undefined if it has none. */
export function readField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The digits of the largest number are 309. */
const LONG_NUMBER = 309;

/**
 * Returns whether JSON may have a number that is too large to be kept. Digits are counted in one pass: a pattern would
 * count every run of them from each of its digits.
 */
export function mayHaveHugeNumber(raw: string): boolean {
  if (/\de\+?\d{3}/i.test(raw)) return true;
  let digits = 0;
  for (let at = 0; at < raw.length && digits < LONG_NUMBER; at += 1) {
    const code = raw.charCodeAt(at);
    digits = code >= 48 && code <= 57 ? digits + 1 : 0;
  }
  return digits >= LONG_NUMBER;
}
