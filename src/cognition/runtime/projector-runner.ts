// Runs projectors over a session's thread. The runs of one projector are sequential, cover each entry once, and do not
// affect others when they fail: changes and progress are stored in one transaction.

import { describeDefect, FailureError, failure, unwrap } from "../../kernel/errors";
import { isJsonObject } from "../../kernel/json";
import { selectLanguageModel } from "../../models/select-language-model";
import type { SessionCore } from "../../sessions/session-core";
import type { SessionRef } from "../../sessions/session-record";
import type { ShortTermMemory } from "../../sessions/session-storage";
import {
  MAX_ENTRIES_PER_RUN,
  type Projection,
  type Projector,
  type SpaceReader,
} from "../projectors/projector";
import { findProjector } from "../projectors/projector-registry";
import { applyOps, getSpace, putSpace, type SpaceContainer } from "../spaces/space-container";
import type { SpaceOp } from "../spaces/space-schemas";
import { enqueueDirective } from "./directive-runner";
import {
  advance,
  awaitsTick,
  countNewEntries,
  countUncovered,
  FIRST_PROJECTOR_RETRY_MS,
  type ProjectorState,
  recordFailure,
} from "./projector-states";
import type { Covers, ProjectorRun } from "./thread-schemas";

/** The reason of a run. At the end of a session no language model is called: the caller waits for the run. */
type ProjectionTrigger = "tick" | "retry" | "entries" | "signal" | "demand" | "end";

/** `modelCalled` resolves when the run, or one that it is queued behind, calls a language model. */
type RunInFlight = { run: Promise<ProjectorRun>; modelCalled: Promise<void> };

export class ProjectorRunner {
  readonly #core: SessionCore;
  readonly #running = new Map<string, RunInFlight>();

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** Runs a projector on demand. Throws its failure, which is also retried later. */
  run(ref: SessionRef, projector: Projector): Promise<ProjectorRun> {
    return this.#enqueue(ref, projector, "demand");
  }

