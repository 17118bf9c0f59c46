// The lifecycle of a session: creation, settings, pause, resumption, closing, abandonment and erasure.

import type { Cognition } from "../cognition/runtime/cognition";
import { withTrigger } from "../cognition/runtime/projector-states";
import { replaceContainer } from "../cognition/spaces/container-changes";
import { failure, fieldFailure, unwrap } from "../kernel/errors";
import type { Idempotency } from "../kernel/idempotency";
import type { PolicyInput } from "./policy-settings";
import type { Promoter } from "./promotion/promoter";
import { type Redaction, redactSession } from "./redact-session";
import type { SessionCore } from "./session-core";
import {
  createRecord,
  getReach,
  isSameInRegistry,
  patchRecord,
  type SessionRecord,
  type SessionRef,
  toSession,
} from "./session-record";
import type { ErasedSession, NewSession, SessionSettings } from "./session-rpc";
import type { Session, SessionCreate, SessionPatch } from "./session-schemas";
import { enforceContextBudget } from "./short-term/context-items";
import { resizeWindow } from "./short-term/conversation";

const NO_COUNTS = { messages: 0, tokens: 0, context: 0, pending: 0, memories: 0 };

type EndStatus = "paused" | "closed";
type EndedSession = Session & { promoted: number };

/** Notes of activity within the time after which a session is abandoned: one an hour of a day. */
const ACTIVITY_NOTES = 24;

export class SessionLifecycle {
  readonly #core: SessionCore;
  readonly #promoter: Promoter;
  readonly #cognition: Cognition;
  /** The erasure in flight, shared by concurrent calls. */
  #erasure: Promise<ErasedSession> | null = null;

  #redaction: Promise<null> = Promise.resolve(null);

  constructor(core: SessionCore, promoter: Promoter, cognition: Cognition) {
    this.#core = core;
    this.#promoter = promoter;
    this.#cognition = cognition;
  }

  async create(ref: SessionRef, create: NewSession, idempotency: Idempotency): Promise<Session> {
    const { storage } = this.#core;
    const session = storage.write(() => {
      if (storage.read() !== null) {
        const stored = this.#core.idempotency.findAnswer<Session>(idempotency);
        if (stored !== null) return stored;
        throw failure(
          "conflict",
          `Session ${ref.id} exists already. Choose another id, or leave it out to get a new one.`,
        );
      }
      const { record } = storage.initialise(unwrap(createRecord(ref, create, this.#core.isoNow)));
      this.#setTriggers(create.projectors ?? {});
      this.#setSpaces(record, create);
      return this.#core.idempotency.saveAnswer(idempotency, toSession(record, NO_COUNTS));
    });
    await this.#core.schedule();
    await this.#core.updateRegistry(ref);
    return session;
  }

  /** Stores the spaces that the session starts with: inherited ones, and those of the request in their place. */
  #setSpaces(record: SessionRecord, { inherited, spaces }: NewSession): void {
    if (inherited === undefined && spaces === undefined) return;
    const { storage, isoNow } = this.#core;
    const before = storage.spaces.load(record, "all");
    const put = { spaces: { ...inherited?.spaces, ...spaces }, metadata: inherited?.metadata };
    storage.spaces.save(before, unwrap(replaceContainer(before, put, isoNow)));
  }

  #setTriggers(triggers: NonNullable<SessionCreate["projectors"]>): void {
    const { storage } = this.#core;
    const projectors = storage.read()?.projectors ?? [];
    for (const [name, trigger] of Object.entries(triggers)) {
      const state = projectors.find((known) => known.name === name);
      if (state === undefined) {
        const names = projectors.map((known) => known.name).join(", ");
        throw fieldFailure(`projectors.${name}`, `is no projector: there are ${names}`);
      }
      storage.saveProjector(withTrigger(state, trigger));
    }
  }

  async get(ref: SessionRef): Promise<Session> {
    await this.#abandonIfIdle(ref);
    return this.#toView(ref);
  }

  async getSettings(_ref: SessionRef): Promise<SessionSettings | null> {
    const record = this.#core.storage.read()?.record;
    if (record === undefined) return null;
    const { user_id, agent_id, project_id, participating_agents, status, policy, token_budget } = record;
    const reach = getReach(record);
    return {
      user_id,
      agent_id,
      project_id,
      participating_agents,
      reach,
      status,
      erasing: record.erasing !== null,
      policy: policy as PolicyInput | null,
      token_budget,
    };
  }

  async patch(ref: SessionRef, patch: SessionPatch): Promise<Session> {
    const { storage } = this.#core;
    await this.#core.mutate(ref, null, (memory, now) => {
      const patched = unwrap(patchRecord(memory.record, patch));
      if (isSameInRegistry(memory.record, patched)) storage.saveRecord(patched);
      else this.#core.saveRegistered(patched);
      resizeWindow(this.#core, memory, memory.record.token_budget.conversation, now);
      enforceContextBudget(storage, memory, "", now);
      return null;
    });
    return this.#toView(ref);
  }

  pause(ref: SessionRef, idempotency: Idempotency): Promise<EndedSession> {
    return this.#core.runOnce(ref, idempotency, () => this.#end(ref, "paused"));
  }

  close(ref: SessionRef, idempotency: Idempotency): Promise<EndedSession> {
    return this.#core.runOnce(ref, idempotency, () => this.#end(ref, "closed"));
  }

