// A session's thread, projectors, directives and signals: the calls on them, and the background work that a write or
// the alarm starts.
import { openDatabase } from "../../kernel/databases/d1";
import { type FailureError, failure } from "../../kernel/errors";
import { sha256Hex } from "../../kernel/hash";
import type { Idempotency } from "../../kernel/idempotency";
import { isJsonObject, type Json, parseJson } from "../../kernel/json";
import { clip, listQuotedIds } from "../../language/normalise-text";
import type { SessionCore } from "../../sessions/session-core";
import type { DueTimes, SessionRef } from "../../sessions/session-record";
import type { SignalReader } from "../../sessions/session-rpc";
import { findActiveKeys } from "../../trust/keys/key-repository";
import { findProjector, PROJECTORS } from "../projectors/projector-registry";
import { DirectiveRunner, enqueueDirective } from "./directive-runner";
import { ProjectorRunner } from "./projector-runner";
import { type ProjectorState, withTrigger } from "./projector-states";
import { SignalSockets } from "./signals";
import { createCallRef, type ThreadRange } from "./thread-log";
import type {
  Directive,
  DirectiveAccepted,
  ProjectorPatch,
  ProjectorRun,
  ProjectorView,
  SignalPage,
  ThreadAppended,
  ThreadEntryInput,
  ThreadPage,
} from "./thread-schemas";

/** The length at which the thread clips a tool call or its result, in characters. */
const MAX_TOOL_CHARS = 16_000;

export class Cognition {
  readonly projectors: ProjectorRunner;
  readonly sockets: SignalSockets;
  readonly #core: SessionCore;
  readonly #directives: DirectiveRunner;
  #sealing: Promise<void> | null = null;

  constructor(core: SessionCore, state: DurableObjectState) {
    this.#core = core;
    this.projectors = new ProjectorRunner(core);
    this.sockets = new SignalSockets({
      state,
      findNext: (after) => core.storage.signals.findNext(after),
      findActiveKeys: async (keys) => {
        const tenant = core.storage.read()?.record.tenant;
        if (tenant === undefined) return new Set();
        return findActiveKeys(openDatabase(core.env.DB), tenant, keys, new Date().toISOString());
      },
    });
    this.#directives = new DirectiveRunner(core, () => this.deliverSignals());
  }

