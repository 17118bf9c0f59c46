// One session: its short-term memory, its alarm, its way into long-term memory. A thin shell over src/session:
// it turns RPC calls into work and failures into values.

import type { AssembledPrompt } from "../src/domain/prompt/assemble-prompt";
import { FailureError, failure, invalidField, type Result, unwrap } from "../src/platform/errors";
import type { Idempotency } from "../src/platform/idempotency";
import type { AssembleInput } from "../src/schemas/assemble";
import type { NewMemory, RecallHit } from "../src/schemas/memory";
import type { Message, MessageInput, MessagesAdded } from "../src/schemas/message";
import type { PolicyInput } from "../src/schemas/policy";
import type {
  ContextItem,
  ContextPut,
  PendingCreate,
  PendingItem,
  PromotionAnswer,
  Session,
  SessionCreate,
  SessionPatch,
} from "../src/schemas/session";
import { CognitiveObject } from "../src/session/cognition/cognition-object";
import { triggered } from "../src/session/cognition/projector-states";
import { Assembler } from "../src/session/context-assembler";
import { endSession, eraseSession, rememberIn } from "../src/session/lifecycle";
import { SESSION_OP } from "../src/session/outbox";
import { promoteOnce } from "../src/session/promotion/promoter";
import { newRecord, patchRecord, type SessionRef, toSession } from "../src/session/session-record";
import type {
  ErasedSession,
  Owner,
  Remembered,
  SessionRpc,
  SessionSettings,
} from "../src/session/session-rpc";
import { selectDueTimes } from "../src/session/session-schedule";
import {
  enforceContextBudget,
  logAccess,
  putContext,
  readContext,
  toItem,
} from "../src/session/short-term/context-items";
import { addMessages, resizeWindow } from "../src/session/short-term/conversation";
import { offerPending } from "../src/session/short-term/pending-items";

const EMPTY = { messages: 0, tokens: 0, context: 0, pending: 0, memories: 0 };

export class SessionObject extends CognitiveObject implements SessionRpc {
  readonly #assembler = new Assembler();

  create(ref: SessionRef, create: SessionCreate, idempotency: Idempotency): Promise<Result<Session>> {
    return this.answer(async () => {
      const { storage } = this.core;
      const session = storage.write(() => {
        if (storage.read() !== null) {
          const replayed = this.core.replayed<Session>(idempotency);
          if (replayed !== null) return replayed;
          throw failure(
            "conflict",
            `Session ${ref.id} exists already. Choose another id, or leave it out to get a new one.`,
          );
        }
        const { record, projectors } = storage.initialise(unwrap(newRecord(ref, create, this.core.isoNow)));
        for (const [name, trigger] of Object.entries(create.projectors ?? {})) {
          const state = projectors.find((known) => known.name === name);
          if (state === undefined)
            throw new FailureError(
              invalidField(
                `projectors.${name}`,
                `is no projector: there are ${projectors.map((known) => known.name).join(", ")}`,
              ).failure,
            );
          storage.saveProjector(triggered(state, trigger));
        }
        storage.enqueue(SESSION_OP, { kind: "session" });
        return this.core.remembered(idempotency, toSession(record, EMPTY));
      });
      await this.core.tellRegistry(ref);
      return session;
    });
  }

  get(ref: SessionRef): Promise<Result<Session>> {
    return this.answer(async () => {
      await this.core.abandonIfIdle(ref);
      return this.core.view(ref);
    });
  }

  getSettings(_ref: SessionRef): Promise<Result<SessionSettings | null>> {
    return this.answer(async () => {
      const record = this.core.storage.read()?.record;
      if (record === undefined || record.erasing !== null) return null;
      const { agent_id, project_id, status, policy, token_budget } = record;
      return { agent_id, project_id, status, policy: policy as PolicyInput | null, token_budget };
    });
  }

  patch(ref: SessionRef, patch: SessionPatch): Promise<Result<Session>> {
    return this.answer(async () => {
      const { storage } = this.core;
      await this.core.mutate(ref, { creates: false }, null, (memory, now) => {
        storage.saveRecord(unwrap(patchRecord(memory.record, patch)));
        resizeWindow(storage, memory, memory.record.token_budget.conversation, now);
        enforceContextBudget(storage, memory, "", now);
        return null;
      });
      return this.core.view(ref);
    });
  }

