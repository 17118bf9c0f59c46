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
