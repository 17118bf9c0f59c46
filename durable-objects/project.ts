// One project: the only one that consolidates and maintains its experience, one run at a time. A thin shell over
// src/project: storage, alarm, RPC.
import { DurableObject } from "cloudflare:workers";
import { IDEMPOTENCY_MS } from "../src/limits";
import { ObjectAlarm } from "../src/platform/alarm";
import type { Bindings } from "../src/platform/env";
import {
  describeDefect,
  FailureError,
  fail,
  idempotencyKeyReused,
  ok,
  type Result,
} from "../src/platform/errors";
import type { Idempotency } from "../src/platform/idempotency";
import { parseJson } from "../src/platform/json";
import { createTelemetry } from "../src/platform/telemetry";
import { applySteps, prepareConsolidation, STEPS_PER_BATCH } from "../src/project/consolidate";
import { CACHED_VECTORS, computeTextKey, createCachedEmbedder } from "../src/project/embedding-cache";
import { DECAY_INTERVAL_DAYS, maintainProject } from "../src/project/maintain";
import type { ProjectRef, ProjectRpc } from "../src/project/project-rpc";
import {
  computeNextAlarm,
  computeWindow,
  MAINTENANCE_MS,
  RESUME_MS,
  scheduleAfterAlarm,
  scheduleAfterConsolidation,
  scheduleAfterEpisode,
} from "../src/project/project-schedule";
import { type ProjectState, ProjectStorage } from "../src/project/project-storage";
import type {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "../src/schemas/consolidation";
import { createLongTermMemory, type LongTermMemory } from "../src/search/long-term-memory";

export class ProjectObject extends DurableObject<Bindings> implements ProjectRpc {
  /** The clock, in milliseconds. A field, so that a test can set it. */
  now: () => number = () => Date.now();

  readonly #storage = new ProjectStorage(this.ctx.storage);
  readonly #alarm = new ObjectAlarm(this.ctx.storage, () => this.now());
  #running: Promise<unknown> = Promise.resolve();

  consolidate(
    ref: ProjectRef,
    input: ConsolidateInput,
    idempotency: Idempotency,
  ): Promise<Result<ConsolidateAnswer>> {
    return this.#exclusively(async () => {
      await this.#resume(ref);
      const earlier = this.#answered<ConsolidateAnswer>(idempotency);
      if (earlier !== null) return earlier;
      return this.#consolidate(ref, input, idempotency);
    });
  }

  maintain(
    ref: ProjectRef,
    input: MaintenanceInput,
    idempotency: Idempotency,
  ): Promise<Result<MaintenanceAnswer>> {
    return this.#exclusively(async () => {
      await this.#resume(ref);
      const earlier = this.#answered<MaintenanceAnswer>(idempotency);
      if (earlier !== null) return earlier;
      const answer = await this.#maintain(ref, input);
      this.#storage.openState(ref);
      if (idempotency !== null) this.#storage.saveAnswer(idempotency, answer, this.now());
      return answer;
    });
  }

  async noteEpisode(ref: ProjectRef, note: { finished: boolean }): Promise<void> {
    await this.#reconcileAlarm();
    const state = scheduleAfterEpisode(this.#storage.openState(ref), note, this.now());
    this.#storage.saveState(state);
    await this.#schedule(state);
  }

  async forgetText(text: string): Promise<void> {
    await this.#reconcileAlarm();
    if (this.#storage.readState() !== null) this.#storage.deleteVectors(computeTextKey(text));
  }

  /** Whatever is due, each on its own: what one of them needs may be missing, and the other goes on. */
  override async alarm(): Promise<void> {
    await this.#alarm.read();
    const state = this.#storage.readState();
    if (state === null) return;
    const { ref } = state;
    const outcomes = [
      await this.#exclusively(() => this.#consolidateIfDue(ref)),
      await this.#exclusively(() => this.#maintainIfDue(ref)),
    ];
    const succeeded = outcomes.every(({ ok }) => ok);
    const then = scheduleAfterAlarm(this.#storage.openState(ref), succeeded, this.now());
    this.#storage.saveState(then);
    await this.#schedule(then);
  }

  async #consolidateIfDue(ref: ProjectRef): Promise<void> {
    await this.#resume(ref);
    const before = this.#storage.openState(ref);
    if (!isDue(before.consolidate_at, this.now())) return;
    const window = computeWindow(before, this.now());
    await this.#consolidate(ref, { project_id: ref.id, dry_run: false, ...window }, null);
    this.#storage.saveState(scheduleAfterConsolidation(this.#storage.openState(ref), before, this.now()));
  }

  async #maintainIfDue(ref: ProjectRef): Promise<void> {
    if (!isDue(this.#storage.openState(ref).maintain_at, this.now())) return;
    await this.#maintain(ref, { project_id: ref.id }, DECAY_INTERVAL_DAYS);
    const maintain_at = this.now() + MAINTENANCE_MS;
    this.#storage.saveState({ ...this.#storage.openState(ref), maintain_at });
    this.#storage.deleteAnswersBefore(this.now() - IDEMPOTENCY_MS);
    this.#storage.trimVectors(CACHED_VECTORS);
  }

  async #consolidate(
    ref: ProjectRef,
    input: ConsolidateInput,
    idempotency: Idempotency,
  ): Promise<ConsolidateAnswer> {
    const started = this.now();
    const { store } = this.#memory(ref);
    const plan = await prepareConsolidation(store, input, { clock: started, embed: this.#embed(ref) });
    const answer = { ...plan.answer, dry_run: input.dry_run };
    if (!input.dry_run) {
      const run = {
        id: crypto.randomUUID(),
        op: idempotency?.op ?? null,
        fingerprint: idempotency?.fingerprint ?? "",
        done: 0,
        resume_at: started + RESUME_MS,
        answer,
      };
      const state = { ...this.#storage.openState(ref), run };
      this.#storage.beginRun(state, plan.steps);
      await this.#schedule(state);
      await this.#resume(ref);
    } else if (idempotency !== null) {
      this.#storage.openState(ref);
      this.#storage.saveAnswer(idempotency, answer, this.now());
    }
    createTelemetry(this.env.TELEMETRY)({
      event: "consolidation",
      tenant: ref.tenant,
      session_id: null,
      duration_ms: this.now() - started,
      episodes: answer.episodes,
      clusters: answer.clusters,
      created: answer.created.length + answer.anti_patterns.length,
      updated: answer.updated.length,
      merged: answer.merged.length,
      dry_run: input.dry_run,
    });
    return answer;
  }

  /** Carries out what is left of the run that is under way, if one is. */
  async #resume(ref: ProjectRef): Promise<void> {
    const { store, indexing } = this.#memory(ref);
    for (let state = this.#storage.readState(); state?.run != null; state = this.#storage.readState()) {
      const { run } = state;
      const steps = this.#storage.listSteps(run.done, STEPS_PER_BATCH);
      if (steps.length === 0) {
        this.#storage.finishRun(state, this.now());
        await indexing.wake();
        return;
      }
      await applySteps(store, steps, (n) => `consolidation:${run.id}:${run.done + n}`);
      this.#storage.saveState({
        ...this.#storage.openState(ref),
        run: { ...run, done: run.done + steps.length },
      });
    }
  }

  async #maintain(ref: ProjectRef, input: MaintenanceInput, intervalDays = 0): Promise<MaintenanceAnswer> {
    const started = this.now();
    const { store, indexing, semantic } = this.#memory(ref);
    const now = input.now ?? new Date(started).toISOString();
    const embed = semantic === null ? null : this.#embed(ref);
    const answer = await maintainProject(store, { project_id: ref.id, now, intervalDays }, embed);
    await indexing.wake();
    const { ids: _ids, ...counts } = answer;
    createTelemetry(this.env.TELEMETRY)({
      event: "maintenance",
      tenant: ref.tenant,
      session_id: null,
      duration_ms: this.now() - started,
      ...counts,
    });
    return answer;
  }

  #answered<T>(idempotency: Idempotency): T | null {
    if (idempotency === null || this.#storage.readState() === null) return null;
    const kept = this.#storage.findAnswer(idempotency.op);
    if (kept === null) return null;
    if (kept.fingerprint !== idempotency.fingerprint) throw new FailureError(idempotencyKeyReused().failure);
    return parseJson<T>(kept.answer);
  }

  #memory({ tenant }: ProjectRef): LongTermMemory {
    return createLongTermMemory(this.env, tenant, { now: () => this.now() });
  }

  #embed(ref: ProjectRef) {
    const { semantic } = this.#memory(ref);
    if (semantic !== null) this.#storage.openState(ref);
    return createCachedEmbedder(semantic?.embedder ?? null, this.#storage, () => this.now());
  }

  /** Compares the stored due times with the platform's alarm on the first call after the object is loaded. */
  async #reconcileAlarm(): Promise<void> {
    if (this.#alarm.isRead) return;
    await this.#alarm.read();
    const state = this.#storage.readState();
    if (state !== null) await this.#schedule(state);
  }

  #schedule(state: ProjectState): Promise<void> {
    return this.#alarm.set(computeNextAlarm(state, this.now()));
  }

  /** One at a time, in the order of the calls; failures become values. */
  #exclusively<T>(work: () => Promise<T>): Promise<Result<T>> {
    const mine = this.#running.then(() =>
      answer(async () => {
        await this.#reconcileAlarm();
        return work();
      }),
    );
    this.#running = mine;
    return mine;
  }
}

async function answer<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    console.error(JSON.stringify({ event: "project.error", ...describeDefect(error) }));
    return fail(
      "internal",
      "The project failed on this call. It is logged; sending the same call again is safe.",
    );
  }
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}
