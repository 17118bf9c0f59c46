// The handle on a tenant's indexer for the code that writes to the store and searches it.
import { describeDefect } from "../../kernel/errors";
import { SECOND_MS } from "../../kernel/time";
import type { VectorServices } from "../vectors/semantic-services";

// Until when the next run of each tenant's indexer cannot have begun, as far as this isolate knows. A write that commits
// before that time is read by the run, so that waking the indexer again would only cost a request. Also whether the tenant
// is writing in this isolate, so that the indexer can wait until it pauses.

/** Tenants with a window. The oldest are forgotten, which costs a request and nothing else. */
const MAX_WINDOWS = 1_000;

/** As many writes since the last run are a burst. Fewer texts are embedded in a moment. */
export const BURST_WRITES = 8;
/** A burst ends when no write follows for this long. */
export const PAUSE_MS = 200;
/** The longest that indexing waits for a burst to end. */
export const MAX_BURST_MS = 5 * SECOND_MS;

/**
 * `until` is when the next run may begin, `ranAt` when the last one of this isolate began, `writes` the number of writes
 * since then, and `wroteAt` the time of the last one.
 */
type WakeWindow = { until: number; ranAt: number; writes: number; wroteAt: number };

const NO_WINDOW: WakeWindow = { until: 0, ranAt: 0, writes: 0, wroteAt: 0 };
const windows = new Map<string, WakeWindow>();

/** Records that the next run begins no earlier than `ms` after `sentAt`, when the indexer was asked. */
export function beginWakeWindow(tenant: string, sentAt: number, ms: number): void {
  const window = getWindow(tenant);
  // A run that began meanwhile may have read the backlog before later writes.
  if (window.ranAt < sentAt) setWindow(tenant, { ...window, until: sentAt + ms });
}

export function isInWakeWindow(tenant: string, now: number): boolean {
  return now < getWindow(tenant).until;
}

/** Counts a write that the next run indexes. */
export function noteWrite(tenant: string, now: number): void {
  const window = getWindow(tenant);
  setWindow(tenant, { ...window, writes: window.writes + 1, wroteAt: now });
}

/**
 * Waits while the tenant writes in this isolate: embedding would take the CPU time of the writes. The window lasts as long,
 * because the run begins afterwards. Of writes in other isolates, which have a CPU of their own, it knows nothing.
 */
export async function waitForPause(
  tenant: string,
  wait: (ms: number) => Promise<unknown> = (ms) => scheduler.wait(ms),
): Promise<void> {
  const end = Date.now() + MAX_BURST_MS;
  for (let now = Date.now(); now < end && isInBurst(getWindow(tenant), now); now = Date.now()) {
    setWindow(tenant, { ...getWindow(tenant), until: now + PAUSE_MS });
    await wait(PAUSE_MS);
  }
}

function isInBurst({ writes, wroteAt }: WakeWindow, now: number): boolean {
  return writes >= BURST_WRITES && now - wroteAt < PAUSE_MS;
}

/** Ends the window when a run begins in this isolate. */
export function endWakeWindow(tenant: string, now: number): void {
  setWindow(tenant, { ...NO_WINDOW, ranAt: now });
}

function getWindow(tenant: string): WakeWindow {
  return windows.get(tenant) ?? NO_WINDOW;
}

function setWindow(tenant: string, window: WakeWindow): void {
  windows.delete(tenant);
  windows.set(tenant, window);
  for (const oldest of windows.keys()) {
    if (windows.size <= MAX_WINDOWS) break;
    windows.delete(oldest);
  }
}

export type Indexing = ReturnType<typeof createIndexing>;

export function createIndexing(tenant: string, { semantic, indexer }: VectorServices) {
  const logError = (error: unknown) =>
    console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
  return {
    /**
     * Schedules an indexing run, unless one is scheduled that begins after this call. A failure is only logged: the
     * backlog is in D1, and the cron wakes the indexer again.
     */
    async wake(): Promise<void> {
      if (semantic === null) return;
      const now = Date.now();
      noteWrite(tenant, now);
      if (isInWakeWindow(tenant, now)) return;
      try {
        beginWakeWindow(tenant, now, await indexer.wake(tenant));
      } catch (error) {
        logError(error);
      }
    },

    /** Waits until the indexer has processed the backlog. */
    async drain(): Promise<void> {
      await indexer.drain(tenant);
    },

    /** Does the same, and returns false instead of throwing when the indexer fails. */
    tryDrain: (): Promise<boolean> =>
      indexer.drain(tenant).then(
        () => true,
        (error: unknown) => {
          logError(error);
          return false;
        },
      ),
  };
}
