// Limits calls per minute and client address, before authentication reads anything: all calls, and those with a wrong
// key. Counted in this isolate, and across isolates where Cloudflare's rate limit is bound. Without an address, as on a
// local server, only what is stored without a key is counted, for all clients together.
import { failure } from "../platform/errors";
import type { AppContext } from "./app-context";
import { createCallCounter } from "./call-counter";
import { LIMITER_SECONDS } from "./rate-limit";

type AddressLimit = { calls: number; refused: number };

const calls = createCallCounter();
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
  if (limit.calls > 0 && calls.add(address, now) > limit.calls)
    throw refuse(`An address may make ${limit.calls} calls a minute`, calls.secondsLeft(now));
  const limiter = c.env.ADDRESS_LIMITER;
  if (limiter !== undefined && !(await limiter.limit({ key: address })).success)
    throw refuse("This address makes too many calls", LIMITER_SECONDS);
}

/** Limits how often an address may do something that is stored although it needs no key. */
export function limitAnonymous(c: AppContext, what: string, limit: number, now: number): void {
  if (calls.add(`${what} ${readAddress(c) ?? "unknown"}`, now) <= limit) return;
  throw refuse(`An address may do this ${limit} times a minute`, calls.secondsLeft(now));
}

/** Counts a call that authentication refused. */
export function countRefusal(c: AppContext, { refused }: AddressLimit, now: number): void {
  const address = readAddress(c);
  if (address !== null && refused > 0) refusals.add(address, now);
}

function refuse(reason: string, retryAfterSeconds: number) {
  return failure("rate_limited", `${reason}. Wait ${retryAfterSeconds} s.`, { retryAfterSeconds });
}