  pause(ref: SessionRef, idempotency: Idempotency): Promise<Result<Session & { promoted: number }>> {
    return this.once(ref, idempotency, () => endSession(this.core, ref, "paused"));
  }

  close(ref: SessionRef, idempotency: Idempotency): Promise<Result<Session & { promoted: number }>> {
    return this.once(ref, idempotency, () => endSession(this.core, ref, "closed"));
  }

  resume(ref: SessionRef, idempotency: Idempotency): Promise<Result<Session>> {
    return this.once(ref, idempotency, async () => {
      await this.core.mutate(ref, { creates: false }, null, (memory) => {
        if (memory.record.status !== "active") this.core.changeStatus(memory, "active");
        return null;
      });
      return this.core.view(ref);
    });
  }

  abandonIfIdle(ref: SessionRef): Promise<Result<{ abandoned: boolean }>> {
    return this.answer(async () => {
      const { storage } = this.core;
      const abandoned = await this.core.abandonIfIdle(ref);
      if (!abandoned) {
        // Still in use: the registry learns when it was last touched, and does not ask again so soon.
        storage.write(() => {
          const { record } = this.core.existing(ref);
          storage.saveRecord({ ...record, version: record.version + 1 });
          storage.enqueue(SESSION_OP, { kind: "session" });
        });
        await this.core.tellRegistry(ref);
      }
      return { abandoned };
    });
  }

  erase(ref: SessionRef, options: { memories: boolean }): Promise<Result<ErasedSession>> {
    return this.answer(() => eraseSession(this.core, ref, options));
  }

  addMessages(
    ref: SessionRef,
    messages: MessageInput[],
    idempotency: Idempotency,
  ): Promise<Result<MessagesAdded>> {
    return this.answer(async () => {
      const added = await this.core.mutate(ref, { creates: true }, idempotency, (memory, now) =>
        addMessages(this.core.storage, memory, messages, now),
      );
      this.core.sendMessagesSoon(ref);
      this.core.cognition.stir(ref);
      return added;
    });
  }

  flushMessages(ref: SessionRef): Promise<Result<Owner>> {
    return this.answer(async () => {
      const { agent_id, project_id } = this.core.existing(ref).record;
      await this.core.sendMessages(ref);
      return { agent_id, project_id };
    });
  }

  listRecentMessages(ref: SessionRef, limit: number): Promise<Result<Message[]>> {
    return this.answer(async () => {
      const { record } = this.core.existing(ref);
      const { messages } = this.core.storage;
      return messages.read({ from: Math.max(record.window_start, messages.last() - limit + 1) });
    });
  }

  listMessages(
    ref: SessionRef,
    page: { limit: number; after: number },
  ): Promise<Result<(Message & { seq: number })[]>> {
    return this.answer(async () => {
      const { record } = this.core.existing(ref);
      return this.core.storage.messages.read({
        from: Math.max(record.window_start, page.after + 1),
        limit: page.limit,
      });
    });
  }

  putContext(ref: SessionRef, key: string, put: ContextPut): Promise<Result<ContextItem>> {
    return this.answer(() =>
      this.core.mutate(ref, { creates: true }, null, (memory, now) =>
        putContext(this.core.storage, memory, key, put, now),
      ),
    );
  }

  getContext(ref: SessionRef, key: string, { peek }: { peek: boolean }): Promise<Result<ContextItem>> {
    return this.answer(async () => {
      const { storage } = this.core;
      const memory = this.core.existing(ref);
      const item = storage.write(() => {
        if (!peek) storage.saveRecord({ ...memory.record, updated_at: this.core.isoNow });
        return readContext(storage, memory, key, { peek, now: this.now() });
      });
      if (item === null) throw failure("not_found", `Context key not found: ${key}`);
      await this.core.schedule();
      return item;
    });
  }

  listContext(ref: SessionRef): Promise<Result<ContextItem[]>> {
    return this.answer(async () => {
      const memory = this.core.existing(ref);
      return [...memory.context.values()].map((item) => toItem(memory, item, this.now()));
    });
  }

