// The way from a session's object to the long-term store. An entry is stored in the object before anything is
// sent; D1 applies it once, however often it is sent; then it leaves, together with its effects here.

import type { PromotionCandidate } from "../domain/promotion/promotion-engine";
import { LIMITS, PROMOTION } from "../limits";
import { FailureError } from "../platform/errors";
import type { Telemetry } from "../platform/telemetry";
import type { NewMemory } from "../schemas/memory";
import { COMMIT_BATCH_SIZE } from "../store/memories/commit-memories";
import type { WriteResult } from "../store/memories/commit-plan";
import type { Repositories } from "../store/repositories";
import { CONTEXT_BEFORE } from "../store/sessions/message-repository";
import { type SessionRecord, toRegistry } from "./session-record";
import type { SessionStorage } from "./session-storage";

export type MemoryEntry = {
  kind: "memory";
  memory: NewMemory;
  /** Where it comes from, so that exactly that leaves short-term memory once it is written. */
  origin: PromotionCandidate["origin"] | { kind: "remember" };
  /** Memories whose place it takes. */
  supersedes?: string[];
};

/**
 * A session entry carries no state: whatever the record says when it is sent is what the registry learns. Neither
 * does a messages entry: whatever was said since the last one is sent.
 */
export type OutboxEntry = MemoryEntry | { kind: "session" } | { kind: "messages" };

export const SESSION_OP = "session";
export const MESSAGES_OP = "messages";

export type Applied = { op: string; entry: MemoryEntry; result: WriteResult };

export type OutboxOptions = {
  storage: SessionStorage;
  store: Repositories;
  telemetry: Telemetry;
  /** Runs inside the transaction in which the entries leave. */
  onApplied: (applied: readonly Applied[]) => void;
  /** Something new is in the long-term store. */
  onSent: () => void;
};

export class Outbox {
  readonly #options: OutboxOptions;
  #running: Promise<void> | null = null;
  readonly #awaited = new Map<string, WriteResult | null>();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Stores an entry, inside the session's transaction. Its result is kept until `settle` asks for it. */
  enqueue(op: string, entry: MemoryEntry): void {
    this.#options.storage.enqueue(op, entry);
    this.#awaited.set(op, null);
  }

  /** Sends these entries, with all that wait before them, and gives their results; null where another took it. */
  async settle(ops: readonly string[]): Promise<(WriteResult | null)[]> {
    const { storage } = this.#options;
    try {
      // A drain under way may have looked before these entries were stored: then another one is needed.
      while (ops.some((op) => storage.hasEntry(op))) {
        for (const op of ops) if (!this.#awaited.has(op)) this.#awaited.set(op, null);
        await this.drain();
      }
      return ops.map((op) => this.#awaited.get(op) ?? null);
    } finally {
      for (const op of ops) this.#awaited.delete(op);
    }
  }

  /** Sends everything that waits. Only one drain runs at a time; entries that arrive meanwhile share its batches. */
  drain(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves when no drain is under way, however it ended. */
  async idle(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { storage, telemetry } = this.#options;
    for (;;) {
      const record = storage.read()?.record;
      if (record === undefined || record.erasing !== null) throw gone();
      const batch = storage.outbox(COMMIT_BATCH_SIZE);
      if (batch.length === 0) return;
      try {
        await this.#send(record, batch);
      } catch (error) {
        const current = storage.read()?.record;
        if (current === undefined || current.erasing !== null) throw gone();
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

  async #send(record: SessionRecord, batch: { op: string; entry: OutboxEntry }[]): Promise<void> {
    const { storage, store, onApplied, onSent } = this.#options;
    const tellsRegistry = batch.some(({ entry }) => entry.kind === "session");
    if (tellsRegistry) await store.sessions.register(toRegistry(record));
    const saysMore = batch.some(({ entry }) => entry.kind === "messages");
    const said = saysMore ? await this.#sendMessages(record) : record.messages_sent;
    const memories = batch.flatMap(({ op, entry }) => (entry.kind === "memory" ? [{ op, entry }] : []));
    const results = await store.memories.commit(
      memories.map(({ op, entry: { memory, supersedes = [] } }) => ({
        op: opInLife(record, op),
        fingerprint: "",
        memory,
        supersedes,
      })),
    );
    const byOp = new Map(results.map((result) => [result.op, result]));

    const current = storage.read()?.record;
    if (current === undefined || current.erasing !== null) throw gone();
    storage.write(() => {
      if (current.attempts > 0 || said !== current.messages_sent)
        storage.saveRecord({ ...current, attempts: 0, messages_sent: said });
      if (saysMore && said === storage.messages.last()) storage.dequeue(MESSAGES_OP);
      // A change made while this was sent still has to be told.
      if (tellsRegistry && current.version === record.version) storage.dequeue(SESSION_OP);
      const applied = memories.flatMap(({ op, entry }) => {
        const result = byOp.get(opInLife(record, op));
        return result === undefined ? [] : [{ op, entry, result }];
      });
      for (const { op } of applied) storage.dequeue(op);
      onApplied(applied);
    });
    for (const { op } of memories) {
      const result = byOp.get(opInLife(record, op));
      if (result !== undefined && this.#awaited.has(op)) this.#awaited.set(op, result);
    }
    if (saysMore || memories.length > 0) onSent();
  }

  /** Sends the next messages, after those that were sent before. Gives the last one's sequence number. */
  async #sendMessages(record: SessionRecord): Promise<number> {
    const { storage, store } = this.#options;
    const from = record.messages_sent + 1;
    const messages = storage.messages
      .read({ from: from - CONTEXT_BEFORE, to: record.messages_sent + LIMITS.messagesPerBatch })
      .map((message) => ({ ...message, position: message.seq }));
    const { id: session_id, agent_id, project_id } = record;
    await store.messages.write({ session_id, agent_id, project_id }, messages, from);
    return Math.max(record.messages_sent, ...messages.map(({ position }) => position));
  }
}

/** D1 remembers operations for longer than an erased session: one begun anew under its id has its own. */
function opInLife({ created_at }: SessionRecord, op: string): string {
  return `${op}@${created_at}`;
}

function gone(): FailureError {
  return new FailureError({ code: "not_found", detail: "The session is being erased." });
}

/** When to try again after so many failures: doubling, within bounds. */
export function retryDelay(attempts: number): number {
  return Math.min(PROMOTION.retryLastMs, PROMOTION.retryFirstMs * 2 ** Math.max(0, attempts - 1));
}