  /**
   * Runs the due projectors concurrently. At the end of a session those that wait for a language model are left to the
   * alarm.
   */
  async runDue(ref: SessionRef, trigger: Exclude<ProjectionTrigger, "demand">): Promise<void> {
    const { projectors } = this.#core.require(ref);
    const due = projectors.filter((state) => isDue(state, trigger, this.#core.now()));
    await Promise.all(
      due.map(async ({ name }) => {
        const projector = findProjector(name);
        if (projector === undefined) return;
        if (trigger === "end" && !(await this.#isFree(name))) return;
        // Its failure is already recorded and logged.
        await this.#enqueue(ref, projector, trigger).catch(() => null);
      }),
    );
  }

  /** Waits for the runs of a projector. Returns false as soon as one of them calls a language model. */
  async #isFree(name: string): Promise<boolean> {
    for (let current = this.#running.get(name); current !== undefined; current = this.#running.get(name)) {
      const { run, modelCalled } = current;
      const ended = run.then(
        () => true,
        () => true,
      );
      if (!(await Promise.race([ended, modelCalled.then(() => false)]))) return false;
    }
    return true;
  }

  /** Returns whether a projector that is not running is due before the next tick, by its entries or by a signal. */
  isAnyDue(memory: ShortTermMemory, trigger: "entries" | "signal"): boolean {
    return memory.projectors.some(
      (state) => isDue(state, trigger, this.#core.now()) && !this.#running.has(state.name),
    );
  }

  /** Queues a run behind the current one of the same projector. */
  #enqueue(ref: SessionRef, projector: Projector, trigger: ProjectionTrigger): Promise<ProjectorRun> {
    const { name } = projector;
    const before = this.#running.get(name);
    const { promise, resolve: onModelCall } = Promise.withResolvers<void>();
    const run = (before?.run ?? Promise.resolve())
      .catch(() => null)
      .then(() => this.#project(ref, projector, trigger, onModelCall))
      .finally(() => {
        if (this.#running.get(name)?.run === run) this.#running.delete(name);
      });
    const modelCalled = before === undefined ? promise : Promise.race([before.modelCalled, promise]);
    this.#running.set(name, { run, modelCalled });
    return run;
  }

  async #project(
    ref: SessionRef,
    projector: Projector,
    trigger: ProjectionTrigger,
    onModelCall: () => void,
  ): Promise<ProjectorRun> {
    const core = this.#core;
    const { name } = projector;
    const started = core.now();
    const about = { tenant: ref.tenant, session_id: ref.id, projector: name, trigger };
    // During a run the session may be erased, and another one created with its id.
    const { created_at } = core.require(ref).record;
    const isGone = () => {
      const record = core.storage.read()?.record;
      return record === undefined || record.erasing !== null || record.created_at !== created_at;
    };
    // Entries that arrive meanwhile belong to the next run, so that a busy thread cannot prolong this one indefinitely.
    const last = core.storage.thread.lastSeq();
    const first = this.#getState(ref, name).covered_seq + 1;
    try {
      for (let from = first; from <= last; )
        from = await this.#step(ref, projector, { trigger, onModelCall }, { from, to: last }, isGone);
    } catch (error) {
      if (isGone()) throw failure("not_found", "The session was erased.");
      throw await this.#recordFailure(ref, error, about, started);
    }
    await core.schedule();
    const projected = Math.max(0, last - first + 1);
    if (projected > 0)
      core.telemetry({
        event: "projector.completed",
        ...about,
        duration_ms: core.now() - started,
        entries: projected,
      });
    return { projected, covers: { from: first, to: last } };
  }

  /** Projects one page of the thread. Returns the sequence number of the next one. */
  async #step(
    ref: SessionRef,
    projector: Projector,
    { trigger, onModelCall }: { trigger: ProjectionTrigger; onModelCall: () => void },
    range: Covers,
    isGone: () => boolean,
  ): Promise<number> {
    const core = this.#core;
    const { storage } = core;
    const { name, reads } = projector;
    const { entries, next } = await storage.thread.read({
      ...range,
      kinds: reads,
      limit: MAX_ENTRIES_PER_RUN,
    });
    const covers = { from: range.from, to: next - 1 };
    const now = core.now();
    const { derived } = core.privacy;
    const projection = await projector.project(derived.clean(entries), {
      covers,
      now,
      failures: this.#getState(ref, name).failures,
      get model() {
        const model = trigger === "end" ? null : selectLanguageModel(core.env);
        if (model !== null) onModelCall();
        return model;
      },
      spaces: createSpaceReader((space) => storage.spaces.load(core.require(ref).record, [space])),
      entries: async (seqs) => derived.clean(await storage.thread.find(seqs)),
      indexMessages: () => this.#indexMessages(ref, trigger),
    });
    storage.write(() => {
      if (isGone()) throw failure("not_found", "The session was erased.");
      this.#apply(ref, projection);
      const state = this.#getState(ref, name);
      storage.saveProjector(advance(state, covers.to, countNewEntries(storage.thread, state, covers.to)));
    });
    return next;
  }

  #apply(ref: SessionRef, { edits, directives = [] }: Projection): void {
    const { storage, isoNow } = this.#core;
    const session = this.#core.require(ref);
    if (edits !== undefined) {
      const changes = edits(
        createSpaceReader((space) => storage.spaces.load(session.record, [space])),
      ).filter(({ ops }) => ops.length > 0);
      const before = storage.spaces.load(
        session.record,
        changes.map(({ space }) => space),
      );
      const after = changes.reduce(
        (memory, { space, ops }) =>
          unwrap(applyOps(withSpace(memory, space, ops, isoNow), space, ops, {}, isoNow)),
        before,
      );
      storage.spaces.save(before, after);
    }
    for (const directive of directives) enqueueDirective(this.#core, session, directive, "");
  }

  async #indexMessages(ref: SessionRef, trigger: ProjectionTrigger): Promise<void> {
    await this.#core.flushMessages(ref);
    // A run on demand waits until the messages are indexed; others only wake the indexer.
    const { indexing, semantic } = this.#core.services(ref);
    if (trigger !== "demand") await indexing.wake();
    else if (semantic !== null) await indexing.drain();
  }

  #getState(ref: SessionRef, name: string): ProjectorState {
    const state = this.#core.require(ref).projectors.find((known) => known.name === name);
    if (state === undefined) throw new Error("A projector has no state");
    return state;
  }

  /** Stores a failure and the time of the next attempt. Returns the failure for the caller. */
  async #recordFailure(
    ref: SessionRef,
    error: unknown,
    about: { tenant: string; session_id: string; projector: string; trigger: ProjectionTrigger },
    started: number,
  ): Promise<FailureError> {
    const core = this.#core;
    const state = recordFailure(this.#getState(ref, about.projector), core.now());
    core.storage.write(() => core.storage.saveProjector(state));
    const reason = error instanceof FailureError ? { reason: error.message } : describeDefect(error);
    console.error(JSON.stringify({ event: "projector.error", projector: about.projector, ...reason }));
    core.telemetry({
      event: "projector.failed",
      ...about,
      duration_ms: core.now() - started,
      failures: state.failures,
    });
    await core.schedule();
    if (error instanceof FailureError && error.failure.code !== "internal") return error;
    return failure(
      "unavailable",
      `The projector ${about.projector} failed. None of its changes were stored; it is retried later.`,
      { retryAfterSeconds: Math.ceil(FIRST_PROJECTOR_RETRY_MS / 1_000) },
    );
  }
}

function isDue(state: ProjectorState, by: ProjectionTrigger, now: number): boolean {
  const { fresh, signalled, trigger, retry_at } = state;
  const uncovered = countUncovered(state);
  switch (by) {
    case "demand":
      return true;
    case "end":
      return uncovered > 0 && (trigger.tick || trigger.after !== null || signalled > 0);
    case "retry":
      return uncovered > 0 && retry_at !== null && retry_at <= now;
    case "tick":
      return awaitsTick(state);
    case "entries":
      return awaitsTick(state) && trigger.after !== null && fresh >= trigger.after;
    case "signal":
      return awaitsTick(state) && signalled > 0;
  }
}

/** Creates the space of a projector with its first change. */
function withSpace(
  memory: SpaceContainer,
  name: string,
  ops: readonly SpaceOp[],
  now: string,
): SpaceContainer {
  if (getSpace(memory, name).ok) return memory;
  const data = ops.some((op) => "key" in op) ? {} : [];
  return unwrap(putSpace(memory, name, { data, ensure: true }, now)).container;
}

/** Reads spaces as plain data; a missing space is empty. */
function createSpaceReader(load: (name: string) => SpaceContainer): SpaceReader {
  const data = (name: string) => {
    const space = getSpace(load(name), name);
    return space.ok ? space.value.data : null;
  };
  return {
    map: (name) => {
      const found = data(name);
      return found === null || Array.isArray(found) ? {} : found;
    },
    list: (name) => {
      const found = data(name);
      return Array.isArray(found) ? found.filter(isJsonObject) : [];
    },
  };
}
