// One session, the only writer of its short-term memory: RPC, storage, alarm and WebSockets of src/session.
import { DurableObject } from "cloudflare:workers";
import type { MaskedCount } from "../src/domain/privacy/mask-values";
import { type Bindings, readSettings } from "../src/platform/env";
import { toResult } from "../src/platform/errors";
import { type CompactibleObject, compactObjectFile } from "../src/platform/file-compactor";
import type { BookmarkTracker } from "../src/platform/replicas/bookmark-tracker";
import { createTelemetry } from "../src/platform/telemetry";
import { Cognition } from "../src/session/cognition/cognition";
import { SessionSpaces } from "../src/session/cognition/session-spaces";
import { ContextAssembler } from "../src/session/context-assembler";
import { extractAllByRules } from "../src/session/extraction/extract-by-rules";
import { ModelExtractor } from "../src/session/extraction/model-extractor";
import { Promoter } from "../src/session/promotion/promoter";
import type { SessionResult } from "../src/session/session-client";
import { SessionCore } from "../src/session/session-core";
import { SessionLifecycle } from "../src/session/session-lifecycle";
import type { Destination } from "../src/session/session-privacy";
import type { SessionRef } from "../src/session/session-record";
import { fingerprintSettings, type SessionRpc } from "../src/session/session-rpc";
import { restoreDueTimes, selectDueTimes } from "../src/session/session-schedule";
import { ContextItems } from "../src/session/short-term/context-items";
import { SessionConversation } from "../src/session/short-term/conversation";
import { SessionTransfer } from "../src/session/transfer/session-transfer";

type Args<Name extends keyof SessionRpc> = Parameters<SessionRpc[Name]>;

export class SessionObject extends DurableObject<Bindings> implements SessionRpc, CompactibleObject {
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

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#core = new SessionCore({
      state,
      env,
      settings: readSettings(env),
      telemetry: createTelemetry(env.TELEMETRY),
      now: () => this.now(),
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

  create(...args: Args<"create">) {
    return this.#write(args, (...clean) => this.#lifecycle.create(...clean));
  }

  get(...args: Args<"get">) {
    return this.#answer(args[0], () => this.#lifecycle.get(...args));
  }

  getSettings(...args: Args<"getSettings">) {
    return this.#answer(args[0], () => this.#lifecycle.getSettings(...args));
  }

  patch(...args: Args<"patch">) {
    return this.#write(args, (...clean) => this.#lifecycle.patch(...clean));
  }

  pause(...args: Args<"pause">) {
    return this.#answer(args[0], () => this.#lifecycle.pause(...args));
  }

  resume(...args: Args<"resume">) {
    return this.#answer(args[0], () => this.#lifecycle.resume(...args));
  }

  close(...args: Args<"close">) {
    return this.#answer(args[0], () => this.#lifecycle.close(...args));
  }

  recordActivity(...args: Args<"recordActivity">) {
    return this.#answer(args[0], () => this.#lifecycle.recordActivity(...args));
  }

  hasAnswered(...args: Args<"hasAnswered">) {
    return this.#answer(args[0], () => this.#lifecycle.hasAnswered(...args));
  }

  abandonIfIdle(...args: Args<"abandonIfIdle">) {
    return this.#answer(args[0], () => this.#lifecycle.abandonIfIdle(...args));
  }

  erase(...args: Args<"erase">) {
    return this.#answer(args[0], () => this.#lifecycle.erase(...args));
  }

  redact(...args: Args<"redact">) {
    return this.#answer(args[0], () => this.#lifecycle.redact(...args));
  }

  readRecords(...args: Args<"readRecords">) {
    return this.#answer(args[0], () => this.#transfer.read(...args));
  }

  findLastSeq(...args: Args<"findLastSeq">) {
    return this.#answer(args[0], async () => this.#transfer.findLastSeq());
  }

  importRecords(...args: Args<"importRecords">) {
    return this.#write(args, (...clean) => this.#transfer.import(...clean), "recorded");
  }

  addMessages(...args: Args<"addMessages">) {
    return this.#write(args, (...clean) => this.#conversation.add(...clean), "window");
  }

  prepareRecall(...args: Args<"prepareRecall">) {
    return this.#answer(args[0], () => this.#conversation.prepareRecall(...args));
  }

  listMessages(...args: Args<"listMessages">) {
    return this.#answer(args[0], () => this.#conversation.list(...args));
  }

  listRecentMessages(...args: Args<"listRecentMessages">) {
    return this.#answer(args[0], () => this.#conversation.listRecent(...args));
  }

  putContext(...args: Args<"putContext">) {
    return this.#write(args, (...clean) => this.#context.put(...clean));
  }

  getContext(...args: Args<"getContext">) {
    return this.#answer(args[0], () => this.#context.get(...args));
  }

  listContext(...args: Args<"listContext">) {
    return this.#answer(args[0], () => this.#context.list(...args));
  }

  deleteContext(...args: Args<"deleteContext">) {
    return this.#answer(args[0], () => this.#context.delete(...args));
  }

  addPending(...args: Args<"addPending">) {
    return this.#write(args, (...clean) => this.#promoter.addPending(...clean));
  }

  listPending(...args: Args<"listPending">) {
    return this.#answer(args[0], () => this.#promoter.listPending(...args));
  }

  promote(...args: Args<"promote">) {
    return this.#answer(args[0], () => this.#promoter.promote(...args));
  }

  remember(...args: Args<"remember">) {
    return this.#write(args, (...clean) => this.#promoter.remember(...clean));
  }

