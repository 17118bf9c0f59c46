// AccessLog: the last accesses of a session, from which frequency and recency are read.
import { LIMITS } from "../limits";

export type Access = { key: string; at: number };

export function record(log: readonly Access[], entries: readonly Access[]): Access[] {
  return [...log, ...entries].slice(-LIMITS.accessLog);
}

/** How often and when last; the latest time counts, since clocks do not always run forward. */
export function statsOf(log: readonly Access[], key: string): { count: number; last: number | null } {
  let count = 0;
  let last: number | null = null;
  for (const access of log) {
    if (access.key !== key) continue;
    count += 1;
    last = last === null ? access.at : Math.max(last, access.at);
  }
  return { count, last };
}
