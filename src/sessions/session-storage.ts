// The storage of a session's object: its SQLite database and a copy of the short-term memory in RAM. Every change runs
// inside `write`, one transaction; a failed one discards the copy.
import { DirectiveQueue } from "../cognition/runtime/directive-queue";
import {
  loadProjectors,
  noteEntry,
  type ProjectorState,
  saveProjectorState,
} from "../cognition/runtime/projector-states";
import { SignalLog } from "../cognition/runtime/signals";
import { SpaceStorage } from "../cognition/runtime/space-storage";
import { type NewThreadEntry, ThreadLog } from "../cognition/runtime/thread-log";
import { selectNewer } from "../kernel/databases/bookmark-tracker";
import { getStepRange, type StoredAnswer } from "../kernel/idempotency";
import type { Json } from "../kernel/json";
import { IDEMPOTENCY_MS } from "../kernel/limits";
import { isInitialised, migrate } from "../kernel/object-migrations";
import type { MemoryWrite } from "../memories/store/commit-plan";
import type { Masked } from "../trust/privacy/privacy-gate";
import type { SourceRanks } from "../trust/source-rank";
import type { PromotionCandidate } from "./promotion/promotion-engine";
import { type SessionRecord, selectForStorage } from "./session-record";
import { SESSION_SCHEMA } from "./session-schema";
import type { PendingItem } from "./session-schemas";
import { type LoggedAccess, MAX_ACCESSES } from "./short-term/access-log";
import {
  addToBuffer,
  type ConversationBuffer,
  createBuffer,
  MessageTable,
  type Slot,
} from "./short-term/message-table";
import type { StoredItem } from "./short-term/working-context";

/** The short-term memory in RAM. Message contents stay on disk. */
export type ShortTermMemory = {
  record: SessionRecord;
  buffer: ConversationBuffer;
  context: Map<string, StoredItem>;
  pending: PendingItem[];
  log: readonly LoggedAccess[];
  projectors: readonly ProjectorState[];
};

/** An entry of the outbox: a memory on its way to the long-term store. Stored as JSON. */
export type OutboxEntry = Omit<MemoryWrite, "op"> & {
  kind: "memory";
  /** Its source in short-term memory, which is updated once the memory is written. */
  origin: PromotionCandidate["origin"] | { kind: "remember" };
};

/** The operation of an outbox row without an entry: it holds the bookmark of the last entry that was sent. */
const SENT = "";

/** What the tables and indexes of a session without content take, rounded up. */
export const EMPTY_SESSION_BYTES = 128 * 1024;

export class SessionStorage {
  readonly #storage: DurableObjectStorage;
  readonly messages: MessageTable;
  readonly thread: ThreadLog;
  readonly spaces: SpaceStorage;
  readonly signals: SignalLog;
  readonly directives: DirectiveQueue;
  readonly #readRanks: () => SourceRanks;
  #ready: boolean;
  #copy: ShortTermMemory | null = null;
  /** The record as stored, which may be older than the copy by what is not worth a write. */
  #stored: SessionRecord | null = null;
  /** The number of transactions that are open, one within the other. */
  #depth = 0;
  /** When the oldest stored answer was stored; none while there is no answer, or the time is unknown. */
  #oldestAnswer: number | null | undefined;

