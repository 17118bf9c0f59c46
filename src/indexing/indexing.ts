// The handle on a tenant's indexer for the code that writes to the store and searches it.
import { describeDefect } from "../platform/errors";
import type { VectorServices } from "../vectors/semantic-services";

export type Indexing = ReturnType<typeof createIndexing>;

export function createIndexing(tenant: string, { semantic, indexer }: VectorServices) {
  const logError = (error: unknown) =>
    console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
  return {
    /** Schedules an indexing run. A failure is only logged: the backlog is in D1, and the cron wakes the indexer again. */
    async wake(): Promise<void> {
      if (semantic === null) return;
      await indexer.wake(tenant).catch(logError);
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
