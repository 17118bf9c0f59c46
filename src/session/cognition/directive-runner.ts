// Carries out directives: in the order in which they came, each until it is done or has failed for good, and each
// answered by one signal, which is stored in the transaction that ends it.
import { resolveProvider } from "../../domain/cognition/provider";
import { COGNITION } from "../../limits";
import { describeDefect, FailureError, failure, unwrap } from "../../platform/errors";
import type { Json } from "../../platform/json";
import type { Directive } from "../../schemas/directive";
import type { SessionCore } from "../session-core";
import type { SessionRef } from "../session-record";
import type { SessionStorage, ShortTermMemory } from "../session-storage";
import type { Waiting, Work } from "./directive-queue";
import { openProvider } from "./providers/provider-registry";
import { publish } from "./publish-signal";

/** Inside a transaction: accepts a directive, once per request id. */
export function enqueueDirective(
  storage: SessionStorage,
  { record }: ShortTermMemory,
  directive: Directive,
  digest: string,
): string {
  const requestId = directive.request_id ?? crypto.randomUUID();
  const known = storage.directives.digestOf(requestId);
  if (known !== null) {
    if (known === digest) return requestId;
    throw failure(
      "conflict",
      `The request id ${requestId} was used for another directive. Use a new one, or leave it out.`,
    );
  }
  const { world } = storage.spaces.load(record, ["world"]).spaces;
  const pointers = world !== undefined && !Array.isArray(world.data) ? world.data.pointers : undefined;
  const found = unwrap(resolveProvider(directive.provider, pointers, directive.opts));
  const waiting = storage.directives.count();
  if (waiting >= COGNITION.directivesWaiting)
    throw failure(
      "limit_exceeded",
      `${waiting} directives wait in this session, which is all it takes. Wait for their signals.`,
      { retryAfterSeconds: 1 },
    );
  storage.directives.add(requestId, digest, { directive, ...found });
  return requestId;
}

export class DirectiveRunner {
  readonly #core: SessionCore;
  readonly #onSignal: () => void;
  #running: Promise<void> | null = null;
  #again = false;

  constructor(core: SessionCore, onSignal: () => void) {
    this.#core = core;
    this.#onSignal = onSignal;
  }

  /** Carries out what is due. Only one run at a time; what comes meanwhile is part of it. */
  drain(ref: SessionRef): Promise<void> {
    this.#again = true;
    this.#running ??= this.#run(ref);
    return this.#running;
  }

  async idle(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  async #run(ref: SessionRef): Promise<void> {
    // So that `running` is set before it is taken back.
    await Promise.resolve();
    try {
      while (this.#again) {
        this.#again = false;
        for (let waiting = this.#next(); waiting !== null; waiting = this.#next())
          await this.#carryOut(ref, waiting);
        await this.#core.schedule();
      }
    } finally {
      // Without a wait after the last look at `again`: nobody who asks in between is forgotten.
      this.#running = null;
    }
  }

  #next(): Waiting | null {
    const { storage } = this.#core;
    return storage.read()?.record.erasing === null ? storage.directives.next(this.#core.now()) : null;
  }

  async #carryOut(ref: SessionRef, waiting: Waiting): Promise<void> {
    const started = this.#core.now();
    try {
      const result = await this.#ask(ref, waiting);
      this.#answer(ref, waiting, started, { status: "ok", result });
    } catch (error) {
      if (error instanceof FailureError && !mayPass(error)) {
        const { code, detail } = error.failure;
        this.#answer(ref, waiting, started, { status: "error", error: { code, detail } });
        return;
      }
      console.error(JSON.stringify({ event: "directive.error", ...describeDefect(error) }));
      if (waiting.attempts + 1 < COGNITION.directiveAttempts) this.#postpone(waiting);
      else
        this.#answer(ref, waiting, started, {
          status: "error",
          error: {
            code: "unavailable",
            detail: `The provider ${waiting.provider} failed ${waiting.attempts + 1} times. Send the directive again later.`,
          },
        });
    }
  }

  async #ask(ref: SessionRef, { directive, provider: name, options }: Work): Promise<Json> {
    const memory = this.#core.services(ref);
    const provider = openProvider(name, { sql: this.#core.storage.sql, memory, sessionId: ref.id }, options);
    switch (directive.type) {
      case "upsert":
        await provider.put(directive.items);
        return { upserted: directive.items.length };
      case "delete":
        return { deleted: await provider.delete(directive.keys) };
      case "query":
        return directive.query === undefined
          ? provider.get(directive.keys ?? [])
          : provider.query(directive.query);
    }
  }

  #answer(
    ref: SessionRef,
    { seq, request_id, directive, provider, attempts }: Waiting,
    started: number,
    outcome: { status: "ok"; result: Json } | { status: "error"; error: { code: string; detail: string } },
  ): void {
    const core = this.#core;
    const { storage } = core;
    if (storage.read()?.record.erasing !== null) return;
    const latency = core.now() - started;
    const pointer = directive.provider === provider ? {} : { pointer: directive.provider };
    const meta = { provider, ...pointer, latency_ms: latency, attempts: attempts + 1 };
    storage.write(() => {
      storage.directives.finish(seq);
      publish(storage, ref.id, core.isoNow, {
        type: "jido.memory.result",
        data: { request_id, result: null, ...outcome, meta },
      });
    });
    core.telemetry({
      event: "directive",
      tenant: ref.tenant,
      session_id: ref.id,
      duration_ms: latency,
      directive: directive.type,
      provider,
      status: outcome.status,
      attempts: attempts + 1,
    });
    this.#onSignal();
  }

  #postpone({ seq, attempts }: Waiting): void {
    const { storage } = this.#core;
    const memory = storage.read();
    if (memory === null || memory.record.erasing !== null) return;
    storage.write(() =>
      storage.directives.postpone(seq, this.#core.now() + COGNITION.directiveRetryMs * 2 ** attempts),
    );
  }
}

/** What the caller cannot mend may pass. */
function mayPass({ failure: { code } }: FailureError): boolean {
  return code === "internal" || code === "unavailable" || code === "rate_limited";
}
