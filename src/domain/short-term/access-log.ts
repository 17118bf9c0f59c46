// AccessLog: the last accesses of a session, from which frequency and recency are read.
import { LIMITS } from "../../limits";

export type Access = { key: string; at: number };

export function record(log: readonly Access[], entries: readonly Access[]): Access[] {
  return [...log, ...entries].slice(-LIMITS.accessLog);
}

export type Stats = { count: number; last: number | null };

/** Logs are values that never change: each is counted once, however many keys are asked for. */
const counted = new WeakMap<readonly Access[], Map<string, Stats>>();

/** How often and when last; the latest time counts, since clocks do not always run forward. */
export function statsOf(log: readonly Access[], key: string): Stats {
  const known = counted.get(log);
  if (known !== undefined) return known.get(key) ?? { count: 0, last: null };
  const stats = new Map<string, Stats>();
  for (const access of log) {
    const { count, last } = stats.get(access.key) ?? { count: 0, last: null };
    stats.set(access.key, { count: count + 1, last: Math.max(last ?? access.at, access.at) });
  }
  counted.set(log, stats);
  return statsOf(log, key);
}
