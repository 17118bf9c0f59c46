// Counts calls per minute in this isolate, by any name.
import { MINUTE_MS } from "../platform/time";

/** Names that are counted at a time: more than an isolate serves in a minute. */
const MAX_NAMES = 100_000;

export type CallCounter = ReturnType<typeof createCallCounter>;

export function createCallCounter() {
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
