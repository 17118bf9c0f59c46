// Candidates that wait for promotion. Runs inside the session's transaction.
import { unwrap } from "../errors";
import { LIMITS } from "../limits";
import { importance } from "../promotion/importance";
import type { PendingItem } from "../schemas/session";
import { admit } from "../short-term/pending-memories";
import type { SessionStorage, ShortTerm } from "./storage";

export type Offer = Omit<PendingItem, "id" | "created_at" | "access_count" | "importance_score"> & {
  importance_score?: number | undefined;
};

/** Adds a candidate; the lowest implicit one leaves when there are too many. */
export function offerPending(
  storage: SessionStorage,
  memory: ShortTerm,
  offer: Offer,
  now: number,
): PendingItem {
  const item: PendingItem = {
    ...offer,
    id: crypto.randomUUID(),
    importance_score:
      offer.importance_score ??
      importance(
        { lastAccessed: now, accessCount: 1, confidence: offer.confidence, type: offer.memory_type },
        now,
        memory.record.promotion.weights,
      ),
    created_at: new Date(now).toISOString(),
    access_count: 1,
  };
  const { items, stored, dropped } = unwrap(admit(memory.pending, item));
  storage.savePending(items, dropped.some(({ id }) => id === stored.id) ? [] : [stored], dropped);
  return stored;
}

/** Whether a list has no more room: then promotion runs at once. */
export function isFull(pending: readonly PendingItem[]): boolean {
  const agent = pending.filter(({ suggested_by }) => suggested_by === "agent").length;
  return agent >= LIMITS.pendingAgent || pending.length - agent >= LIMITS.pendingImplicit;
}
