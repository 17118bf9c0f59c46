// The handle on a tenant's indexer for the code that writes to the store and searches it.
import { describeDefect } from "../../kernel/errors";
import type { VectorServices } from "../vectors/semantic-services";
import { beginWakeWindow, isInWakeWindow, noteWrite } from "./wake-window";

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
