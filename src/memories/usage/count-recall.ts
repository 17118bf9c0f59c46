// Counts the uses of memories and episodes, after the response has been sent.

import type { Services } from "../../services/services";
import type { Use } from "./apply-use";

/**
 * Counts one recall of each memory, and that the session was in use. A key without the scope `write` changes nothing, so
 * its recalls are not counted.
 */
export function countRecall(
  services: Services,
  ids: readonly string[],
  sessionId: string | null = null,
): void {
  if (!services.canWrite || ids.length === 0) return;
  const { tenant, session, later } = services;
  countUse(services, { memories: ids, episodes: [], raises: "hourly" });
  if (sessionId !== null) later(session(sessionId).recordActivity({ tenant, id: sessionId }));
}

/** Counts one use of each record. */
export function countUse(
  { canWrite, usageLog, tenant, later, now }: Services,
  { at = new Date(now()).toISOString(), ...used }: Omit<Use, "at"> & { at?: string | undefined },
): void {
  if (canWrite && used.memories.length + used.episodes.length > 0)
    later(usageLog.record(tenant, { at, ...used }));
}
