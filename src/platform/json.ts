// JSON as a type, so that what crosses RPC and storage is never `unknown`.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** What this service wrote itself, read back as the type it was written with. */
export function parseJson<T>(text: string): T {
  return JSON.parse(text) as T;
}
