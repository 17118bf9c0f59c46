// One session, the only writer of its short-term memory: RPC, storage, alarm and WebSockets of src/sessions.

import { DurableObject } from "cloudflare:workers";
import { Cognition } from "../src/cognition/runtime/cognition";
import { SessionSpaces } from "../src/cognition/runtime/session-spaces";
import { type Bindings, readSettings } from "../src/kernel/env";
import { toResult } from "../src/kernel/errors";
import { type CompactibleObject, compactObjectFile } from "../src/kernel/file-compactor";
import { createTelemetry } from "../src/kernel/telemetry";
import { createLongTermMemory } from "../src/services/long-term-memory";
import { ContextAssembler } from "../src/sessions/context-assembler";
import { extractAllByRules } from "../src/sessions/promotion/extract-by-rules";
import { ModelExtractor } from "../src/sessions/promotion/model-extractor";
import { Promoter } from "../src/sessions/promotion/promoter";
import {
  defineSessionCalls,
  SESSION_CALLS,
  type SessionCall,
  type SessionCallName,
} from "../src/sessions/session-calls";
import type { SessionResult } from "../src/sessions/session-client";
import { SessionCore } from "../src/sessions/session-core";
import { SessionLifecycle } from "../src/sessions/session-lifecycle";
import type { SessionRef } from "../src/sessions/session-record";
import { fingerprintSettings, type SessionRpc } from "../src/sessions/session-rpc";
import { restoreDueTimes, selectDueTimes } from "../src/sessions/session-schedule";
import { SessionTransfer } from "../src/sessions/session-transfer";
import { ContextItems } from "../src/sessions/short-term/context-items";
import { SessionConversation } from "../src/sessions/short-term/conversation";
import { createMaskCollector, withMasked } from "../src/trust/privacy/privacy-gate";

type SessionHandlers = {
  [Name in SessionCallName]: (
    ...args: Parameters<SessionRpc[Name]>
  ) => Promise<Extract<Awaited<ReturnType<SessionRpc[Name]>>, { ok: true }>["value"]>;
};

/** The calls are defined by their table, so their types are stated here. */
const DeclaredObject = DurableObject as unknown as new (
  state: DurableObjectState,
  env: Bindings,
) => DurableObject<Bindings> & SessionRpc;

