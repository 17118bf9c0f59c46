// Candidates that wait for promotion. Runs inside the session's transaction.

import { unwrap } from "../../kernel/errors";
import { LIMITS } from "../../kernel/limits";
import { computeImportanceParts, sumImportance } from "../promotion/importance-scorer";
import type { PendingItem } from "../session-schemas";
import type { SessionStorage, ShortTermMemory } from "../session-storage";
import { admitAll } from "./pending-memories";

/** A candidate without the fields that are set when it is stored. */
export type NewPendingItem = Omit<
  PendingItem,
  "id" | "created_at" | "access_count" | "importance_score" | "topic_key"
> & {
  importance_score?: number | undefined;
  topic_key?: string;
};

/** Stores candidates and returns them as stored; beyond the limit the least important implicit ones are evicted. */
export function addPendingItems(
  storage: SessionStorage,
  memory: ShortTermMemory,
  candidates: readonly NewPendingItem[],
  now: number,
): PendingItem[] {
  if (candidates.length === 0) return [];
  const { items, stored, dropped } = unwrap(
    admitAll(
      memory.pending,
      candidates.map((candidate) => toPendingItem(memory, candidate, now)),
      storage.ranks,
    ),
  );
  const retained = new Set(items);
  storage.savePending(
    items,
    [...new Set(stored)].filter((item) => retained.has(item)),
    dropped,
  );
  return stored;
}

function toPendingItem({ record }: ShortTermMemory, candidate: NewPendingItem, now: number): PendingItem {
  const { confidence, memory_type } = candidate;
  const fresh = { lastAccessed: now, accessCount: 1, confidence, type: memory_type };
  const parts = computeImportanceParts(fresh, now, record.promotion.weights);
  return {
    ...candidate,
    id: crypto.randomUUID(),
    ...(candidate.importance_score === undefined
      ? { importance_score: sumImportance(parts), importance_parts: parts }
      : { importance_score: candidate.importance_score }),
    topic_key: candidate.topic_key ?? null,
    created_at: new Date(now).toISOString(),
    access_count: 1,
  };
}

/** Returns whether one of the two lists is full, in which case promotion runs at once. */
export function isFull(pending: readonly PendingItem[]): boolean {
  const agent = pending.filter(({ suggested_by }) => suggested_by === "agent").length;
  return agent >= LIMITS.pendingAgent || pending.length - agent >= LIMITS.pendingImplicit;
}