  resume(ref: SessionRef, idempotency: Idempotency): Promise<Session> {
    return this.#core.runOnce(ref, idempotency, async () => {
      await this.#core.mutate(ref, null, (memory) => {
        if (memory.record.status !== "active") this.#core.changeStatus(memory, "active");
        return null;
      });
      return this.#toView(ref);
    });
  }

  /**
   * Promotes before the status changes, so that a session that ends leaves no candidate behind. It never waits for a
   * language model: the alarm finishes the model's work.
   */
  async #end(ref: SessionRef, status: EndStatus): Promise<EndedSession> {
    const core = this.#core;
    const { projectors } = this.#cognition;
    const record = this.#requireEndable(ref, status);
    let promoted = 0;
    if (status === "paused") promoted = await this.#promoter.promoteAtPause(ref);
    else if (record.status !== "closed") promoted = await this.#promoter.promoteFinally(ref, "close");
    await projectors.runDue(ref, "end");
    core.storage.write(() => {
      // A concurrent call may have closed it.
      if (this.#requireEndable(ref, status).status !== "closed") core.changeStatus(core.require(ref), status);
    });
    // No tick follows: entries that arrived during the first run are projected now.
    await projectors.runDue(ref, "end");
    await core.schedule();
    await core.updateRegistry(ref);
    return { ...(await this.#toView(ref)), promoted };
  }

  /** Returns the record of a session that may be ended this way: closing twice is allowed, pausing a closed one is not. */
  #requireEndable(ref: SessionRef, status: EndStatus): SessionRecord {
    const { record } = this.#core.require(ref);
    if (record.status === "closed" && status === "paused") {
      throw failure("conflict", `Session ${ref.id} is closed. A closed session stays closed.`);
    }
    return record;
  }

  /**
   * Records that the session is in use: one that only recalls is not idle. The time is stored a few times within the
   * period after which a session is abandoned, so that most recalls write nothing.
   */
  async recordActivity(ref: SessionRef): Promise<null> {
    const { storage, isoNow, settings } = this.#core;
    const { record } = this.#core.require(ref);
    const age = this.#core.now() - Date.parse(record.updated_at);
    if (age >= 0 && age < settings.abandonAfterMs / ACTIVITY_NOTES) return null;
    storage.write(() => storage.saveRecord({ ...record, updated_at: isoNow }));
    return null;
  }

  async hasAnswered(_ref: SessionRef, op: string): Promise<boolean> {
    const { storage } = this.#core;
    return storage.read() !== null && storage.hasAnswer(op);
  }

  async abandonIfIdle(ref: SessionRef): Promise<{ abandoned: boolean }> {
    const { storage } = this.#core;
    const abandoned = await this.#abandonIfIdle(ref);
    if (!abandoned) {
      // The registry stores the time of the last use, so that the sweep does not select the session again too soon.
      storage.write(() => {
        this.#core.saveRegistered(this.#core.require(ref).record);
      });
      await this.#core.updateRegistry(ref);
    }
    return { abandoned };
  }

  async #abandonIfIdle(ref: SessionRef): Promise<boolean> {
    const core = this.#core;
    const { record } = core.require(ref);
    const idle = core.now() - Date.parse(record.updated_at) > core.settings.abandonAfterMs;
    if (!idle || record.status === "closed" || record.status === "abandoned") return false;
    await this.#promoter.promoteFinally(ref, "abandon");
    await this.#cognition.projectors.runDue(ref, "end");
    // A concurrent call may have used the session.
    const current = core.require(ref);
    if (current.record.updated_at !== record.updated_at) return false;
    core.storage.write(() => core.changeStatus(current, "abandoned"));
    await core.schedule();
    await core.updateRegistry(ref);
    return true;
  }

  /** Stores the intention first, then erases the long-term part, then the object: the alarm resumes after a crash. */
  erase(ref: SessionRef, options: { memories: boolean }): Promise<ErasedSession> {
    this.#erasure ??= this.#erase(ref, options).finally(() => {
      this.#erasure = null;
    });
    return this.#erasure;
  }

  async #erase(ref: SessionRef, options: { memories: boolean }): Promise<ErasedSession> {
    const core = this.#core;
    const { storage } = core;
    const begun = storage.read()?.record.erasing ?? null;
    if (begun === null) {
      const { record } = core.require(ref);
      storage.write(() => storage.saveRecord({ ...record, erasing: options }));
      await core.schedule();
    }
    const { store, indexing, outbox } = core.services(ref);
    await Promise.all([outbox.idle(), this.#cognition.idle()]);
    const { memories, triples, vectors } = await store.sessions.erase(ref.id, {
      memories: options.memories || begun?.memories === true,
    });
    void indexing.wake();
    const counts = storage.countItems();
    this.#cognition.sockets.closeAll();
    await storage.eraseAll();
    core.alarm.markDeleted();
    return { ...counts, memories, triples, vectors };
  }

  /** Runs one at a time: each rewrites the sealed segments of the thread as it finds them. */
  redact(_ref: SessionRef, redactions: readonly Redaction[]): Promise<null> {
    const redaction = this.#redaction.then(async () => {
      const record = this.#core.storage.read()?.record;
      if (record?.erasing === null) await redactSession(this.#core, redactions);
      return null;
    });
    // A failed redaction does not stop the next one.
    this.#redaction = redaction.catch(() => null);
    return redaction;
  }

  async #toView(ref: SessionRef): Promise<Session> {
    const { record, buffer, context, pending } = this.#core.require(ref);
    const memories = await this.#core.services(ref).store.memories.countLive(ref.id);
    return toSession(record, {
      messages: buffer.slots.length,
      tokens: buffer.tokens,
      context: context.size,
      pending: pending.length,
      memories,
    });
  }
}