export class SessionObject extends DeclaredObject implements CompactibleObject {
  static {
    defineSessionCalls(SessionObject.prototype, (object, name, ref, args) => object.#serve(name, ref, args));
  }

  /** The clock in milliseconds, a field so that tests can set it. */
  now: () => number = () => Date.now();

  readonly #core: SessionCore;
  readonly #lifecycle: SessionLifecycle;
  readonly #conversation: SessionConversation;
  readonly #context: ContextItems;
  readonly #promoter: Promoter;
  readonly #modelExtractor: ModelExtractor;
  readonly #assembler: ContextAssembler;
  readonly #spaces: SessionSpaces;
  readonly #cognition: Cognition;
  readonly #transfer: SessionTransfer;

  readonly #handlers: SessionHandlers = {
    create: (...args) => this.#lifecycle.create(...args),
    get: (...args) => this.#lifecycle.get(...args),
    getSettings: (...args) => this.#lifecycle.getSettings(...args),
    patch: (...args) => this.#lifecycle.patch(...args),
    pause: (...args) => this.#lifecycle.pause(...args),
    resume: (...args) => this.#lifecycle.resume(...args),
    close: (...args) => this.#lifecycle.close(...args),
    recordActivity: (...args) => this.#lifecycle.recordActivity(...args),
    hasAnswered: (...args) => this.#lifecycle.hasAnswered(...args),
    abandonIfIdle: (...args) => this.#lifecycle.abandonIfIdle(...args),
    erase: (...args) => this.#lifecycle.erase(...args),
    redact: (...args) => this.#lifecycle.redact(...args),
    readRecords: (...args) => this.#transfer.read(...args),
    findLastSeq: async () => this.#transfer.findLastSeq(),
    importRecords: (...args) => this.#transfer.import(...args),
    addMessages: (...args) => this.#conversation.add(...args),
    prepareRecall: (...args) => this.#conversation.prepareRecall(...args),
    listMessages: (...args) => this.#conversation.list(...args),
    listRecentMessages: (...args) => this.#conversation.listRecent(...args),
    putContext: (...args) => this.#context.put(...args),
    getContext: (...args) => this.#context.get(...args),
    listContext: (...args) => this.#context.list(...args),
    deleteContext: (...args) => this.#context.delete(...args),
    addPending: (...args) => this.#promoter.addPending(...args),
    listPending: (...args) => this.#promoter.listPending(...args),
    promote: (...args) => this.#promoter.promote(...args),
    remember: (...args) => this.#promoter.remember(...args),
    rememberWithSettings: async ({ settings, ...ref }, writes) => {
      if (fingerprintSettings(await this.#lifecycle.getSettings(ref)) !== settings) return null;
      const known = await Promise.all(writes.map(({ op }) => this.#lifecycle.hasAnswered(ref, op)));
      return { results: await this.#promoter.remember(ref, writes), repeated: known.includes(true) };
    },
    assemble: (...args) => this.#assembler.assemble(...args),
    readKnowledge: async (ref) => this.#assembler.readKnowledge(ref),
    getSpaces: (...args) => this.#spaces.getContainer(...args),
    replaceSpaces: (...args) => this.#spaces.putContainer(...args),
    readSpacesForSuccessor: (...args) => this.#spaces.readForSuccessor(...args),
    patchSpaces: (...args) => this.#spaces.patchContainer(...args),
    getSpace: (...args) => this.#spaces.get(...args),
    getSpaceKey: (...args) => this.#spaces.getKey(...args),
    putSpace: (...args) => this.#spaces.put(...args),
    deleteSpace: (...args) => this.#spaces.delete(...args),
    changeSpace: (...args) => this.#spaces.change(...args),
    noteFact: (...args) => this.#spaces.noteFact(...args),
    listTasks: (...args) => this.#spaces.listTasks(...args),
    getNextTask: (...args) => this.#spaces.getNextTask(...args),
    addTask: (...args) => this.#spaces.addTask(...args),
    completeTask: (...args) => this.#spaces.completeTask(...args),
    removeTask: (...args) => this.#spaces.removeTask(...args),
    orderTasks: (...args) => this.#spaces.orderTasks(...args),
    appendThread: (...args) => this.#cognition.appendThread(...args),
    readThread: (...args) => this.#cognition.readThread(...args),
    recordToolUse: (...args) => this.#cognition.recordToolUse(...args),
    listProjectors: (...args) => this.#cognition.listProjectors(...args),
    patchProjector: (...args) => this.#cognition.patchProjector(...args),
    runProjector: (...args) => this.#cognition.runProjector(...args),
    acceptDirective: (...args) => this.#cognition.acceptDirective(...args),
    listSignals: (...args) => this.#cognition.listSignals(...args),
  };

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#core = new SessionCore({
      state,
      env,
      settings: readSettings(env),
      telemetry: createTelemetry(env.TELEMETRY),
      now: () => this.now(),
      openMemory: createLongTermMemory,
      onSent: () => this.#cognition.deliverSignals(),
    });
    this.#spaces = new SessionSpaces(this.#core);
    this.#cognition = new Cognition(this.#core, state);
    this.#conversation = new SessionConversation(this.#core, (ref) => this.#cognition.startDueWork(ref));
    this.#context = new ContextItems(this.#core);
    this.#promoter = new Promoter(this.#core);
    this.#modelExtractor = new ModelExtractor(this.#core, this.#promoter);
    this.#assembler = new ContextAssembler(this.#core);
    this.#transfer = new SessionTransfer(this.#core);
    this.#lifecycle = new SessionLifecycle(this.#core, this.#promoter, this.#cognition);
  }

  override async alarm(): Promise<void> {
    const { storage, alarm } = this.#core;
    await alarm.read();
    const memory = storage.read();
    if (memory === null) return;
    const { tenant, id, erasing } = memory.record;
    const ref = { tenant, id };
    const due = selectDueTimes(restoreDueTimes(storage, memory, this.now()), this.now());
    const byModel = this.#core.extractsByModel(memory.record);
    const cleared = Object.fromEntries([...due].map((name) => [name, null]));
    storage.write(() => storage.saveRecord({ ...memory.record, ...cleared }));
    await this.#core.privacy.reload(tenant);
    // Failures stay in the outbox and are retried with back-off, so none is thrown to the platform's own retries.
    await this.#answer(ref, async () => {
      if (erasing !== null) return this.#lifecycle.erase(ref, erasing);
      if (due.has("expire_at")) {
        this.#spaces.sweep();
        storage.deleteExpiredAnswers(this.now());
      }
      if (due.has("retry_at") || due.has("send_at"))
        await this.#core.services(ref).outbox.drain({ messages: true });
      if (due.has("extract_at") && !byModel) extractAllByRules(this.#core, ref, "alarm");
      if (due.has("promote_at")) await this.#promoter.promoteByAlarm(ref);
      else if (due.has("extract_at")) await this.#promoter.promoteExtracted(ref);
      return null;
    });
    if (storage.read()?.record.erasing === null)
      await Promise.all([
        this.#answer(ref, () => this.#cognition.runDueWork(ref, due)),
        due.has("extract_at") && byModel ? this.#answer(ref, () => this.#modelExtractor.run(ref)) : null,
      ]);
    this.#core.reportSize(ref);
    await this.#core.schedule();
  }

  /** Opens a WebSocket of signals. The Worker has authenticated the caller. */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const after = searchParams.get("after");
    const ref = { tenant: searchParams.get("tenant") ?? "", id: searchParams.get("id") ?? "" };
    const reader = {
      after: after === null ? undefined : Number(after),
      key: searchParams.get("key") ?? "",
      acknowledges: searchParams.has("acknowledges"),
    };
    const opened = await this.#answer(ref, () => this.#cognition.openSocket(ref, reader));
    return opened.ok ? opened.value : Response.json(opened);
  }

