// Candidates that wait for promotion. Runs inside the session's transaction.

import { computeImportance } from "../../domain/promotion/importance-scorer";
import { admitAll } from "../../domain/short-term/pending-memories";
import { LIMITS } from "../../limits";
import { unwrap } from "../../platform/errors";
import type { PendingItem } from "../../schemas/session";
import type { SessionStorage, ShortTermMemory } from "../session-storage";

export type Offer = Omit<
  PendingItem,
  "id" | "created_at" | "access_count" | "importance_score" | "topic_key"
> & {
  importance_score?: number | undefined;
  topic_key?: string;
};

/** Adds candidates, as they wait now; the lowest implicit ones leave when there are too many. */
export function offerPending(
  storage: SessionStorage,
  memory: ShortTermMemory,
  offers: readonly Offer[],
  now: number,
): PendingItem[] {
  if (offers.length === 0) return [];
  const { items, stored, dropped } = unwrap(
    admitAll(
      memory.pending,
      offers.map((offer) => toItem(memory, offer, now)),
    ),
  );
  const waiting = new Set(items);
  storage.savePending(
    items,
    [...new Set(stored)].filter((item) => waiting.has(item)),
    dropped,
  );
  return stored;
}

function toItem({ record }: ShortTermMemory, offer: Offer, now: number): PendingItem {
  const { confidence, memory_type } = offer;
  const fresh = { lastAccessed: now, accessCount: 1, confidence, type: memory_type };
  return {
    ...offer,
    id: crypto.randomUUID(),
    importance_score: offer.importance_score ?? computeImportance(fresh, now, record.promotion.weights),
    topic_key: offer.topic_key ?? null,
    created_at: new Date(now).toISOString(),
    access_count: 1,
  };
}

/** Whether a list has no more room: then promotion runs at once. */
export function isFull(pending: readonly PendingItem[]): boolean {
  const agent = pending.filter(({ suggested_by }) => suggested_by === "agent").length;
  return agent >= LIMITS.pendingAgent || pending.length - agent >= LIMITS.pendingImplicit;
}
