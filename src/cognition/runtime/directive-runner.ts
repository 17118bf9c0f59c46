// Executes directives in order, each until it succeeds or fails for good. Each is answered by one signal, which is stored
// in the transaction that ends it.

import { FailureError, failure, logDefect, unwrap } from "../../kernel/errors";
import type { Json } from "../../kernel/json";
import { COGNITION } from "../../kernel/limits";
import { selectVectorModel } from "../../recall/vectors/semantic-services";
import type { SessionCore } from "../../sessions/session-core";
import type { SessionRef } from "../../sessions/session-record";
import type { ShortTermMemory } from "../../sessions/session-storage";
import type { SpaceStore } from "../providers/object-providers";
import { checkDirective, resolveProvider } from "../providers/provider";
import { openProvider } from "../providers/provider-registry";
import { updateContainer } from "../spaces/container-changes";
import { DIRECTIVE_RETRY_MS, type DirectiveWork, type QueuedDirective } from "./directive-queue";
import { type Directive, RESULT_SIGNAL } from "./thread-schemas";

/** The number of attempts before a directive is answered with an error: about two minutes in all. */
export const MAX_DIRECTIVE_ATTEMPTS = 8;

/** Inside a transaction: queues a directive, once per request id. Returns the request id. */
export function enqueueDirective(
  { storage, env }: Pick<SessionCore, "storage" | "env">,
  { record }: ShortTermMemory,
  directive: Directive,
  digest: string,
): string {
  const requestId = directive.request_id ?? crypto.randomUUID();
  const known = storage.directives.findDigest(requestId);
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
  const refused = checkDirective(directive, found.provider, selectVectorModel(env));
  if (refused !== null) throw new FailureError(refused.failure);
  const waiting = storage.directives.countWaiting();
  if (waiting >= COGNITION.queuedDirectives)
    throw failure(
      "limit_exceeded",
      `${waiting} directives wait in this session, which is the limit. Wait for their signals.`,
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

  /** Executes the due directives. One run at a time; directives that arrive meanwhile join it. */
  drain(ref: SessionRef): Promise<void> {
    this.#again = true;
    this.#running ??= this.#run(ref);
    return this.#running;
  }

  /** Resolves when no run is in flight. */
  async idle(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  async #run(ref: SessionRef): Promise<void> {
    // Yields, so that #running is set before it is cleared.
    await Promise.resolve();
    try {
      while (this.#again) {
        this.#again = false;
        for (let queued = this.#findNext(); queued !== null; queued = this.#findNext())
          await this.#execute(ref, queued);
        await this.#core.schedule();
      }
    } finally {
      // No await since the last check of #again: no call in between is lost.
      this.#running = null;
    }
  }

  #findNext(): QueuedDirective | null {
    const { storage } = this.#core;
    return storage.read()?.record.erasing === null ? storage.directives.findNext(this.#core.now()) : null;
  }

  async #execute(ref: SessionRef, queued: QueuedDirective): Promise<void> {
    const started = this.#core.now();
    try {
      const result = await this.#call(ref, queued);
      this.#answer(ref, queued, started, { status: "ok", result });
    } catch (error) {
      if (error instanceof FailureError && !isTransient(error)) {
        const { code, detail } = error.failure;
        this.#answer(ref, queued, started, { status: "error", error: { code, detail } });
        return;
      }
      logDefect("directive.error", error);
      if (queued.attempts + 1 < MAX_DIRECTIVE_ATTEMPTS) this.#postpone(queued);
      else
        this.#answer(ref, queued, started, {
          status: "error",
          error: {
            code: "unavailable",
            detail: `The provider ${queued.provider} failed ${queued.attempts + 1} times. Send the directive again later.`,
          },
        });
    }
  }

  async #call(ref: SessionRef, { directive, provider: name, options }: DirectiveWork): Promise<Json> {
    const core = this.#core;
    const services = {
      sql: core.storage.sql,
      spaces: createSpaceStore(core, ref),
      now: () => core.now(),
      memory: core.services(ref),
      sessionId: ref.id,
    };
    const provider = openProvider(name, services, options);
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
    { seq, request_id, directive, provider, attempts }: QueuedDirective,
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
      storage.publishSignal(ref.id, core.isoNow, {
        type: (directive.type === "query" ? directive.reply_signal_type : undefined) ?? RESULT_SIGNAL,
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

  #postpone({ seq, attempts }: QueuedDirective): void {
    const { storage } = this.#core;
    const memory = storage.read();
    if (memory === null || memory.record.erasing !== null) return;
    storage.write(() =>
      storage.directives.postpone(seq, this.#core.now() + DIRECTIVE_RETRY_MS * 2 ** attempts),
    );
  }
}

function createSpaceStore(core: SessionCore, ref: SessionRef): SpaceStore {
  const { storage } = core;
  const load: SpaceStore["load"] = (names) => storage.spaces.load(core.require(ref).record, names);
  return {
    load,
    listNames: () => storage.spaces.listNames(),
    update: (spaces) => {
      const before = load(Object.keys(spaces));
      storage.spaces.save(before, unwrap(updateContainer(before, { spaces }, core.isoNow)));
    },
    transact: (work) => storage.write(work),
  };
}

/** Returns whether a retry can succeed without a change by the caller. */
function isTransient({ failure: { code } }: FailureError): boolean {
  return code === "internal" || code === "unavailable" || code === "rate_limited";
}
