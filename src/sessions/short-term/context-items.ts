// The working context of a session: writes, reads that count as accesses, and eviction of the least important items
// beyond the token budget.

import { type FailureError, failure, fieldFailure } from "../../kernel/errors";
import { CONTEXT_SOURCE_TYPES } from "../../trust/source-rank";
import { computeItemImportance } from "../promotion/promotion-engine";
import type { SessionCore } from "../session-core";
import type { SessionRef } from "../session-record";
import type { ContextItem, ContextPut } from "../session-schemas";
import type { SessionStorage, ShortTermMemory } from "../session-storage";
import { recordAccesses } from "./access-log";
import { addPendingItems } from "./pending-items";
import {
  fingerprintValue,
  outranksInContext,
  putItem,
  renderContextItem,
  type StoredItem,
  selectItemsToEvict,
  toContextTopic,
  touchItem,
  WELL_KNOWN_KEYS,
} from "./working-context";

/** The calls on a session's working context. */
export class ContextItems {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  put(ref: SessionRef, key: string, put: ContextPut): Promise<ContextItem> {
    return this.#core.mutate(ref, null, (memory, now) =>
      putContextItem(this.#core.storage, memory, key, put, now),
    );
  }

  /** Returns an item. The read counts as an access unless the caller peeks. */
  async get(ref: SessionRef, key: string, { peek }: { peek: boolean }): Promise<ContextItem> {
    const { storage } = this.#core;
    const memory = this.#core.require(ref);
    const item = memory.context.get(key);
    const now = this.#core.now();
    if (!peek)
      storage.write(() => {
        storage.saveRecord({ ...memory.record, updated_at: this.#core.isoNow });
        if (item === undefined) return;
        storage.saveContext(touchItem(item, now));
        logAccess(storage, memory, toContextTopic(key), now);
      });
    const read = memory.context.get(key);
    if (read === undefined) throw createNotFound(key);
    const view = toContextItem(memory, read, now);
    await this.#core.schedule();
    return view;
  }

  async list(ref: SessionRef): Promise<ContextItem[]> {
    const memory = this.#core.require(ref);
    return [...memory.context.values()].map((item) => toContextItem(memory, item, this.#core.now()));
  }

  delete(ref: SessionRef, key: string): Promise<null> {
    return this.#core.mutate(ref, null, (memory) => {
      if (!memory.context.has(key)) throw createNotFound(key);
      this.#core.storage.deleteContext(key);
      return null;
    });
  }
}

/** Inside a transaction: stores an item and evicts others if the budget is exceeded. */
export function putContextItem(
  storage: SessionStorage,
  memory: ShortTermMemory,
  key: string,
  put: ContextPut,
  now: number,
): ContextItem {
  const existing = memory.context.get(key);
  const known = existing !== undefined || (WELL_KNOWN_KEYS as readonly string[]).includes(key);
  if (!known && put.memory_type === undefined) {
    throw fieldFailure(
      "memory_type",
      `is needed for "${key}", which is not one of ${WELL_KNOWN_KEYS.join(", ")}`,
    );
  }
  const { ranks } = storage;
  const item = putItem(existing, { ...put, key }, { now, ranks });
  const { context: max } = memory.record.token_budget;
  if (item.tokens > max) {
    throw fieldFailure(
      "value",
      `takes ${item.tokens} tokens, the context budget is ${max}: shorten it or raise token_budget.context`,
    );
  }
  // A value of a lower rank takes the key, but not the place of the other in long-term memory.
  if (existing !== undefined && outranksInContext(ranks, existing.source, item.source))
    offerForPromotion(storage, memory, [existing], now);
  storage.saveContext(item);
  logAccess(storage, memory, toContextTopic(key), now);
  enforceContextBudget(storage, memory, key, now);
  return toContextItem(memory, item, now);
}

/** Inside a transaction: evicts the least important items; those that can still be promoted become candidates. */
export function enforceContextBudget(
  storage: SessionStorage,
  memory: ShortTermMemory,
  keep: string,
  now: number,
): void {
  const computeScore = (item: StoredItem) =>
    computeItemImportance(item, memory.log, now, memory.record.promotion.weights);
  const evicted = selectItemsToEvict(
    [...memory.context.values()],
    memory.record.token_budget.context,
    keep,
    computeScore,
  );
  for (const { key } of evicted) storage.deleteContext(key);
  offerForPromotion(storage, memory, evicted, now);
}

/** Inside a transaction: makes candidates of items that leave the context and can still be promoted. */
function offerForPromotion(
  storage: SessionStorage,
  memory: ShortTermMemory,
  items: readonly StoredItem[],
  now: number,
): void {
  const candidates = items.flatMap((item) =>
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
  addPendingItems(storage, memory, candidates, now);
}

function logAccess(storage: SessionStorage, memory: ShortTermMemory, key: string, now: number): void {
  const added = [{ key, at: now }];
  storage.appendAccesses(recordAccesses(memory.log, added), added);
}

function toContextItem(memory: ShortTermMemory, item: StoredItem, now: number): ContextItem {
  const { tokens: _tokens, promoted: _promoted, given_type: _given, ...shown } = item;
  return {
    ...shown,
    importance: computeItemImportance(item, memory.log, now, memory.record.promotion.weights),
  };
}

function createNotFound(key: string): FailureError {
  return failure("not_found", `Context key not found: ${key}`);
}
