// The core that every call on a session shares: finding or creating the session, one transaction per change, the
// outbox to the long-term store, and the alarm.

import { type Binding, isWithinBinding, NO_OWNER, type Owner, UNBOUND } from "../kernel/access";
import { ObjectAlarm } from "../kernel/alarm";
import { BookmarkTracker, type CallReads } from "../kernel/databases/bookmark-tracker";
import { openTenantDatabase } from "../kernel/databases/tenant-database";
import type { Bindings, Settings } from "../kernel/env";
import { FailureError, failure, logDefect, type Result, unwrap } from "../kernel/errors";
import type { Idempotency } from "../kernel/idempotency";
import type { Telemetry } from "../kernel/telemetry";
import type { WrittenMemory } from "../memories/store/commit-plan";
import { hasLanguageModel } from "../models/select-language-model";
import type { Search } from "../recall/search/search";
import type { createLongTermMemory, LongTermMemory } from "../services/long-term-memory";
import { readSourceRanks } from "../trust/source-rank";
import { readTenantRules } from "../trust/tenant-rules";
import { IdempotentCalls } from "./idempotent-calls";
import { Outbox } from "./outbox";
import { applyPromotions } from "./promotion/promotion-entries";
import {
  createRecord,
  type SessionRecord,
  type SessionRef,
  toSessionCreate,
  withStatus,
} from "./session-record";
import { SessionOntology, SessionPrivacy } from "./session-rules";
import { areSameDueTimes, computeDueTimes, findAlarmTime, hasWorkToFinish } from "./session-schedule";
import type { SessionStatus } from "./session-schemas";
import { SessionStorage, type ShortTermMemory } from "./session-storage";
import { countUnsent, SEND_DELAY_MS } from "./short-term/message-progress";

/** The change of a session's size, in bytes, that is worth a write to the registry. */
const SIZE_STEP = 64 * 1024;

type CoreOptions = {
  state: DurableObjectState;
  env: Bindings;
  settings: Settings;
  telemetry: Telemetry;
  now: () => number;
  openMemory: typeof createLongTermMemory;
  /** Called after the outbox has written to the long-term store, which may have published a signal. */
  onSent: () => void;
};

type TenantServices = LongTermMemory & { outbox: Outbox; bookmarks: BookmarkTracker };

/** Whom a session belongs to that a write creates. */
export type WriteOptions = {
  owner?: Owner;
  /** The owner that the caller is limited to. */
  within?: Binding | undefined;
};

export class SessionCore {
  readonly storage: SessionStorage;
  readonly alarm: ObjectAlarm;
  readonly idempotency: IdempotentCalls;
  readonly privacy: SessionPrivacy;
  readonly ontology: SessionOntology;
  readonly #options: CoreOptions;
  #services: TenantServices | null = null;
  #sendsMessagesSoon = false;

  constructor(options: CoreOptions) {
    const { state, env, now } = options;
    this.#options = options;
    this.storage = new SessionStorage(state.storage, now, () => readSourceRanks(env.SOURCE_RANKS));
    this.alarm = new ObjectAlarm(state.storage, now);
    this.idempotency = new IdempotentCalls(this.storage, now);
    this.privacy = new SessionPrivacy({
      readRecord: () => this.storage.read()?.record,
      loadRules: async (tenant) => {
        const { privacy, ontology } = await readTenantRules(openTenantDatabase(options.env, tenant), tenant);
        this.ontology.set(ontology);
        return privacy;
      },
    });
    this.ontology = new SessionOntology((tenant) => this.privacy.reload(tenant));
  }

  get env(): Bindings {
    return this.#options.env;
  }

  get settings(): Settings {
    return this.#options.settings;
  }

  get telemetry(): Telemetry {
    return this.#options.telemetry;
  }

  /**
   * Returns whether a language model extracts candidates from a session's messages. It does so on the alarm alone;
   * a session without one extracts by rules.
   */
  extractsByModel({ promotion }: SessionRecord): boolean {
    return promotion.enabled && hasLanguageModel(this.env);
  }

  now(): number {
    return this.#options.now();
  }

  get isoNow(): string {
    return new Date(this.now()).toISOString();
  }

  /** Returns the tenant's long-term memory and the outbox to it, created on the first call that names the tenant. */
  services({ tenant }: Pick<SessionRef, "tenant">): TenantServices {
    this.#services ??= this.#createServices(tenant);
    return this.#services;
  }

