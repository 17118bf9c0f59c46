// Counts the uses of memories and episodes, after the response has been sent.

import type { Episode } from "../../experience/episodes/episode-schemas";
import { logDefect } from "../../kernel/errors";
import type { Services } from "../../services/services";
import type { Memory } from "../memory-schemas";
import { applyUse, groupUses, type RecordUse, type UsageTotals, type Use } from "./apply-use";

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

// Adds the uses that are not in the counts of D1 yet to what callers are shown. The tenant's usage object is asked while
// D1 is read.

type UsageServices = Pick<Services, "usageLog">;

/** Returns memories as they are read, with their usage up to now. */
export async function withPendingUsage<T extends Memory>(
  services: UsageServices,
  read: Promise<readonly T[]>,
): Promise<T[]> {
  const [memories, uses] = await Promise.all([read, listPendingUses(services)]);
  const pending = groupUses(uses, "memory");
  return memories.map((memory) => {
    const { access_count, last_accessed } = memory;
    const own = pending.get(memory.id);
    if (own === undefined) return memory;
    const { count, last, importance } = applyUses(
      { ...memory, count: access_count, last: last_accessed },
      own,
    );
    return { ...memory, access_count: count, last_accessed: last ?? last_accessed, importance };
  });
}

/** As `withPendingUsage`, for one memory; null stays null. */
export async function findWithPendingUsage(
  services: UsageServices,
  read: Promise<Memory | null>,
): Promise<Memory | null> {
  const memories = read.then((memory) => (memory === null ? [] : [memory]));
  return (await withPendingUsage(services, memories))[0] ?? null;
}

/** Returns episodes as they are read, with their usage up to now. */
export async function withPendingEpisodeUsage(
  services: UsageServices,
  read: Promise<readonly Episode[]>,
): Promise<Episode[]> {
  const [episodes, uses] = await Promise.all([read, listPendingUses(services)]);
  const pending = groupUses(uses, "episode");
  return episodes.map((episode) => {
    const { usage_count, last_used } = episode;
    const own = pending.get(episode.id);
    if (own === undefined) return episode;
    const { count, last, importance } = applyUses({ ...episode, count: usage_count, last: last_used }, own);
    return { ...episode, usage_count: count, last_used: last, importance };
  });
}

function applyUses(usage: UsageTotals, uses: readonly RecordUse[]): UsageTotals {
  return uses.reduce<UsageTotals>(applyUse, usage);
}

/** Without the object, what was flushed is shown: a memory is not unreadable because its uses are. */
export async function listPendingUses({ usageLog }: UsageServices): Promise<Use[]> {
  try {
    return await usageLog.listPending();
  } catch (error) {
    logDefect("usage.error", error);
    return [];
  }
}
