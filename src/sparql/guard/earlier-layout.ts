// Refuses queries while triples are still in the table of the earlier layout, which compiled statements do not read.
import type { Database } from "../../platform/d1";
import { failure } from "../../platform/errors";
import { hasEarlierTriples } from "../../store/triples/move-triples";

/** The sweep that moves triples runs every minute. */
const RETRY_SECONDS = 60;

/** Throws `unavailable` if triples are being moved. */
export async function requireMovedTriples(db: Database): Promise<void> {
  if (await hasEarlierTriples(db))
    throw failure(
      "unavailable",
      "The triples of an earlier version are being moved to the layout that queries read. Try again later.",
      { retryAfterSeconds: RETRY_SECONDS },
    );
}
