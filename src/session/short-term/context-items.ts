// The working context of a session: puts, reads that count, and the budget that the least important items
// leave for. Runs inside the session's transaction.

import { CONTEXT_SOURCE_TYPES, computeItemImportance } from "../../domain/promotion/promotion-engine";
import { recordAccesses } from "../../domain/short-term/access-log";
import {
  fingerprintValue,
  putItem,
  renderContextItem,
  type StoredItem,
  selectItemsToEvict,
  toContextTopic,
  touchItem,
  WELL_KNOWN_KEYS,
} from "../../domain/short-term/working-context";
import { FailureError, invalidField } from "../../platform/errors";
import type { ContextItem, ContextPut } from "../../schemas/session";
import type { SessionStorage, ShortTermMemory } from "../session-storage";
import { offerPending } from "./pending-items";

export function putContext(
  storage: SessionStorage,
  memory: ShortTermMemory,
  key: string,
  put: ContextPut,
  now: number,
): ContextItem {
  const existing = memory.context.get(key);
  const known = existing !== undefined || (WELL_KNOWN_KEYS as readonly string[]).includes(key);
  if (!known && put.memory_type === undefined) {
    throw new FailureError(
      invalidField("memory_type", `is needed for "${key}", which is not one of ${WELL_KNOWN_KEYS.join(", ")}`)
        .failure,
    );
  }
  const item = putItem(existing, { ...put, key }, now);
  const { context: max } = memory.record.token_budget;
  if (item.tokens > max) {
    throw new FailureError(
      invalidField(
        "value",
        `takes ${item.tokens} tokens, the context budget is ${max}: shorten it or raise token_budget.context`,
      ).failure,
    );
  }
  storage.saveContext(item);
  logAccess(storage, memory, toContextTopic(key), now);
  enforceContextBudget(storage, memory, key, now);
  return toItem(memory, item, now);
}

/** A read; it counts as an access unless the caller only peeks. */
export function readContext(
  storage: SessionStorage,
  memory: ShortTermMemory,
  key: string,
  { peek, now }: { peek: boolean; now: number },
): ContextItem | null {
  const item = memory.context.get(key);
  if (item === undefined) return null;
  if (peek) return toItem(memory, item, now);
  const touched = touchItem(item, now);
  storage.saveContext(touched);
  logAccess(storage, memory, toContextTopic(key), now);
  return toItem(memory, touched, now);
}

/** What does not fit leaves, the least important first; if it could still be promoted, it waits for that. */
export function enforceContextBudget(
  storage: SessionStorage,
  memory: ShortTermMemory,
  keep: string,
  now: number,
): void {
  const leaving = selectItemsToEvict(
    [...memory.context.values()],
    memory.record.token_budget.context,
    keep,
    (item) => computeItemImportance(item, memory.log, now, memory.record.promotion.weights),
  );
  for (const { key } of leaving) storage.dropContext(key);
  const offers = leaving.flatMap((item) =>
    item.suggested_type === null || item.promoted === fingerprintValue(item.value)
      ? []
      : [
          {
            content: renderContextItem(item),
            memory_type: item.suggested_type,
            confidence: item.confidence,
            source_type: CONTEXT_SOURCE_TYPES[item.source],
            evidence: [],
            rationale: null,
            suggested_by: "implicit" as const,
            importance_score: computeItemImportance(item, memory.log, now, memory.record.promotion.weights),
            topic_key: toContextTopic(item.key),
          },
        ],
  );
  offerPending(storage, memory, offers, now);
}

export function logAccess(storage: SessionStorage, memory: ShortTermMemory, key: string, now: number): void {
  const added = [{ key, at: now }];
  storage.appendAccesses(recordAccesses(memory.log, added), added);
}

export function toItem(memory: ShortTermMemory, item: StoredItem, now: number): ContextItem {
  const { tokens: _tokens, promoted: _promoted, ...shown } = item;
  return {
    ...shown,
    importance: computeItemImportance(item, memory.log, now, memory.record.promotion.weights),
  };
}
