// Counts the recall of memories, after the response has been sent.
import type { Services } from "../services";

/**
 * Counts one recall of each memory, and that the session was in use. A key without the scope `write` changes nothing, so
 * its recalls are not counted.
 */
export function countRecall(
  services: Services,
  ids: readonly string[],
  sessionId: string | null = null,
): void {
  if (services.canWrite && ids.length > 0) services.later(record(services, ids, sessionId));
}

async function record(
  { tenant, store, session }: Services,
  ids: readonly string[],
  sessionId: string | null,
): Promise<void> {
  await store.memories.recordRecall(ids);
  if (sessionId !== null) await session(sessionId).recordActivity({ tenant, id: sessionId });
}