  #createServices(tenant: string): TenantServices {
    const { env, settings, telemetry, now, openMemory, onSent } = this.#options;
    const { memoriesPerSession } = settings;
    const bookmarks = new BookmarkTracker(tenant);
    const memory = openMemory(env, tenant, {
      now,
      memoriesPerSession,
      bookmarks,
      privacy: this.privacy.derived,
      ontology: () => this.ontology.current,
    });
    const outbox = new Outbox({
      storage: this.storage,
      store: memory.store,
      telemetry,
      readBookmark: () => bookmarks.newest,
      onApplied: (applied) => {
        const shortTerm = this.storage.read();
        if (shortTerm === null) return;
        applyPromotions(this.storage, shortTerm, applied, this.isoNow);
        for (const entry of applied) this.idempotency.completeReserved(entry);
        this.#updateDueTimes();
      },
      onSent: () => {
        void memory.indexing.wake();
        onSent();
      },
    });
    return { ...memory, outbox, bookmarks };
  }

  /** Returns the state of the long-term store that the session has last seen or written; null if it knows none. */
  get bookmark(): string | null {
    return this.#services?.bookmarks.newest ?? this.storage.read()?.record.bookmark ?? null;
  }

  /**
   * Opens the reads of a call that only reads. Replicas must have reached the bookmarks of the caller and of the session;
   * without one of the caller, who may have written past the session, the primary is read.
   */
  openReads({ tenant }: Pick<SessionRef, "tenant">, { replicas, bookmark }: CallReads): BookmarkTracker {
    const bookmarks = new BookmarkTracker(tenant);
    if (replicas) bookmarks.allowReplicas();
    bookmarks.accept(bookmark);
    if (bookmarks.mayLag()) bookmarks.accept(this.bookmark);
    return bookmarks;
  }

  openSearch({ tenant }: Pick<SessionRef, "tenant">, bookmarks: BookmarkTracker): Search {
    const { env, now, openMemory } = this.#options;
    return openMemory(env, tenant, { now, bookmarks }).search;
  }

  /** Returns the session, or throws `not_found`. */
  require(ref: SessionRef): ShortTermMemory {
    const memory = this.find(ref);
    if (memory === null) throw sessionNotFound(ref);
    return memory;
  }

  /**
   * Returns the session, null if it does not exist. Throws `not_found` while it is being erased: the long-term store
   * may still hold its rows, which a search for an empty session would find.
   */
  find(ref: SessionRef): ShortTermMemory | null {
    const memory = this.storage.read();
    if (memory !== null && memory.record.erasing !== null) throw sessionNotFound(ref);
    return memory;
  }

  /** Inside a transaction: returns the session for a write, created or reactivated if needed. */
  requireWritable(ref: SessionRef, { owner, within }: WriteOptions = {}): ShortTermMemory {
    if (this.storage.read() === null && ref.creates === true) return this.#createSession(ref, within, owner);
    const memory = this.require(ref);
    // Another caller may have created the session since the binding was checked.
    if (within !== undefined && !isWithinBinding(within, memory.record)) throw sessionNotFound(ref);
    if (memory.record.status === "closed") {
      throw failure(
        "conflict",
        `Session ${ref.id} is closed. Open a new one; it can continue this one with "continues".`,
      );
    }
    if (memory.record.status === "abandoned") this.changeStatus(memory, "active");
    return memory;
  }

  #createSession(ref: SessionRef, within: Binding = UNBOUND, owner: Owner = NO_OWNER): ShortTermMemory {
    const create = { ...toSessionCreate(owner), within };
    return this.storage.initialise(unwrap(createRecord(ref, create, this.isoNow)));
  }

  /** Runs work on a writable session: one transaction, once per idempotency key. */
  async mutate<T>(
    ref: SessionRef,
    idempotency: Idempotency,
    work: (memory: ShortTermMemory, now: number) => T,
    options: WriteOptions = {},
  ): Promise<T> {
    const answer = this.storage.write(() => {
      // A repeated call gets its first answer even if the session has been closed since.
      const stored = this.idempotency.findAnswer<T>(idempotency);
      if (stored !== null) return stored;
      const memory = this.requireWritable(ref, options);
      const value = work(memory, this.now());
      this.storage.saveRecord({ ...memory.record, updated_at: this.isoNow });
      this.idempotency.saveAnswer(idempotency, value);
      // With the change, so that the record is stored once.
      this.#updateDueTimes();
      return value;
    });
    await this.schedule();
    await this.updateRegistry(ref);
    return answer;
  }

  /** Runs work of several steps on an existing session, once per idempotency key. */
  async runOnce<T>(ref: SessionRef, idempotency: Idempotency, work: () => Promise<T>): Promise<T> {
    this.require(ref);
    const answer = await this.idempotency.runOnce(idempotency, work);
    // The stored answer expires.
    if (idempotency !== null) await this.schedule();
    return answer;
  }

  /** Inside a transaction: stores a change of the record that the registry must receive. */
  saveRegistered(record: SessionRecord): void {
    this.storage.saveRecord({ ...record, version: record.version + 1, unregistered: true });
  }

  /** Inside a transaction: stores the status and queues the update of the registry. */
  changeStatus(memory: ShortTermMemory, status: SessionStatus): void {
    const { tenant, id } = memory.record;
    this.storage.saveRecord(withStatus(memory.record, status, this.isoNow));
    this.telemetry({ event: "session.status", tenant, session_id: id, duration_ms: 0, status });
  }

  /** Writes a queued change to the registry. A failure is retried by the alarm: the session itself is stored. */
  async updateRegistry(ref: SessionRef): Promise<void> {
    if (this.storage.read()?.record.unregistered !== true) return;
    try {
      await this.services(ref).outbox.drain();
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
    }
    await this.schedule();
  }

  /** Reports the size of the session to the registry once it has changed by a step. No call waits for that. */
  reportSize(ref: SessionRef): void {
    const record = this.storage.read()?.record;
    if (record === undefined || record.erasing !== null) return;
    if (Math.abs(this.storage.measure() - record.reported_bytes) < SIZE_STEP) return;
    this.storage.write(() => this.storage.saveRecord({ ...record, unregistered: true }));
    this.runInBackground(this.updateRegistry(ref));
  }

  /** Sends new messages to the long-term store, so that recall finds them when this resolves. */
  async flushMessages(ref: SessionRef): Promise<void> {
    while (countUnsent(this.require(ref)) > 0) {
      try {
        await this.services(ref).outbox.drain({ messages: true });
      } finally {
        await this.schedule();
      }
    }
  }

  /** Sends new messages a moment later, with those that arrive until then. */
  sendMessagesSoon(ref: SessionRef): void {
    if (this.#sendsMessagesSoon) return;
    this.#sendsMessagesSoon = true;
    const send = async () => {
      await scheduler.wait(SEND_DELAY_MS);
      this.#sendsMessagesSoon = false;
      await this.flushMessages(ref);
    };
    this.runInBackground(send());
  }

  /** Sends outbox entries and returns their results. On failure they stay queued, and the alarm retries. */
  async settle(ref: SessionRef, ops: readonly string[]): Promise<(Result<WrittenMemory> | null)[]> {
    try {
      return await this.services(ref).outbox.settle(ops);
    } finally {
      await this.schedule();
    }
  }

  /** Runs work after the call has been answered. Failures are retried by the alarm; defects are logged. */
  runInBackground(work: Promise<unknown>): void {
    void work.catch((error: unknown) => {
      if (!(error instanceof FailureError)) logDefect("session.error", error);
    });
  }

  /**
   * Compares the stored due times with the platform's alarm on the first call after the object is loaded. An object
   * without a session reads its alarm, too, so that the first write and its alarm are issued in one turn.
   */
  async reconcileAlarm(): Promise<void> {
    if (this.alarm.isRead) return;
    await this.alarm.read();
    await this.schedule();
  }

  /** Stores the due times and sets the alarm to the earliest, or deletes it when nothing is due. */
  async schedule(): Promise<void> {
    if (this.storage.read() === null) return;
    if (!this.alarm.isRead) await this.alarm.read();
    const record = this.storage.write(() => this.#updateDueTimes());
    if (record !== null) await this.alarm.set(findAlarmTime(record));
  }

  /** Inside a transaction: computes the due times. Returns the record with them. */
  #updateDueTimes(): SessionRecord | null {
    const memory = this.storage.read();
    if (memory === null) return null;
    const { record } = memory;
    const next = computeDueTimes(this.storage, memory, this.now());
    const finishing = record.finishing && hasWorkToFinish(next);
    if (finishing !== record.finishing || !areSameDueTimes(next, record))
      this.storage.saveRecord({ ...record, ...next, finishing });
    return memory.record;
  }
}

function sessionNotFound({ id }: SessionRef): FailureError {
  return failure(
    "not_found",
    `Session not found: ${id}. Create it with POST /v1/sessions, or by a first write.`,
  );
}
