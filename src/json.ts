// JSON as a type, so that what crosses RPC and storage is never `unknown`.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function parseJson<T extends Json = Json>(text: string): T {
  return JSON.parse(text) as T;
}
