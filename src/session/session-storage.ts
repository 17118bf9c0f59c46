// What a session's object keeps, in its own SQLite, and the copy of it in memory. Every change goes through
// `write`: one transaction, and the copy is read anew when it fails.

import { type Access, MAX_ACCESSES } from "../domain/short-term/access-log";
import {
  addToBuffer,
  type ConversationBuffer,
  createBuffer,
  type Slot,
} from "../domain/short-term/conversation-buffer";
import type { StoredItem } from "../domain/short-term/working-context";
import { IDEMPOTENCY_MS } from "../limits";
import { isInitialised, migrate } from "../platform/object-migrations";
import type { PendingItem } from "../schemas/session";
import { DirectiveQueue } from "./cognition/directive-queue";
import { loadProjectors, type ProjectorState, readsOf, saveProjector } from "./cognition/projector-states";
import { SignalLog } from "./cognition/signals";
import { SpaceStorage } from "./cognition/space-storage";
import { type NewEntry, ThreadLog } from "./cognition/thread-log";
import type { OutboxEntry } from "./outbox";
import { LATER_FIELDS, type SessionRecord } from "./session-record";
import { SESSION_SCHEMA } from "./session-schema";
import { MessageTable } from "./short-term/message-table";

/** Short-term memory as the pure modules see it. Messages' texts stay on disk. */
export type ShortTermMemory = {
  record: SessionRecord;
  buffer: ConversationBuffer;
  context: Map<string, StoredItem>;
  pending: PendingItem[];
  log: readonly Access[];
  projectors: readonly ProjectorState[];
};

export type Replay = { fingerprint: string; response: string | null };

export class SessionStorage {
  readonly #storage: DurableObjectStorage;
  /** What is read from disk whenever it is needed. */
  readonly messages: MessageTable;
  readonly thread: ThreadLog;
  readonly spaces: SpaceStorage;
  readonly signals: SignalLog;
  readonly directives: DirectiveQueue;
  #ready: boolean;
  #copy: ShortTermMemory | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.messages = new MessageTable(storage.sql);
    this.thread = new ThreadLog(storage.sql, (seqs) => this.messages.told(seqs));
    this.spaces = new SpaceStorage(storage.sql);
    this.signals = new SignalLog(storage.sql);
    this.directives = new DirectiveQueue(storage.sql);
    this.#ready = isInitialised(storage);
    if (this.#ready) migrate(storage, SESSION_SCHEMA);
  }

