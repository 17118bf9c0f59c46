// Memories that say the same become one. None is deleted: the others are superseded by the one that stays.

import { getMemoryStatus } from "../../domain/memory-status";
import { type Database, retryConflicts, runBatch } from "../../platform/d1";
import { identityOf } from "./memory-id";
import { findMemories } from "./memory-queries";
import { supersedeMemories } from "./memory-statements";
import { addUses, changeStatements, standsAs } from "./update-memory";

export type Merge = { keep: string; others: readonly string[]; at: string };

/** What the others rest on and how often they were of use goes to the one that stays. Gives those that gave way. */
export function mergeMemories(db: Database, tenant: string, { keep, others, at }: Merge): Promise<string[]> {
  return retryConflicts(async () => {
    const found = await findMemories(db, tenant, [keep, ...others]);
    const before = found.find(({ id }) => id === keep);
    const gone = found.filter((memory) => memory.id !== keep && getMemoryStatus(memory) === "live");
    if (before === undefined || getMemoryStatus(before) !== "live" || gone.length === 0) return [];
    const evidence = [...new Set([before, ...gone].flatMap((memory) => memory.evidence))];
    const after = { ...before, evidence };
    await runBatch(db, [
      ...standsAs(tenant, [before, ...gone]),
      ...changeStatements(tenant, { before, after, identity: await identityOf(tenant, after) }),
      ...gone
        .filter(({ access_count }) => access_count > 0)
        .flatMap(({ access_count: uses, last_accessed: last }) => addUses(tenant, keep, { uses, last })),
      ...supersedeMemories(
        tenant,
        gone.map(({ id }) => ({ id: keep, old: id, valid_from: at })),
      ),
    ]);
    return gone.map(({ id }) => id);
  });
}