  async appendThread(
    ref: SessionRef,
    entries: ThreadEntryInput[],
    idempotency: Idempotency,
  ): Promise<ThreadAppended> {
    const { storage } = this.#core;
    const appended = await this.#core.mutate(ref, idempotency, (_memory, now) => {
      const first_seq = storage.thread.lastSeq() + 1;
      for (const { kind, payload, at } of entries)
        storage.appendToThread({ kind, payload, at: at ?? new Date(now).toISOString() });
      return { first_seq, last_seq: storage.thread.lastSeq() };
    });
    this.startDueWork(ref);
    return appended;
  }

  async readThread(ref: SessionRef, range: ThreadRange): Promise<ThreadPage> {
    this.#core.require(ref);
    const { entries, next } = await this.#core.storage.thread.read(range);
    return { data: entries, next_seq: next };
  }

  /** Appends a tool call and its result to the thread, unless the session does not exist or is closed. */
  async recordToolUse(ref: SessionRef, callId: string, call: object, result: object): Promise<null> {
    const { storage } = this.#core;
    const record = storage.read()?.record;
    if (record === undefined || record.erasing !== null || record.status === "closed") return null;
    const at = this.#core.isoNow;
    storage.write(() => {
      const ref = createCallRef(callId, call);
      storage.appendToThread({ kind: "tool_call", at, payload: clipPayload(call), ref });
      storage.appendToThread({ kind: "tool_result", at, payload: clipResult(result), ref });
      storage.saveRecord({ ...record, updated_at: at });
    });
    await this.#core.schedule();
    this.startDueWork(ref);
    return null;
  }

  async listProjectors(ref: SessionRef): Promise<ProjectorView[]> {
    return this.#core.require(ref).projectors.map(toProjectorView);
  }

  patchProjector(ref: SessionRef, name: string, { trigger }: ProjectorPatch): Promise<ProjectorView> {
    return this.#core.mutate(ref, null, ({ projectors }) => {
      const state = projectors.find((known) => known.name === name);
      if (state === undefined) throw createProjectorNotFound(name);
      const patched = withTrigger(state, trigger);
      this.#core.storage.saveProjector(patched);
      return toProjectorView(patched);
    });
  }

  runProjector(ref: SessionRef, name: string, idempotency: Idempotency): Promise<ProjectorRun> {
    return this.#core.runOnce(ref, idempotency, async () => {
      const projector = findProjector(name);
      if (projector === undefined) throw createProjectorNotFound(name);
      this.#core.storage.write(() => this.#core.requireWritable(ref));
      const run = await this.projectors.run(ref, projector);
      this.startDueWork(ref);
      return run;
    });
  }

  async acceptDirective(
    ref: SessionRef,
    directive: Directive,
    idempotency: Idempotency,
  ): Promise<DirectiveAccepted> {
    const digest = await sha256Hex(JSON.stringify(directive));
    const accepted = await this.#core.mutate(ref, idempotency, (memory) => ({
      request_id: enqueueDirective(this.#core, memory, directive, digest),
    }));
    this.startDueWork(ref);
    return accepted;
  }

  async listSignals(
    ref: SessionRef,
    { after, limit }: { after: number | undefined; limit: number },
  ): Promise<SignalPage> {
    const cursor = this.#resolveCursor(ref, after);
    const data = this.#core.storage.signals.list(cursor, limit);
    return { data, next: data.at(-1)?.seq ?? cursor };
  }

  /** Opens a WebSocket of the signals after a sequence number, for the holder of a key. */
  async openSocket(ref: SessionRef, { after, key, acknowledges }: SignalReader): Promise<Response> {
    return this.sockets.accept({ cursor: this.#resolveCursor(ref, after), key, acknowledges });
  }

  /** Returns the sequence number to continue after; without one, the client starts at the oldest stored signal. */
  #resolveCursor(ref: SessionRef, after: number | undefined): number {
    this.#core.require(ref);
    const { first, last } = this.#core.storage.signals.getRange();
    if (after !== undefined && after < first - 1)
      throw failure(
        "gone",
        `Signals up to ${first - 1} are no longer kept here. Read them from the thread with kind=signal, and go on with after=${first - 1}.`,
      );
    // A number beyond the newest belongs to an erased session that had the same id.
    return Math.min(after ?? first - 1, last);
  }

  /** Starts the work that the last write has made due, after the call has been answered. */
  startDueWork(ref: SessionRef): void {
    const core = this.#core;
    const memory = core.storage.read();
    if (memory === null || memory.record.erasing !== null) return;
    if (core.storage.directives.findDueTime() !== null) core.runInBackground(this.#directives.drain(ref));
    // Projecting and sealing are CPU-bound: yielding first lets the answer leave.
    for (const trigger of ["entries", "signal"] as const)
      if (this.projectors.isAnyDue(memory, trigger))
        core.runInBackground(scheduler.wait(0).then(() => this.#project(ref, trigger)));
    if (core.storage.thread.isSealable()) core.runInBackground(scheduler.wait(0).then(() => this.#seal()));
  }

  /** Sends new signals to their readers, and starts the projectors that they trigger. */
  deliverSignals(): void {
    this.sockets.send();
    const record = this.#core.storage.read()?.record;
    if (record !== undefined) this.startDueWork(record);
  }

  /** Runs the due projectors, and then what they have made due: directives, and entries or signals that came meanwhile. */
  async #project(ref: SessionRef, trigger: "entries" | "signal" | "tick" | "retry"): Promise<void> {
    await this.projectors.runDue(ref, trigger);
    this.startDueWork(ref);
  }

  /** Runs the due work of an alarm. */
  async runDueWork(ref: SessionRef, due: ReadonlySet<keyof DueTimes>): Promise<void> {
    await Promise.all([
      due.has("project_at") ? this.#project(ref, "tick") : null,
      due.has("reproject_at") ? this.#project(ref, "retry") : null,
      due.has("execute_at") ? this.#directives.drain(ref) : null,
      this.#seal(),
    ]);
  }

  /** Resolves when no directive and no sealing is in flight, which could write during an erasure. */
  async idle(): Promise<void> {
    await Promise.all([this.#directives.idle(), this.#sealing]);
  }

  /** Seals old thread entries into segments, one run at a time. */
  #seal(): Promise<void> {
    this.#sealing ??= this.#sealAll().finally(() => {
      this.#sealing = null;
    });
    return this.#sealing;
  }

  async #sealAll(): Promise<void> {
    const { storage } = this.#core;
    const isWritable = () => storage.read()?.record.erasing === null;
    while (isWritable()) {
      const more = await storage.thread.seal((work) => {
        if (isWritable()) storage.write(work);
      });
      if (!more) return;
    }
  }
}

function toProjectorView({ name, covered_seq, trigger, failures, retry_at }: ProjectorState): ProjectorView {
  return {
    name,
    covered_seq,
    trigger,
    failures,
    retry_at: retry_at === null ? null : new Date(retry_at).toISOString(),
  };
}

function createProjectorNotFound(name: string): FailureError {
  return failure(
    "not_found",
    `Projector not found: ${name}. There are ${PROJECTORS.map((known) => known.name).join(", ")}.`,
  );
}

function clipPayload(payload: object): Json {
  const text = JSON.stringify(payload);
  return text.length > MAX_TOOL_CHARS ? { clipped: clip(text, MAX_TOOL_CHARS) } : parseJson<Json>(text);
}

/** Clips a result. Its ids stay, for the erasure of the memories in it: they may be in the part that is cut off. */
function clipResult(result: object): Json {
  const clipped = clipPayload(result);
  return isJsonObject(clipped) && typeof clipped.clipped === "string"
    ? { ...clipped, memory_ids: listQuotedIds(result) }
    : clipped;
}
