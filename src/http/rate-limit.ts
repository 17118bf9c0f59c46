// Limits calls by key and by client address, and open streams.

import type { RateLimiter } from "../kernel/env";
import { failure } from "../kernel/errors";
import { COGNITION } from "../kernel/limits";
import { MINUTE_MS } from "../kernel/time";
import type { AppContext, Caller } from "./app-context";

// Counts calls per minute in this isolate, by any name.

/** Names that are counted at a time: more than an isolate serves in a minute. */
const MAX_NAMES = 100_000;

function createCallCounter() {
  let windowStart = 0;
  const counts = new Map<string, number>();
  const openWindow = (now: number) => {
    // A clock that was set back starts a new window too.
    if (now - windowStart < MINUTE_MS && now >= windowStart && counts.size < MAX_NAMES) return;
    windowStart = now;
    counts.clear();
  };
  return {
    /** Counts a call, and returns how many there were in this minute. */
    add(name: string, now: number): number {
      openWindow(now);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count;
    },
    get(name: string, now: number): number {
      openWindow(now);
      return counts.get(name) ?? 0;
    },
    /** Returns the seconds until the minute is over. */
    secondsLeft: (now: number) => Math.ceil((windowStart + MINUTE_MS - now) / 1_000),
  };
}

// Limits requests per minute and key. Each isolate counts on its own, so that the limit is exact on one machine and
// approximate on many: it protects the service and is not used for billing. Cloudflare's rate limit counts across
// isolates where it is bound.

type Tier = "read" | "write";

const calls = createCallCounter();

/** The period of the binding, in seconds: see wrangler.toml. */
const LIMITER_SECONDS = 60;

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

// Limits calls per minute and client address, before authentication reads anything: all calls, and those with a wrong
// key. Counted in this isolate, and across isolates where Cloudflare's rate limit is bound. Without an address, as on a
// local server, only what is stored without a key is counted, for all clients together.

type AddressLimit = { calls: number; refused: number };

const addressCalls = createCallCounter();
const refusals = createCallCounter();

/** Cloudflare sets the header itself, so that a client cannot choose its address. */
function readAddress(c: AppContext): string | null {
  const address = c.req.header("CF-Connecting-IP");
  return address === undefined ? null : toNetwork(address);
}

/** Returns the /64 of an IPv6 address: a client has at least that many addresses and could use a new one for each call. */
function toNetwork(address: string): string {
  // An IPv4 address, or one that is mapped to IPv6: ::ffff:192.0.2.1.
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  if (!address.includes(":")) return address;
  const [start = "", end] = address.split("::");
  const before = start === "" ? [] : start.split(":");
  const after = end === undefined || end === "" ? [] : end.split(":");
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

export async function limitAddress(c: AppContext, limit: AddressLimit, now: number): Promise<void> {
  const address = readAddress(c);
  if (address === null) return;
  if (limit.refused > 0 && refusals.get(address, now) >= limit.refused)
    throw refuse(`This address sent ${limit.refused} calls with a wrong key`, refusals.secondsLeft(now));
  if (limit.calls > 0 && addressCalls.add(address, now) > limit.calls)
    throw refuse(`An address may make ${limit.calls} calls a minute`, addressCalls.secondsLeft(now));
  const limiter = c.env.ADDRESS_LIMITER;
  if (limiter !== undefined && !(await limiter.limit({ key: address })).success)
    throw refuse("This address makes too many calls", LIMITER_SECONDS);
}

/** Limits how often an address may do something that is stored although it needs no key. */
export function limitAnonymous(c: AppContext, what: string, limit: number, now: number): void {
  if (addressCalls.add(`${what} ${readAddress(c) ?? "unknown"}`, now) <= limit) return;
  throw refuse(`An address may do this ${limit} times a minute`, addressCalls.secondsLeft(now));
}

/** Counts a call that authentication refused. */
export function countRefusal(c: AppContext, { refused }: AddressLimit, now: number): void {
  const address = readAddress(c);
  if (address !== null && refused > 0) refusals.add(address, now);
}

function refuse(reason: string, retryAfterSeconds: number) {
  return failure("rate_limited", `${reason}. Wait ${retryAfterSeconds} s.`, { retryAfterSeconds });
}

// Limits the live streams that are open at once, events and WebSockets, per key and per tenant. Each isolate counts those
// that it holds, as it is the isolate's memory that they use: the limit is exact on one machine and approximate on many. A session's object
// limits its own streams exactly.

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
