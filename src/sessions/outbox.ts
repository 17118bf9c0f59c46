// The outbox from a session's object to the long-term store. Entries are stored in the object before they are sent; D1
// applies each operation once however often it is sent; then the entry leaves in one transaction with its effects.

import { WRITES_PER_BATCH } from "../kernel/databases/d1";
import { FailureError, type Result } from "../kernel/errors";
import type { Telemetry } from "../kernel/telemetry";
import { MINUTE_MS, SECOND_MS } from "../kernel/time";
import type { WrittenMemory } from "../memories/store/commit-plan";
import { MESSAGE_EVIDENCE } from "../memories/store/memory-entry";
import type { Repositories } from "../services/repositories";
import type { Masked } from "../trust/privacy/privacy-gate";
import { CONTEXT_BEFORE } from "./message-repository";
import { type SessionRecord, toRegistryRecord } from "./session-record";
import type { OutboxEntry, SessionStorage, ShortTermMemory } from "./session-storage";
import { countUnsent } from "./short-term/message-progress";

/** The number of messages in one write to the long-term store. */
export const MESSAGE_BATCH_SIZE = 100;

/** The delay before a failed send is retried: exponential back-off from the first to the last. */
const FIRST_RETRY_MS = 2 * SECOND_MS;
export const LAST_OUTBOX_RETRY_MS = 5 * MINUTE_MS;

type QueuedEntry = { op: string; entry: Masked<OutboxEntry> };

/** An entry that D1 has answered, written or rejected. */
export type AppliedEntry = QueuedEntry & { result: Result<WrittenMemory> };

type OutboxOptions = {
  storage: SessionStorage;
  store: Repositories;
  telemetry: Telemetry;
  /** Returns the newest state of the long-term store that is known. */
  readBookmark: () => string | null;
  /** Runs inside the transaction that deletes the entries. */
  onApplied: (applied: readonly AppliedEntry[]) => void;
  /** Called after messages or memories have been written to the long-term store. */
  onSent: () => void;
};

export class Outbox {
  readonly #options: OutboxOptions;
  #draining: Promise<void> | null = null;
  /** Whether the drain in flight sends messages although no entry needs them. */
  #sendsMessages = false;
  readonly #awaited = new Map<string, Result<WrittenMemory> | null>();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Inside a transaction: stores an entry. Its result is retained until `settle` collects it. */
  enqueue(op: string, entry: Masked<OutboxEntry>): void {
    this.#options.storage.enqueue(op, entry);
    this.#awaited.set(op, null);
  }

  /** Sends these entries and all before them. Returns their results; null where a concurrent call collected it. */
  async settle(ops: readonly string[]): Promise<(Result<WrittenMemory> | null)[]> {
    const { storage } = this.#options;
    try {
      // A drain in flight may have read the outbox before these entries were stored.
      while (ops.some((op) => storage.hasOutboxEntry(op))) {
        for (const op of ops) if (!this.#awaited.has(op)) this.#awaited.set(op, null);
        await this.drain();
      }
      return ops.map((op) => this.#awaited.get(op) ?? null);
    } finally {
      for (const op of ops) this.#awaited.delete(op);
    }
  }

  /**
   * Sends every entry, the record if the registry lacks it and, on request, the messages. One drain runs at a time, and
   * entries that are added meanwhile join its batches.
   */
  drain({ messages = false }: { messages?: boolean } = {}): Promise<void> {
    this.#sendsMessages ||= messages;
    this.#draining ??= this.#sendAll().finally(() => {
      this.#draining = null;
      this.#sendsMessages = false;
    });
    return this.#draining;
  }

  /** Resolves when no drain is in flight, whether it succeeded or failed. */
  async idle(): Promise<void> {
    await this.#draining?.catch(() => undefined);
  }