  constructor(storage: DurableObjectStorage, now: () => number, readRanks: () => SourceRanks) {
    this.#storage = storage;
    this.#readRanks = readRanks;
    this.messages = new MessageTable(storage.sql);
    this.thread = new ThreadLog(storage.sql, (seqs) => this.messages.readPayloads(seqs));
    this.spaces = new SpaceStorage(storage.sql, now);
    this.signals = new SignalLog(storage.sql);
    this.directives = new DirectiveQueue(storage.sql);
    this.#ready = isInitialised(storage);
    if (this.#ready) migrate(storage, SESSION_SCHEMA);
  }

  /** Whose statements outweigh whose. */
  get ranks(): SourceRanks {
    return this.#readRanks();
  }

  get sql(): SqlStorage {
    return this.#storage.sql;
  }

  /** Returns the session, or null if none exists under this id. */
  read(): ShortTermMemory | null {
    if (!this.#ready) return null;
    this.#copy ??= this.#load();
    return this.#copy;
  }

  /** Creates the tables and stores the record of a new session. */
  initialise(record: SessionRecord): ShortTermMemory {
    migrate(this.#storage, SESSION_SCHEMA);
    this.#ready = true;
    this.#storeRecord(record);
    const loaded = this.#load();
    if (loaded === null) throw new Error("A session was stored and cannot be read");
    this.#copy = loaded;
    return loaded;
  }

  /**
   * Runs work in one transaction, at the end of which the record is stored, once. An exception rolls back the database
   * and the copy in RAM.
   */
  write<T>(work: () => T): T {
    const initialised = this.#ready;
    this.#depth += 1;
    try {
      return this.#storage.transactionSync(() => {
        const value = work();
        if (this.#depth === 1 && this.#copy !== null) this.#storeRecord(this.#copy.record);
        return value;
      });
    } catch (error) {
      this.#copy = null;
      this.#stored = null;
      this.#oldestAnswer = undefined;
      this.#ready = initialised;
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  /** Discards the copy in RAM after rows were written past it. */
  discardCopy(): void {
    this.#copy = null;
    this.#stored = null;
    this.thread.reset();
  }

  /** Returns the bytes that the session stores beyond its empty tables. */
  measure(): number {
    return Math.max(0, this.sql.databaseSize - EMPTY_SESSION_BYTES);
  }

  /** Deletes the data and the alarm in one step: after a crash in between, no alarm would resume the erasure. */
  async eraseAll(): Promise<void> {
    await this.#storage.deleteAll();
    this.thread.reset();
    this.#copy = null;
    this.#stored = null;
    this.#oldestAnswer = undefined;
    this.#ready = false;
  }

  #load(): ShortTermMemory | null {
    const row = this.sql.exec<{ record: string }>("SELECT record FROM session").toArray()[0];
    if (row === undefined) return null;
    const stored = JSON.parse(row.record) as SessionRecord;
    this.#stored = stored;
    const record = { ...stored, bookmark: selectNewer(stored.bookmark, this.#loadSentBookmark()) };
    const slots = this.sql
      .exec<Slot>(
        "SELECT seq, id, token_count AS tokens FROM messages WHERE seq >= ? ORDER BY seq",
        record.window_start,
      )
      .toArray();
    return {
      record,
      buffer: addToBuffer(createBuffer(record.token_budget.conversation), slots).buffer,
      context: new Map(this.#loadItems<StoredItem>("context").map((item) => [item.key, item])),
      pending: this.#loadItems<PendingItem>("pending"),
      log: this.sql.exec<LoggedAccess>("SELECT key, at FROM access_log ORDER BY seq").toArray(),
      projectors: loadProjectors(this.sql, this.thread),
    };
  }

  #loadItems<T>(table: "context" | "pending"): T[] {
    return this.sql
      .exec<{ item: string }>(`SELECT item FROM ${table} ORDER BY rowid`)
      .toArray()
      .map(({ item }) => JSON.parse(item) as T);
  }

  /** Inside a transaction: changes the record, which is stored at its end. */
  saveRecord(record: SessionRecord): void {
    const memory = this.read();
    if (memory === null) throw new Error("A record is saved without a session");
    memory.record = record;
  }

  #storeRecord(record: SessionRecord): void {
    const next = selectForStorage(this.#stored, record);
    if (next === null) return;
    this.sql.exec("INSERT OR REPLACE INTO session (id, record) VALUES (1, ?)", JSON.stringify(next));
    this.#stored = next;
  }

  /** Inside a transaction: appends to the thread. An entry with a reference that is already there is ignored. */
  appendToThread(entry: NewThreadEntry): void {
    const appended = this.thread.append(entry);
    if (appended && this.#copy !== null) {
      this.#copy.projectors = this.#copy.projectors.map((state) =>
        noteEntry(state, entry.kind, entry.payload),
      );
    }
  }

  /** Inside a transaction: stores a signal for its readers and appends it to the thread. */
  publishSignal(sessionId: string, time: string, { type, data }: { type: string; data: Json }): void {
    const signal = this.signals.append(type, data, { sessionId, time });
    this.appendToThread({ kind: "signal", at: time, payload: signal, ref: signal.id });
  }

  /** Returns the time at which the next entry of a space, ephemeral item or stored answer expires, null if none does. */
  findExpiry(): number | null {
    const items = this.sql
      .exec<{ at: number | null }>("SELECT min(expires_at) AS at FROM ephemeral_items")
      .one();
    this.#oldestAnswer ??= this.sql
      .exec<{ at: number | null }>("SELECT min(created_at) AS at FROM idempotency")
      .one().at;
    const answerAt = this.#oldestAnswer === null ? null : this.#oldestAnswer + IDEMPOTENCY_MS;
    const times = [this.spaces.findExpiry(), items.at, answerAt].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  saveProjector(changed: ProjectorState): void {
    saveProjectorState(this.sql, changed);
    if (this.#copy === null) return;
    this.#copy.projectors = this.#copy.projectors.map((state) =>
      state.name === changed.name ? changed : state,
    );
  }

  saveContext(item: StoredItem): void {
    this.sql.exec(
      "INSERT INTO context (key, item) VALUES (?, ?) ON CONFLICT DO UPDATE SET item = excluded.item",
      item.key,
      JSON.stringify(item),
    );
    this.#copy?.context.set(item.key, item);
  }

  deleteContext(key: string): void {
    this.sql.exec("DELETE FROM context WHERE key = ?", key);
    this.#copy?.context.delete(key);
  }

  savePending(items: PendingItem[], changed: readonly PendingItem[], dropped: readonly PendingItem[]): void {
    for (const item of changed) {
      this.sql.exec(
        "INSERT INTO pending (id, item) VALUES (?, ?) ON CONFLICT DO UPDATE SET item = excluded.item",
        item.id,
        JSON.stringify(item),
      );
    }
    for (const { id } of dropped) this.sql.exec("DELETE FROM pending WHERE id = ?", id);
    if (this.#copy !== null) this.#copy.pending = items;
  }

  appendAccesses(log: readonly LoggedAccess[], added: readonly LoggedAccess[]): void {
    for (const { key, at } of added) this.sql.exec("INSERT INTO access_log (key, at) VALUES (?, ?)", key, at);
    this.sql.exec("DELETE FROM access_log WHERE seq <= (SELECT max(seq) FROM access_log) - ?", MAX_ACCESSES);
    if (this.#copy !== null) this.#copy.log = log;
  }

  /** Stores an entry, in the row with the bookmark of the last one sent if no other is waiting. The bookmark stays in it. */
  enqueue(op: string, entry: Masked<OutboxEntry>): void {
    if (this.hasOutboxEntry(op)) return;
    const text = JSON.stringify({ ...entry, bookmark: this.#copy?.record.bookmark ?? undefined });
    const { rowsWritten } = this.sql.exec(
      `UPDATE outbox SET op = ?1, entry = ?2 WHERE op = ?3 AND NOT EXISTS (SELECT 1 FROM outbox WHERE op <> ?3)`,
      op,
      text,
      SENT,
    );
    if (rowsWritten === 0) this.sql.exec("INSERT INTO outbox (op, entry) VALUES (?, ?)", op, text);
  }

  #loadSentBookmark(): string | null {
    const bookmarks = "SELECT max(entry ->> '$.bookmark') AS bookmark FROM outbox";
    return this.sql.exec<{ bookmark: string | null }>(bookmarks).one().bookmark;
  }

  /** Lists the entries of the outbox, oldest first. */
  listOutbox(limit = -1): { op: string; entry: Masked<OutboxEntry> }[] {
    return this.sql
      .exec<{ op: string; entry: string }>(
        "SELECT op, entry FROM outbox WHERE op <> ? ORDER BY seq LIMIT ?",
        SENT,
        limit,
      )
      .toArray()
      .map(({ op, entry }) => ({ op, entry: JSON.parse(entry) as Masked<OutboxEntry> }));
  }

  /** Returns whether the outbox holds the entry of an operation, or any entry. */
  hasOutboxEntry(op?: string): boolean {
    const where = op === undefined ? "op <> ?" : "op = ?";
    return this.sql.exec(`SELECT 1 FROM outbox WHERE ${where} LIMIT 1`, op ?? SENT).toArray().length > 0;
  }

  /** Removes entries that were sent. The row of the last one is reused for the record's bookmark, which saves a row. */
  dequeue(ops: readonly string[]): void {
    const last = ops.at(-1);
    if (last === undefined) return;
    for (const op of [SENT, ...ops.slice(0, -1)]) this.sql.exec("DELETE FROM outbox WHERE op = ?", op);
    const bookmark = this.#copy?.record.bookmark ?? undefined;
    this.sql.exec(
      "UPDATE outbox SET op = ?, entry = ? WHERE op = ?",
      SENT,
      JSON.stringify({ bookmark }),
      last,
    );
  }

  /** Returns the stored answer of an idempotency key. A call in flight, whose entry is in the outbox, has no response yet. */
  findAnswer(op: string, now: number): StoredAnswer | null {
    const [row] = this.sql
      .exec<StoredAnswer>(
        `SELECT fingerprint, response FROM idempotency WHERE op = ?1 AND created_at > ?2
         UNION ALL SELECT entry ->> '$.fingerprint', NULL FROM outbox WHERE op = ?1 AND entry ->> '$.fingerprint' IS NOT NULL`,
        op,
        now - IDEMPOTENCY_MS,
      )
      .toArray();
    return row ?? null;
  }

  /** Returns whether an idempotency key, or a step of it, has an answer or is in flight. */
  hasAnswer(op: string): boolean {
    const { from, to } = getStepRange(op);
    const isKnown = "op = ?1 OR (op > ?2 AND op < ?3)";
    const known = `SELECT 1 FROM idempotency WHERE ${isKnown} UNION ALL SELECT 1 FROM outbox WHERE ${isKnown} LIMIT 1`;
    return this.sql.exec(known, op, from, to).toArray().length > 0;
  }

  deleteExpiredAnswers(now: number): void {
    this.sql.exec("DELETE FROM idempotency WHERE created_at <= ?", now - IDEMPOTENCY_MS);
    this.#oldestAnswer = undefined;
  }

  saveAnswer(op: string, { fingerprint, response }: StoredAnswer, now: number): void {
    this.sql.exec(
      "INSERT OR REPLACE INTO idempotency (op, fingerprint, response, created_at) VALUES (?, ?, ?, ?)",
      op,
      fingerprint,
      response,
      now,
    );
  }

  countItems(): { messages: number; context: number; pending: number } {
    const { n } = this.sql.exec<{ n: number }>("SELECT count(*) AS n FROM messages").one();
    const { context, pending } = this.#copy ?? { context: new Map(), pending: [] };
    return { messages: n, context: context.size, pending: pending.length };
  }
}
