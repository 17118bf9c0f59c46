// A session's cognition: its spaces, thread, projectors, directives and signals, on what every call of a session
// shares. What runs by itself is set going here.
import type { SpaceContainer } from "../../domain/cognition/space-container";
import { LIMITS } from "../../limits";
import { openDatabase } from "../../platform/d1";
import { describeDefect, FailureError, failure, type Result, unwrap } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import type { SignalPage } from "../../schemas/directive";
import { findActiveKeys } from "../../store/key-repository";
import type { SessionCore } from "../session-core";
import type { SessionRef, Times } from "../session-record";
import { DirectiveRunner } from "./directive-runner";
import { Projections } from "./projector-runner";
import { SignalSockets } from "./signals";

export class Cognition {
  readonly projections: Projections;
  readonly directives: DirectiveRunner;
  readonly sockets: SignalSockets;
  readonly #core: SessionCore;
  #sealing: Promise<void> | null = null;

  constructor(core: SessionCore, state: DurableObjectState) {
    this.#core = core;
    this.projections = new Projections(core);
    this.sockets = new SignalSockets({
      state,
      signalsAfter: (seq) => core.storage.signals.after(seq, LIMITS.pageMax),
      standing: async (keys) => {
        const tenant = core.storage.read()?.record.tenant;
        if (tenant === undefined) return new Set();
        return findActiveKeys(openDatabase(core.env.DB), tenant, keys, new Date().toISOString());
      },
    });
    this.directives = new DirectiveRunner(core, () => this.sockets.send());
  }

  /** The container, with some of its spaces or all. */
  read(ref: SessionRef, names: readonly string[] | "all"): SpaceContainer {
    return this.#core.storage.spaces.load(this.#core.existing(ref).record, names);
  }

  /** Changes spaces in one transaction. */
  change<T>(
    ref: SessionRef,
    { names, creates }: { names: readonly string[]; creates: boolean },
    idempotency: Idempotency,
    work: (memory: SpaceContainer, now: string) => Result<{ memory: SpaceContainer; answer: T }>,
  ): Promise<T> {
    const { spaces } = this.#core.storage;
    return this.#core.mutate(ref, { creates }, idempotency, ({ record }, now) => {
      const before = spaces.load(record, names);
      const { memory, answer } = unwrap(work(before, new Date(now).toISOString()));
      spaces.save(before, memory);
      return answer;
    });
  }

  signals(ref: SessionRef, after: number | undefined, limit: number): SignalPage {
    const cursor = this.cursor(ref, after);
    const data = this.#core.storage.signals.after(cursor, limit);
    return { data, next: data.at(-1)?.seq ?? cursor };
  }

  /** Where a client goes on: without a number of its own, from the oldest signal that is kept. */
  cursor(ref: SessionRef, after: number | undefined): number {
    this.#core.existing(ref);
    const { first, last } = this.#core.storage.signals.kept();
    // One that was away for too long is told, and not left with a gap.
    if (after !== undefined && after < first - 1)
      throw failure(
        "gone",
        `Signals up to ${first - 1} are no longer kept here. Read them from the thread with kind=signal, and go on with after=${first - 1}.`,
      );
    // A number that was never reached is of a session that was erased since, and begun anew.
    return Math.min(after ?? first - 1, last);
  }

  /** Sets going what the last write has made due, without keeping its caller waiting. */
  stir(ref: SessionRef): void {
    const memory = this.#core.storage.read();
    if (memory === null) return;
    if (this.#core.storage.directives.dueAt() !== null) this.#soon(this.directives.drain(ref));
    // These take time without ever waiting for anything: the answer goes out first.
    if (this.projections.isDue(memory))
      this.#soon(scheduler.wait(0).then(() => this.projections.runDue(ref, "entries")));
    if (this.#core.storage.thread.isLong()) this.#soon(scheduler.wait(0).then(() => this.seal()));
  }

  /** What the alarm does here. */
  async tick(ref: SessionRef, due: ReadonlySet<keyof Times>): Promise<void> {
    await Promise.all([
      due.has("project_at") ? this.projections.runDue(ref, "tick") : null,
      due.has("reproject_at") ? this.projections.runDue(ref, "retry") : null,
      due.has("execute_at") ? this.directives.drain(ref) : null,
      this.seal(),
    ]);
  }

  /** Old entries leave the rows that every call goes through. */
  seal(): Promise<void> {
    this.#sealing ??= this.#seal().finally(() => {
      this.#sealing = null;
    });
    return this.#sealing;
  }

  async #seal(): Promise<void> {
    const { storage } = this.#core;
    const mayChange = () => storage.read()?.record.erasing === null;
    while (mayChange()) {
      const more = await storage.thread.seal((work) => {
        if (mayChange()) storage.write(work);
      });
      if (!more) return;
    }
  }

  /** Nothing that would write behind the back of an erasure is under way once this is done. */
  async idle(): Promise<void> {
    await Promise.all([this.directives.idle(), this.#sealing]);
  }

  #soon(work: Promise<unknown>): void {
    void work.catch((error: unknown) => {
      if (!(error instanceof FailureError))
        console.error(JSON.stringify({ event: "session.error", ...describeDefect(error) }));
    });
  }
}