  deleteContext(ref: SessionRef, key: string): Promise<Result<null>> {
    return this.answer(() =>
      this.core.mutate(ref, { creates: false }, null, (memory) => {
        if (!memory.context.has(key)) throw failure("not_found", `Context key not found: ${key}`);
        this.core.storage.dropContext(key);
        return null;
      }),
    );
  }

  addPending(ref: SessionRef, item: PendingCreate, idempotency: Idempotency): Promise<Result<PendingItem>> {
    return this.answer(() =>
      this.core.mutate(ref, { creates: true }, idempotency, (memory, now) => {
        const offer = { ...item, rationale: item.rationale ?? null };
        const [stored] = offerPending(this.core.storage, memory, [offer], now);
        if (stored === undefined) throw failure("internal", "The pending memory was not stored.");
        return stored;
      }),
    );
  }

  listPending(ref: SessionRef): Promise<Result<PendingItem[]>> {
    return this.answer(async () => this.core.existing(ref).pending);
  }

  promote(ref: SessionRef, idempotency: Idempotency): Promise<Result<PromotionAnswer>> {
    return this.once(ref, idempotency, async () => {
      const { threshold } = this.core.existing(ref).record.promotion;
      const { promoted, refused } = await promoteOnce(this.core, ref, threshold, "demand");
      if (refused !== null && promoted.length === 0) throw new FailureError(refused);
      return { promoted, remaining: this.core.existing(ref).pending.length };
    });
  }

  remember(
    ref: SessionRef,
    memory: Omit<NewMemory, "session_id" | "agent_id" | "project_id">,
    belonging: Owner,
    idempotency: Idempotency,
  ): Promise<Result<Remembered>> {
    return this.answer(() => rememberIn(this.core, ref, memory, belonging, idempotency));
  }

  assemble(ref: SessionRef, input: AssembleInput): Promise<Result<AssembledPrompt<RecallHit>>> {
    return this.answer(() => {
      const { storage } = this.core;
      const memory = this.core.existing(ref);
      storage.write(() => storage.saveRecord({ ...memory.record, updated_at: this.core.isoNow }));
      const services = { storage, search: this.core.services(ref).search, telemetry: this.telemetry };
      return this.#assembler.assemble(services, memory, input, () => this.now());
    });
  }

  recordRecall(ref: SessionRef, memoryIds: string[]): Promise<Result<null>> {
    return this.answer(async () => {
      const { storage } = this.core;
      const memory = this.core.existing(ref);
      storage.write(() => {
        for (const id of memoryIds) logAccess(storage, memory, `memory:${id}`, this.now());
        storage.saveRecord({ ...memory.record, updated_at: this.core.isoNow });
      });
      return null;
    });
  }

  override async alarm(): Promise<void> {
    const { storage } = this.core;
    await this.core.alarm.read();
    const memory = storage.read();
    if (memory === null) return;
    const { tenant, id, erasing, promotion } = memory.record;
    const ref = { tenant, id };
    const due = selectDueTimes(memory.record, this.now());
    const past = Object.fromEntries([...due].map((name) => [name, null]));
    storage.write(() => storage.saveRecord({ ...memory.record, ...past }));
    // A failure stays in the outbox and is tried again with back-off: throwing would only repeat it sooner.
    await this.answer(async () => {
      if (erasing !== null) return eraseSession(this.core, ref, erasing);
      if (due.has("retry_at")) await this.core.services(ref).outbox.drain();
      if (due.has("promote_at")) await promoteOnce(this.core, ref, promotion.threshold, "alarm");
      return null;
    });
    // Neither waits for the other's success.
    if (storage.read()?.record.erasing === null) await this.answer(() => this.core.cognition.tick(ref, due));
    await this.core.schedule();
  }

  /** The one call that is no RPC: a WebSocket of signals, for src/api, which has let the caller in. */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const after = searchParams.get("after");
    const ref = { tenant: searchParams.get("tenant") ?? "", id: searchParams.get("id") ?? "" };
    const connected = await this.answer(async () =>
      this.openSignals(ref, after === null ? undefined : Number(after), searchParams.get("key") ?? ""),
    );
    return connected.ok ? connected.value : Response.json(connected);
  }
}
