// Limits requests per minute and key. Each isolate counts on its own, so that the limit is exact on one machine and
// approximate on many: it protects the service and is not used for billing. Cloudflare's rate limit counts across
// isolates where it is bound.

import type { RateLimiter } from "../platform/env";
import { failure } from "../platform/errors";
import type { Caller } from "./app-context";
import { createCallCounter } from "./call-counter";

type Tier = "read" | "write";

const calls = createCallCounter();

/** The period of the binding, in seconds: see wrangler.toml. */
export const LIMITER_SECONDS = 60;

export async function limitRate(
  caller: Caller,
  tier: Tier,
  limits: Record<Tier, number>,
  { limiter, now }: { limiter: RateLimiter | undefined; now: number },
): Promise<void> {
  const limit = limits[tier];
  if (limit !== 0 && calls.add(`${tier} ${caller.keyId}`, now) > limit) {
    const retryAfterSeconds = calls.secondsLeft(now);
    throw failure(
      "rate_limited",
      `This key may make ${limit} ${tier} calls a minute. Wait ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }
  if (limiter === undefined || (await limiter.limit({ key: caller.keyId })).success) return;
  throw failure("rate_limited", `This key makes too many calls. Wait ${LIMITER_SECONDS} s.`, {
    retryAfterSeconds: LIMITER_SECONDS,
  });
}
