// Limits requests per minute and key. Each isolate counts on its own, so that the limit is exact on one machine and
// approximate on many: it protects the service and is not used for billing.

import { failure } from "../platform/errors";
import { MINUTE_MS } from "../platform/time";
import type { Caller } from "./app-context";

type Tier = "read" | "write";

let windowStart = 0;
const counts = new Map<string, number>();

export function limitRate(caller: Caller, tier: Tier, limits: Record<Tier, number>, now: number): void {
  const limit = limits[tier];
  if (limit === 0) return;
  // A clock that was set back starts a new window too.
  if (now - windowStart >= MINUTE_MS || now < windowStart) {
    windowStart = now;
    counts.clear();
  }
  const key = `${tier} ${caller.keyId}`;
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  if (count <= limit) return;
  const retryAfterSeconds = Math.ceil((windowStart + MINUTE_MS - now) / 1_000);
  throw failure(
    "rate_limited",
    `This key may make ${limit} ${tier} calls a minute. Wait ${retryAfterSeconds} s.`,
    {
      retryAfterSeconds,
    },
  );
}
