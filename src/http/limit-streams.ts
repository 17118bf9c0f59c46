// Limits the live streams that are open at once, events and WebSockets, per key and per tenant. Each isolate counts those
// that it holds, as it is the isolate's memory that they use: the limit is exact on one machine and approximate on many. A session's object
// limits its own streams exactly.
import { COGNITION } from "../limits";
import { failure } from "../platform/errors";
import type { Caller } from "./app-context";

const open = new Map<string, number>();

/** Counts a new stream. Returns a function that ends the count; throws if the key or the tenant has too many. */
export function openStream({ tenant, keyId }: Pick<Caller, "tenant" | "keyId">): () => void {
  const counters = [
    { name: `key ${keyId}`, whose: "This key", limit: COGNITION.streamsPerKey },
    { name: `tenant ${tenant}`, whose: "This tenant", limit: COGNITION.streamsPerTenant },
  ];
  for (const { name, whose, limit } of counters)
    if ((open.get(name) ?? 0) >= limit)
      throw failure(
        "limit_exceeded",
        `${whose} has ${limit} live streams open, which is the limit. Close one, or read signals by page.`,
      );
  for (const { name } of counters) open.set(name, (open.get(name) ?? 0) + 1);
  let counts = true;
  return () => {
    if (!counts) return;
    counts = false;
    for (const { name } of counters) release(name);
  };
}

/** Returns the number of live streams that a tenant has open in this isolate. */
export function countStreams(tenant: string): number {
  return open.get(`tenant ${tenant}`) ?? 0;
}

function release(name: string): void {
  const left = (open.get(name) ?? 1) - 1;
  if (left === 0) open.delete(name);
  else open.set(name, left);
}