  /** A message of a reader is the number of the last signal that it has read; anything else is ignored. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    if (typeof message === "string") this.#cognition.sockets.acknowledge(socket, message);
  }

  compactFile(): Promise<boolean> {
    return compactObjectFile(this.ctx, this.env.FILE_COMPACTOR, "SessionObject");
  }

  /** Serves a call as it declares. */
  async #serve(name: SessionCallName, ref: SessionRef, args: unknown[]): Promise<SessionResult<unknown>> {
    const call: SessionCall = SESSION_CALLS[name];
    const handle = this.#handlers[name] as (...args: unknown[]) => Promise<unknown>;
    if (!call.writes) return this.#answer(ref, () => handle({ ...ref, creates: false }, ...args));
    const masked = createMaskCollector();
    const write = (given: readonly unknown[]) => handle({ ...ref, creates: call.creates }, ...given);
    const result = await this.#answer(ref, () =>
      call.masks === null ? write(args) : this.#core.privacy.pass(args, call.masks, masked, write),
    );
    this.#core.reportSize(ref);
    return withMasked(result, masked);
  }

  /** Runs work with the rules of its call. */
  async #answer<T>(ref: SessionRef, work: () => Promise<T>): Promise<SessionResult<T>> {
    const result = await toResult("session", async () => {
      await this.#core.privacy.use(ref);
      await this.#core.ontology.use(ref);
      await this.#core.reconcileAlarm();
      return work();
    });
    const { bookmark } = this.#core;
    return bookmark === null ? result : { ...result, bookmark };
  }
}
