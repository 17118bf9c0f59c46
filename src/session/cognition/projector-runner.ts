// Runs projectors over a session's thread. Each run of one is alone, covers an entry once, and fails alone: what it
// would change and how far it has come are stored together, or not at all.

import {
  MAX_ENTRIES_PER_RUN,
  type Projection,
  type Projector,
  type SpaceReader,
} from "../../domain/cognition/projector";
import { findProjector } from "../../domain/cognition/projectors/projector-registry";
import { applyOps, getSpace, putSpace, type SpaceContainer } from "../../domain/cognition/space-container";
import { COGNITION } from "../../limits";
import { selectLanguageModel } from "../../models/language/select-language-model";
import { describeDefect, FailureError, failure, unwrap } from "../../platform/errors";
import { isJsonObject } from "../../platform/json";
import type { Covers, ProjectorRun } from "../../schemas/projection";
import type { SpaceOp } from "../../schemas/space";
import type { SessionCore } from "../session-core";
import type { SessionRef } from "../session-record";
import type { ShortTermMemory } from "../session-storage";
import { enqueueDirective } from "./directive-runner";
import { advanced, awaitsTick, failed, type ProjectorState } from "./projector-states";

/** Why a projector runs. At the end of a session there is no time for a language model. */
export type ProjectionTrigger = "tick" | "retry" | "entries" | "demand" | "end";

export class Projections {
  readonly #core: SessionCore;
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** Runs one on demand. A failure is the caller's to know; it is tried again all the same. */
  run(ref: SessionRef, projector: Projector): Promise<ProjectorRun> {
    return this.#alone(ref, projector, "demand");
  }

  /** Runs those that are due. None waits for another, and none stops another. */
  async runDue(ref: SessionRef, trigger: Exclude<ProjectionTrigger, "demand">): Promise<void> {
    const { projectors } = this.#core.existing(ref);
    const due = projectors.filter((state) => isDue(state, trigger, this.#core.now()));
    await Promise.all(
      due.map(({ name }) => {
        const projector = findProjector(name);
        // Its failure is recorded and reported where it happened.
        return projector && this.#alone(ref, projector, trigger).catch(() => null);
      }),
    );
  }

  /** Whether entries have gathered that a projector does not want to wait for a tick with. */
  isDue(memory: ShortTermMemory): boolean {
    return memory.projectors.some(
      (state) => isDue(state, "entries", this.#core.now()) && !this.#running.has(state.name),
    );
  }

  #alone(ref: SessionRef, projector: Projector, trigger: ProjectionTrigger): Promise<ProjectorRun> {
    const before = this.#running.get(projector.name) ?? Promise.resolve();
    const run = before
      .catch(() => null)
      .then(() => this.#project(ref, projector, trigger))
      .finally(() => {
        if (this.#running.get(projector.name) === run) this.#running.delete(projector.name);
      });
    this.#running.set(projector.name, run);
    return run;
  }

  async #project(ref: SessionRef, projector: Projector, trigger: ProjectionTrigger): Promise<ProjectorRun> {
    const core = this.#core;
    const { name } = projector;
    const started = core.now();
    const about = { tenant: ref.tenant, session_id: ref.id, projector: name, trigger };
    // A projector may take long: the session may be erased meanwhile, and another begun under its id.
    const { created_at } = core.existing(ref).record;
    const isGone = () => {
      const record = core.storage.read()?.record;
      return record === undefined || record.erasing !== null || record.created_at !== created_at;
    };
    // What comes meanwhile is for the next run: a busy thread must not keep this one going for ever.
    const last = core.storage.thread.last();
    const first = this.#state(ref, name).covered_seq + 1;
    try {
      for (let from = first; from <= last; )
        from = await this.#step(ref, projector, trigger, { from, to: last }, isGone);
    } catch (error) {
      if (isGone()) throw failure("not_found", "The session was erased.");
      throw await this.#failed(ref, error, about, started);
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

  /** Projects what one read gives, and says where to go on. */
  async #step(
    ref: SessionRef,
    projector: Projector,
    trigger: ProjectionTrigger,
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
    const projection = await projector.project(entries, {
      covers,
      now,
      failures: this.#state(ref, name).failures,
      get model() {
        return trigger === "end" ? null : selectLanguageModel(core.env);
      },
      spaces: spacesRead((space) => storage.spaces.load(core.existing(ref).record, [space])),
      entries: (seqs) => storage.thread.entries(seqs),
      indexMessages: () => this.#indexMessages(ref, trigger),
    });
    storage.write(() => {
      if (isGone()) throw failure("not_found", "The session was erased.");
      this.#apply(ref, projection);
      const fresh = storage.thread.countAfter(covers.to, reads);
      storage.saveProjector(advanced(this.#state(ref, name), covers.to, fresh));
    });
    return next;
  }

  #apply(ref: SessionRef, { edits, directives = [] }: Projection): void {
    const { storage, isoNow } = this.#core;
    const session = this.#core.existing(ref);
    if (edits !== undefined) {
      const changes = edits(spacesRead((space) => storage.spaces.load(session.record, [space]))).filter(
        ({ ops }) => ops.length > 0,
      );
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
    for (const directive of directives) enqueueDirective(storage, session, directive, "");
  }

  async #indexMessages(ref: SessionRef, trigger: ProjectionTrigger): Promise<void> {
    await this.#core.sendMessages(ref);
    // Whoever asks finds everything in the index when it is done; a tick only sees to it that it gets there.
    const { indexing, semantic } = this.#core.services(ref);
    if (trigger !== "demand") await indexing.wake();
    else if (semantic !== null) await indexing.drain();
  }

  #state(ref: SessionRef, name: string): ProjectorState {
    const state = this.#core.existing(ref).projectors.find((known) => known.name === name);
    if (state === undefined) throw new Error("A projector has no state");
    return state;
  }

  /** Records a failure and when to try again. Gives what a caller is told. */
  async #failed(
    ref: SessionRef,
    error: unknown,
    about: { tenant: string; session_id: string; projector: string; trigger: ProjectionTrigger },
    started: number,
  ): Promise<FailureError> {
    const core = this.#core;
    const state = failed(this.#state(ref, about.projector), core.now());
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
      `The projector ${about.projector} failed. Nothing that it would have changed was stored; it is run again later.`,
      { retryAfterSeconds: Math.ceil(COGNITION.projectRetryFirstMs / 1_000) },
    );
  }
}

function isDue(state: ProjectorState, by: ProjectionTrigger, now: number): boolean {
  const { fresh, trigger, retry_at } = state;
  switch (by) {
    case "demand":
      return true;
    case "end":
      return fresh > 0 && (trigger.tick || trigger.after !== null);
    case "retry":
      return fresh > 0 && retry_at !== null && retry_at <= now;
    case "tick":
      return awaitsTick(state);
    case "entries":
      return awaitsTick(state) && trigger.after !== null && fresh >= trigger.after;
  }
}

/** A space that a projector writes to is made with its first change. */
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

/** Spaces as plain data. One that is not there is empty. */
function spacesRead(load: (name: string) => SpaceContainer): SpaceReader {
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