  get #sql(): SqlStorage {
    return this.#storage.sql;
  }

  /** The session, or null when there is none under this id. */
  read(): ShortTermMemory | null {
    if (!this.#ready) return null;
    this.#copy ??= this.#load();
    return this.#copy;
  }

  /** Makes the tables of a session that is about to be written for the first time. */
  initialise(record: SessionRecord): ShortTermMemory {
    migrate(this.#storage, SESSION_SCHEMA);
    this.#ready = true;
    this.saveRecord(record);
    const loaded = this.#load();
    if (loaded === null) throw new Error("A session was stored and cannot be read");
    this.#copy = loaded;
    return loaded;
  }

  /** Runs work in one transaction. A throw undoes it, in storage and in memory. */
  write<T>(work: () => T): T {
    const initialised = this.#ready;
    try {
      return this.#storage.transactionSync(work);
    } catch (error) {
      this.#copy = null;
      this.#ready = initialised;
      throw error;
    }
  }

  /** Deletes the alarm, too, in one step: a crash in between would leave an erasure that no alarm carries on. */
  async eraseAll(): Promise<void> {
    await this.#storage.deleteAll();
    this.thread.forget();
    this.#copy = null;
    this.#ready = false;
  }

  #load(): ShortTermMemory | null {
    const row = this.#sql.exec<{ record: string }>("SELECT record FROM session").toArray()[0];
    if (row === undefined) return null;
    // A record of an earlier version lacks what came later.
    const record: SessionRecord = { ...LATER_FIELDS, ...(JSON.parse(row.record) as SessionRecord) };
    const slots = this.#sql
      .exec<Slot>(
        "SELECT seq, id, token_count AS tokens FROM messages WHERE seq >= ? ORDER BY seq",
        record.window_start,
      )
      .toArray();
    return {
      record,
      buffer: addToBuffer(createBuffer(record.token_budget.conversation), slots).buffer,
      context: new Map(this.#items<StoredItem>("context").map((item) => [item.key, item])),
      pending: this.#items<PendingItem>("pending"),
      log: this.#sql.exec<Access>("SELECT key, at FROM access_log ORDER BY seq").toArray(),
      projectors: loadProjectors(this.#sql, this.thread),
    };
  }

  #items<T>(table: "context" | "pending"): T[] {
    return this.#sql
      .exec<{ item: string }>(`SELECT item FROM ${table} ORDER BY rowid`)
      .toArray()
      .map(({ item }) => JSON.parse(item) as T);
  }

  saveRecord(record: SessionRecord): void {
    this.#sql.exec("INSERT OR REPLACE INTO session (id, record) VALUES (1, ?)", JSON.stringify(record));
    if (this.#copy !== null) this.#copy.record = record;
  }

  get sql(): SqlStorage {
    return this.#sql;
  }

  /** Inside a transaction: a new entry of the thread. Gives its number; null when the same thing was told before. */
  tell(entry: NewEntry): number | null {
    const seq = this.thread.append(entry);
    if (seq !== null && this.#copy !== null) {
      this.#copy.projectors = this.#copy.projectors.map((state) =>
        readsOf(state.name).includes(entry.kind) ? { ...state, fresh: state.fresh + 1 } : state,
      );
    }
    return seq;
  }

  saveProjector(changed: ProjectorState): void {
    saveProjector(this.#sql, changed);
    if (this.#copy === null) return;
    this.#copy.projectors = this.#copy.projectors.map((state) =>
      state.name === changed.name ? changed : state,
    );
  }

  saveContext(item: StoredItem): void {
    this.#sql.exec(
      "INSERT INTO context (key, item) VALUES (?, ?) ON CONFLICT DO UPDATE SET item = excluded.item",
      item.key,
      JSON.stringify(item),
    );
    this.#copy?.context.set(item.key, item);
  }

  dropContext(key: string): void {
    this.#sql.exec("DELETE FROM context WHERE key = ?", key);
    this.#copy?.context.delete(key);
  }

  savePending(items: PendingItem[], changed: readonly PendingItem[], dropped: readonly PendingItem[]): void {
    for (const item of changed) {
      this.#sql.exec(
        "INSERT INTO pending (id, item) VALUES (?, ?) ON CONFLICT DO UPDATE SET item = excluded.item",
        item.id,
        JSON.stringify(item),
      );
    }
    for (const { id } of dropped) this.#sql.exec("DELETE FROM pending WHERE id = ?", id);
    if (this.#copy !== null) this.#copy.pending = items;
  }

  appendAccesses(log: readonly Access[], added: readonly Access[]): void {
    for (const { key, at } of added)
      this.#sql.exec("INSERT INTO access_log (key, at) VALUES (?, ?)", key, at);
    this.#sql.exec("DELETE FROM access_log WHERE seq <= (SELECT max(seq) FROM access_log) - ?", MAX_ACCESSES);
    if (this.#copy !== null) this.#copy.log = log;
  }

  enqueue(op: string, entry: OutboxEntry): void {
    this.#sql.exec("INSERT OR IGNORE INTO outbox (op, entry) VALUES (?, ?)", op, JSON.stringify(entry));
  }

  outbox(limit = -1): { op: string; entry: OutboxEntry }[] {
    return this.#sql
      .exec<{ op: string; entry: string }>("SELECT op, entry FROM outbox ORDER BY seq LIMIT ?", limit)
      .toArray()
      .map(({ op, entry }) => ({ op, entry: JSON.parse(entry) as OutboxEntry }));
  }

  /** Whether anything waits, or this in particular. */
  hasEntry(op?: string): boolean {
    const where = op === undefined ? "true" : "op = ?";
    return (
      this.#sql
        .exec(`SELECT 1 FROM outbox WHERE ${where} LIMIT 1`, ...(op === undefined ? [] : [op]))
        .toArray().length > 0
    );
  }

  dequeue(op: string): void {
    this.#sql.exec("DELETE FROM outbox WHERE op = ?", op);
  }

  /** What is known of an idempotency key; a key whose work is still under way has no response yet. */
  replay(op: string, now: number): Replay | null {
    this.#sql.exec("DELETE FROM idempotency WHERE created_at < ?", now - IDEMPOTENCY_MS);
    return (
      this.#sql.exec<Replay>("SELECT fingerprint, response FROM idempotency WHERE op = ?", op).toArray()[0] ??
      null
    );
  }

  saveReplay(op: string, replay: Replay, now: number): void {
    this.#sql.exec(
      `INSERT INTO idempotency (op, fingerprint, response, created_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET response = excluded.response`,
      op,
      replay.fingerprint,
      replay.response,
      now,
    );
  }

  dropReplay(op: string): void {
    this.#sql.exec("DELETE FROM idempotency WHERE op = ?", op);
  }

  counts(): { messages: number; context: number; pending: number } {
    const { n } = this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM messages").one();
    const { context, pending } = this.#copy ?? { context: new Map(), pending: [] };
    return { messages: n, context: context.size, pending: pending.length };
  }
}