  rememberWithSettings(...args: Args<"rememberWithSettings">) {
    return this.#write(args, async ({ settings, ...ref }, requests) => {
      if (fingerprintSettings(await this.#lifecycle.getSettings(ref)) !== settings) return null;
      const ops = requests.flatMap(({ idempotency }) => idempotency?.op ?? []);
      const known = await Promise.all(ops.map((op) => this.#lifecycle.hasAnswered(ref, op)));
      return { results: await this.#promoter.remember(ref, requests), repeated: known.includes(true) };
    });
  }

  assemble(...args: Args<"assemble">) {
    const [ref, , { reads }] = args;
    const bookmarks = this.#core.openReads(ref, reads);
    return this.#answer(ref, () => this.#assembler.assemble(...args, bookmarks), bookmarks);
  }

  readKnowledge(...args: Args<"readKnowledge">) {
    return this.#answer(args[0], async () => this.#assembler.readKnowledge(...args));
  }

  getMemory(...args: Args<"getMemory">) {
    return this.#answer(args[0], () => this.#spaces.getContainer(...args));
  }

  putMemory(...args: Args<"putMemory">) {
    return this.#write(args, (...clean) => this.#spaces.putContainer(...clean));
  }

  readSpaces(...args: Args<"readSpaces">) {
    return this.#answer(args[0], () => this.#spaces.readForSuccessor(...args));
  }

  patchMemory(...args: Args<"patchMemory">) {
    return this.#write(args, (...clean) => this.#spaces.patchContainer(...clean));
  }

  getSpace(...args: Args<"getSpace">) {
    return this.#answer(args[0], () => this.#spaces.get(...args));
  }

  getSpaceKey(...args: Args<"getSpaceKey">) {
    return this.#answer(args[0], () => this.#spaces.getKey(...args));
  }

  putSpace(...args: Args<"putSpace">) {
    return this.#write(args, (...clean) => this.#spaces.put(...clean));
  }

  deleteSpace(...args: Args<"deleteSpace">) {
    return this.#answer(args[0], () => this.#spaces.delete(...args));
  }

  changeSpace(...args: Args<"changeSpace">) {
    return this.#write(args, (...clean) => this.#spaces.change(...clean));
  }

  noteFact(...args: Args<"noteFact">) {
    return this.#write(args, (...clean) => this.#spaces.noteFact(...clean));
  }

  listTasks(...args: Args<"listTasks">) {
    return this.#answer(args[0], () => this.#spaces.listTasks(...args));
  }

  getNextTask(...args: Args<"getNextTask">) {
    return this.#answer(args[0], () => this.#spaces.getNextTask(...args));
  }

  addTask(...args: Args<"addTask">) {
    return this.#write(args, (...clean) => this.#spaces.addTask(...clean));
  }

  completeTask(...args: Args<"completeTask">) {
    return this.#answer(args[0], () => this.#spaces.completeTask(...args));
  }

  removeTask(...args: Args<"removeTask">) {
    return this.#answer(args[0], () => this.#spaces.removeTask(...args));
  }

  orderTasks(...args: Args<"orderTasks">) {
    return this.#answer(args[0], () => this.#spaces.orderTasks(...args));
  }

  appendThread(...args: Args<"appendThread">) {
    return this.#write(args, (...clean) => this.#cognition.appendThread(...clean), "window");
  }

  readThread(...args: Args<"readThread">) {
    return this.#answer(args[0], () => this.#cognition.readThread(...args));
  }

  recordToolUse(...args: Args<"recordToolUse">) {
    return this.#write(args, (...clean) => this.#cognition.recordToolUse(...clean), "recorded");
  }

  listProjectors(...args: Args<"listProjectors">) {
    return this.#answer(args[0], () => this.#cognition.listProjectors(...args));
  }

  patchProjector(...args: Args<"patchProjector">) {
    return this.#answer(args[0], () => this.#cognition.patchProjector(...args));
  }

  runProjector(...args: Args<"runProjector">) {
    return this.#answer(args[0], () => this.#cognition.runProjector(...args));
  }

  acceptDirective(...args: Args<"acceptDirective">) {
    return this.#write(args, (...clean) => this.#cognition.acceptDirective(...clean));
  }

  listSignals(...args: Args<"listSignals">) {
    return this.#answer(args[0], () => this.#cognition.listSignals(...args));
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

  /** `bookmarks` are those of a call that reads for its caller. */
  async #answer<T>(
    ref: SessionRef,
    work: () => Promise<T>,
    bookmarks: BookmarkTracker | null = null,
  ): Promise<SessionResult<T>> {
    const result = await toResult("session", async () => {
      await this.#core.privacy.use(ref);
      await this.#core.ontology.use(ref);
      await this.#core.reconcileAlarm();
      return work();
    });
    const { bookmark } = this.#core;
    const seen = bookmarks?.newest ?? null;
    return { ...result, ...(bookmark !== null && { bookmark }), ...(seen !== null && { seen }) };
  }

  /** Runs a write with arguments that have passed the privacy gate, and answers with what it masked. */
  async #write<A extends [SessionRef, ...unknown[]], T>(
    args: A,
    work: (...args: A) => Promise<T>,
    destination: Destination = "store",
  ): Promise<SessionResult<T>> {
    const [ref, ...given] = args;
    let masked: MaskedCount[] = [];
    const result = await this.#answer(ref, () => {
      const cleaned = this.#core.privacy.clean(given, destination);
      masked = cleaned.masked;
      return work(...([ref, ...cleaned.args] as unknown as A));
    });
    this.#core.reportSize(ref);
    return masked.length === 0 ? result : { ...result, masked };
  }
}
