// AccessLog: the latest accesses of a session, as the source of frequency and recency.

/** Accesses that a session retains: enough for frequency and recency, few enough to load whole. */
export const MAX_ACCESSES = 1_000;

export type LoggedAccess = { key: string; at: number };

export function recordAccesses(
  log: readonly LoggedAccess[],
  entries: readonly LoggedAccess[],
): LoggedAccess[] {
  return [...log, ...entries].slice(-MAX_ACCESSES);
}

type AccessStats = { count: number; last: number | null };

/** Logs are immutable, so each is counted once for all keys. */
const statsCache = new WeakMap<readonly LoggedAccess[], Map<string, AccessStats>>();

/** Returns the number of accesses and the latest time, which need not be the last entry: clocks can run backwards. */
export function getAccessStats(log: readonly LoggedAccess[], key: string): AccessStats {
  const known = statsCache.get(log);
  if (known !== undefined) return known.get(key) ?? { count: 0, last: null };
  const stats = new Map<string, AccessStats>();
  for (const access of log) {
    const { count, last } = stats.get(access.key) ?? { count: 0, last: null };
    stats.set(access.key, { count: count + 1, last: Math.max(last ?? access.at, access.at) });
  }
  statsCache.set(log, stats);
  return getAccessStats(log, key);
}
