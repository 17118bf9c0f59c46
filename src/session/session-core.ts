// What every call on a session shares: finding or creating it, one transaction per change, idempotency keys,
// the alarm, the registry. Promotion runs are in promoter.ts.
import { ObjectAlarm } from "../platform/alarm";
import type { Bindings, Settings } from "../platform/env";
import { describeDefect, FailureError, failure, idempotencyKeyReused, unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import { parseJson } from "../platform/json";
import type { Telemetry } from "../platform/telemetry";
import type { Session, SessionStatus } from "../schemas/session";
import { createLongTermMemory, type LongTermMemory } from "../search/long-term-memory";
import type { WriteResult } from "../store/memories/commit-plan";
import { Cognition } from "./cognition/cognition";
import { MESSAGES_OP, Outbox, SESSION_OP } from "./outbox";
import { promoteLast } from "./promotion/promoter";
import { applyPromotions } from "./promotion/promotion-run";
import { alarmOf, newRecord, type SessionRef, toSession, withStatus } from "./session-record";
import type { ErasedSession, Owner } from "./session-rpc";
import { computeDueTimes, isSame } from "./session-schedule";
import { SessionStorage, type ShortTermMemory } from "./session-storage";

export type CoreOptions = {
  state: DurableObjectState;
  env: Bindings;
  settings: Settings;
  telemetry: Telemetry;
  now: () => number;
};

type CoreServices = LongTermMemory & { outbox: Outbox };

export class SessionCore {
  readonly storage: SessionStorage;
  readonly alarm: ObjectAlarm;
  readonly cognition: Cognition;
  readonly #options: CoreOptions;
  readonly #underway = new Map<string, { fingerprint: string; answer: Promise<unknown> }>();
  /** The erasure under way, which every later call of it shares. */
  erasure: Promise<ErasedSession> | null = null;
  #services: CoreServices | null = null;

  constructor(options: CoreOptions) {
    this.#options = options;
    this.storage = new SessionStorage(options.state.storage);
    this.alarm = new ObjectAlarm(options.state.storage, options.now);
    this.cognition = new Cognition(this, options.state);
  }

  get env(): Bindings {
    return this.#options.env;
  }

  get telemetry(): Telemetry {
    return this.#options.telemetry;
  }

  now(): number {
    return this.#options.now();
  }

  get isoNow(): string {
    return new Date(this.#options.now()).toISOString();
  }

  /** What this session's tenant has, made when the tenant is first known. */
  services({ tenant }: Pick<SessionRef, "tenant">): CoreServices {
    if (this.#services === null) {
      const { env, settings, telemetry, now } = this.#options;
      const { memoriesPerSession } = settings;
      const memory = createLongTermMemory(env, tenant, { now, memoriesPerSession });
      const outbox = new Outbox({
        storage: this.storage,
        store: memory.store,
        telemetry,
        onApplied: (applied) => {
          const shortTerm = this.storage.read();
          if (shortTerm === null) return;
          applyPromotions(this.storage, shortTerm, applied, this.isoNow);
          for (const { op, result } of applied) this.#settleReplay(op, result);
        },
        onSent: () => {
          void memory.indexing.wake();
          // A promotion is a signal, too.
          this.cognition.sockets.send();
        },
      });
      this.#services = { ...memory, outbox };
    }
    return this.#services;
  }

  existing({ id }: SessionRef): ShortTermMemory {
    const memory = this.storage.read();
    if (memory === null || memory.record.erasing !== null) {
      throw failure(
        "not_found",
        `Session not found: ${id}. Create it with POST /v1/sessions, or by a first write.`,
      );
    }
    return memory;
  }

  /** Runs work on a session that may be written: one transaction, once per idempotency key. */
  async mutate<T>(
    ref: SessionRef,
    options: { creates: boolean; belonging?: Owner },
    idempotency: Idempotency,
    work: (memory: ShortTermMemory, now: number) => T,
  ): Promise<T> {
    const result = this.storage.write(() => {
      // A repeated call gets its first answer, even if the session was closed since.
      const replayed = this.storage.read() === null ? null : this.replayed<T>(idempotency);
      if (replayed !== null) return replayed;
      const memory = this.writable(ref, options);
      const value = work(memory, this.#options.now());
      this.storage.saveRecord({ ...memory.record, updated_at: this.isoNow });
      return this.remembered(idempotency, value);
    });
    await this.schedule();
    await this.tellRegistry(ref);
    return result;
  }

  /** Inside a transaction: the session, if it may be written. */
  writable(ref: SessionRef, { creates, belonging }: { creates: boolean; belonging?: Owner }): ShortTermMemory {
    if (this.storage.read() === null && creates)
      return this.begin(ref, belonging ?? { agent_id: null, project_id: null });
    const memory = this.existing(ref);
    if (memory.record.status === "closed") {
      throw failure(
        "conflict",
        `Session ${ref.id} is closed. Open a new one; it can continue this one with "continues".`,
      );
    }
    // Whoever writes to an abandoned session has come back to it.
    if (memory.record.status === "abandoned") this.changeStatus(memory, "active");
    return memory;
  }

  /** A session made by its first write. */
  begin(ref: SessionRef, { agent_id, project_id }: Owner): ShortTermMemory {
    const given = {
      ...(agent_id === null ? {} : { agent_id }),
      ...(project_id === null ? {} : { project_id }),
    };
    const memory = this.storage.initialise(unwrap(newRecord(ref, given, this.isoNow)));
    this.storage.enqueue(SESSION_OP, { kind: "session" });
    return memory;
  }

  /** Inside a transaction: the new status, and the word to the registry. */
  changeStatus(memory: ShortTermMemory, status: SessionStatus): void {
    const { tenant, id } = memory.record;
    this.storage.saveRecord(withStatus(memory.record, status, this.isoNow));
    this.storage.enqueue(SESSION_OP, { kind: "session" });
    this.#options.telemetry({ event: "session.status", tenant, session_id: id, duration_ms: 0, status });
  }

  replayed<T>(idempotency: Idempotency): T | null {
    if (idempotency === null) return null;
    const earlier = this.storage.replay(idempotency.op, this.#options.now());
    if (earlier === null) return null;
    if (earlier.fingerprint !== idempotency.fingerprint) {
      throw new FailureError(idempotencyKeyReused().failure);
    }
    return earlier.response === null ? null : parseJson<T>(earlier.response);
  }

  /** Work of several steps, once per idempotency key: a call that comes meanwhile waits for the first one's answer. */
  async once<T>(idempotency: Idempotency, work: () => Promise<T>): Promise<T> {
    if (idempotency === null) return work();
    const replayed = this.replayed<T>(idempotency);
    if (replayed !== null) return replayed;
    const { op, fingerprint } = idempotency;
    const first = this.#underway.get(op);
    if (first !== undefined) {
      if (first.fingerprint !== fingerprint) throw new FailureError(idempotencyKeyReused().failure);
      return first.answer as Promise<T>;
    }
    const answer = work().then((value) => this.storage.write(() => this.remembered(idempotency, value)));
    this.#underway.set(op, { fingerprint, answer });
    try {
      return await answer;
    } finally {
      this.#underway.delete(op);
    }
  }

  remembered<T>(idempotency: Idempotency, value: T): T {
    if (idempotency !== null) {
      const { op, fingerprint } = idempotency;
      this.storage.saveReplay(op, { fingerprint, response: JSON.stringify(value) }, this.#options.now());
    }
    return value;
  }

  /** The answer of a keyed remember becomes known when its entry leaves the outbox, whoever sent it. */
  #settleReplay(
    op: string,
    result: { status: "written"; memory_id: string; deduplicated: boolean } | { status: "rejected" },
  ): void {
    const earlier = this.storage.replay(op, this.#options.now());
    if (earlier === null) return;
    if (result.status === "rejected") this.storage.dropReplay(op);
    else {
      const response = JSON.stringify({ memory_id: result.memory_id, deduplicated: result.deduplicated });
      this.storage.saveReplay(op, { ...earlier, response }, this.#options.now());
    }
  }

  /** Sends what was said to where recall finds it, without keeping the caller waiting. A failure is retried later. */
  sendMessagesSoon(ref: SessionRef): void {
    if (!this.storage.hasEntry(MESSAGES_OP)) return;
    void this.sendMessages(ref).catch((error: unknown) => {
      if (!(error instanceof FailureError))
        console.error(JSON.stringify({ event: "session.error", ...describeDefect(error) }));
    });
  }

  /** Everything said so far is findable when this is done. */
  async sendMessages(ref: SessionRef): Promise<void> {
    const { record } = this.existing(ref);
    // A session of an earlier version holds messages that nobody has asked it to send.
    if (record.messages_sent < this.storage.messages.last()) {
      this.storage.write(() => this.storage.enqueue(MESSAGES_OP, { kind: "messages" }));
    }
    while (this.storage.hasEntry(MESSAGES_OP)) {
      try {
        await this.services(ref).outbox.drain();
      } finally {
        await this.schedule();
      }
    }
  }

  /** Tells the registry what waits to be told. The session is safe in its own storage: a failure is retried later. */
  async tellRegistry(ref: SessionRef): Promise<void> {
    if (!this.storage.hasEntry(SESSION_OP)) return;
    try {
      await this.services(ref).outbox.drain();
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
    }
    await this.schedule();
  }

  /** Sends entries and gives their results; on failure they stay, and the alarm tries again. */
  async settle(ref: SessionRef, ops: readonly string[]): Promise<(WriteResult | null)[]> {
    try {
      return await this.services(ref).outbox.settle(ops);
    } finally {
      await this.schedule();
    }
  }

  async abandonIfIdle(ref: SessionRef): Promise<boolean> {
    const { record } = this.existing(ref);
    const idle = this.#options.now() - Date.parse(record.updated_at) > this.#options.settings.abandonAfterMs;
    if (!idle || record.status === "closed" || record.status === "abandoned") return false;
    await promoteLast(this, ref, "abandon");
    await this.cognition.projections.runDue(ref, "end");
    // Somebody may have come back meanwhile.
    const current = this.existing(ref);
    if (current.record.updated_at !== record.updated_at) return false;
    this.storage.write(() => this.changeStatus(current, "abandoned"));
    await this.schedule();
    await this.tellRegistry(ref);
    return true;
  }

  /** Compares the due times with the platform's alarm on the first call after the object is loaded. */
  async reconcileAlarm(): Promise<void> {
    if (!this.alarm.isRead) await this.schedule();
  }

  /** Sets the alarm when there is something for it to do, and takes it back when there is not. */
  async schedule(): Promise<void> {
    if (this.storage.read() === null) return;
    if (!this.alarm.isRead) await this.alarm.read();
    const memory = this.storage.read();
    if (memory === null) return;
    const { record } = memory;
    const next = computeDueTimes(this.storage, memory, this.#options.now());
    if (!isSame(next, record)) this.storage.write(() => this.storage.saveRecord({ ...record, ...next }));
    await this.alarm.set(alarmOf(next));
  }

  async view(ref: SessionRef): Promise<Session> {
    const { record, buffer, context, pending } = this.existing(ref);
    const memories = await this.services(ref).store.memories.countLive(ref.id);
    return toSession(record, {
      messages: buffer.slots.length,
      tokens: buffer.tokens,
      context: context.size,
      pending: pending.length,
      memories,
    });
  }
}