  async #sendAll(): Promise<void> {
    const { storage, telemetry } = this.#options;
    for (;;) {
      const memory = this.#requireSession();
      const { record } = memory;
      const batch = storage.listOutbox(WRITES_PER_BATCH);
      // A memory is indexed with the message that it rests on, so the message goes first.
      const hasMessages = countUnsent(memory) > 0 && (this.#sendsMessages || batch.some(restsOnMessage));
      if (batch.length === 0 && !record.unregistered && !hasMessages) return;
      try {
        await this.#send(record, batch, hasMessages);
      } catch (error) {
        const current = this.#requireSession().record;
        storage.write(() => storage.saveRecord({ ...current, attempts: current.attempts + 1 }));
        telemetry({
          event: "promotion.failed",
          tenant: record.tenant,
          session_id: record.id,
          duration_ms: 0,
          attempts: current.attempts + 1,
          waiting: batch.length,
        });
        throw error;
      }
    }
  }

  async #send(record: SessionRecord, batch: readonly QueuedEntry[], hasMessages: boolean): Promise<void> {
    const { storage, store, readBookmark, onApplied, onSent } = this.#options;
    const { unregistered } = record;
    const reported_bytes = unregistered ? storage.measure() : record.reported_bytes;
    if (unregistered) await store.sessions.register({ ...toRegistryRecord(record), bytes: reported_bytes });
    const messages_sent = hasMessages ? await this.#sendMessages(record) : record.messages_sent;
    const results = await store.memories.commitMasked(
      // The session stores the answers of idempotency keys itself: the fingerprint stays here.
      batch.map(({ op, entry: { kind: _kind, origin, fingerprint: _fingerprint, ...write } }) => ({
        ...write,
        op: toStoreOp(record, op),
        isPromoted: origin.kind !== "remember",
      })),
    );
    const applied = batch.flatMap(({ op, entry }, i) => {
      const result = results[i];
      return result === undefined ? [] : [{ op, entry, result }];
    });

    const current = this.#requireSession().record;
    // A change of the record during the send must still reach the registry.
    const isRegistered = unregistered && current.version === record.version;
    storage.write(() => {
      storage.saveRecord({
        ...current,
        attempts: 0,
        messages_sent,
        reported_bytes,
        unregistered: current.unregistered && !isRegistered,
        bookmark: readBookmark() ?? current.bookmark,
      });
      storage.dequeue(applied.map(({ op }) => op));
      onApplied(applied);
    });
    for (const { op, result } of applied) if (this.#awaited.has(op)) this.#awaited.set(op, result);
    if (hasMessages || batch.length > 0) onSent();
  }

  /** Sends the next messages after the last one sent. Returns the sequence number of the last one. */
  async #sendMessages(record: SessionRecord): Promise<number> {
    const { storage, store } = this.#options;
    const from = record.messages_sent + 1;
    const next = storage.messages.read({ from, limit: MESSAGE_BATCH_SIZE });
    const before = storage.messages.read({ from: from - CONTEXT_BEFORE, to: record.messages_sent });
    const messages = [...before, ...next].map((message) => ({ ...message, position: message.seq }));
    const { id: session_id, user_id, agent_id, project_id } = record;
    await store.messages.write({ session_id, user_id, agent_id, project_id }, messages, from);
    return Math.max(record.messages_sent, ...messages.map(({ position }) => position));
  }

  #requireSession(): ShortTermMemory {
    const memory = this.#options.storage.read();
    if (memory === null || memory.record.erasing !== null)
      throw new FailureError({ code: "not_found", detail: "The session is being erased." });
    return memory;
  }
}

function restsOnMessage({ entry: { memory } }: QueuedEntry): boolean {
  return memory.evidence.some((named) => named.startsWith(MESSAGE_EVIDENCE));
}

/** Makes an operation unique to this session: D1 remembers those of an erased session that had the same id. */
function toStoreOp({ created_at }: SessionRecord, op: string): string {
  return `${op}@${created_at}`;
}

/** Returns the delay before the next attempt, doubling with each failure. */
export function computeRetryDelay(attempts: number): number {
  return Math.min(LAST_OUTBOX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, attempts - 1));
}
