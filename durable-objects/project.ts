// One project: the only one that consolidates and maintains its experience, one run at a time. A thin shell over
// src/project: storage, alarm, RPC.
import { DurableObject } from "cloudflare:workers";
import { ObjectAlarm } from "../src/alarm";
import { type Bindings, settingsOf } from "../src/env";
import { describeDefect, FailureError, fail, keyReused, type Outcome, ok } from "../src/errors";
import { parseJson } from "../src/json";
import { EXPERIENCE, IDEMPOTENCY_MS } from "../src/limits";
import { createStore, type LongTermStore } from "../src/long-term/store";
import { applySteps, planFor } from "../src/project/consolidation";
import { maintainProject } from "../src/project/maintenance";
import type { ProjectRef, ProjectRpc } from "../src/project/rpc";
import { alarmed, consolidated, nextAlarm, noted, unattended } from "../src/project/schedule";
import { ProjectStorage, type State } from "../src/project/storage";
import { createEmbed, textKey } from "../src/project/vectors";
import type {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "../src/schemas/experience";
import type { Idempotency } from "../src/session/rpc";
import { createTelemetry } from "../src/telemetry/telemetry";
import { semanticOf, vectorsOf } from "../src/vectors/semantic";

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
  ): Promise<Outcome<ConsolidateAnswer>> {
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
  ): Promise<Outcome<MaintenanceAnswer>> {
    return this.#exclusively(async () => {
      await this.#resume(ref);
      const earlier = this.#answered<MaintenanceAnswer>(idempotency);
      if (earlier !== null) return earlier;
      const answer = await this.#maintain(ref, input);
      this.#storage.open(ref);
      if (idempotency !== null) this.#storage.keep(idempotency, answer, this.now());
      return answer;
    });
  }

  async noteEpisode(ref: ProjectRef, note: { finished: boolean }): Promise<void> {
    await this.#reconcileAlarm();
    const state = noted(this.#storage.open(ref), note, this.now());
    this.#storage.save(state);
    await this.#schedule(state);
  }

  async forgetText(text: string): Promise<void> {
    await this.#reconcileAlarm();
    if (this.#storage.read() !== null) this.#storage.dropVector(textKey(text));
  }

  /** Whatever is due, each on its own: what one of them needs may be missing, and the other goes on. */
  override async alarm(): Promise<void> {
    await this.#alarm.read();
    const state = this.#storage.read();
    if (state === null) return;
    const { ref } = state;
    const outcomes = [
      await this.#exclusively(() => this.#consolidateIfDue(ref)),
      await this.#exclusively(() => this.#maintainIfDue(ref)),
    ];
    const succeeded = outcomes.every(({ ok }) => ok);
    const then = alarmed(this.#storage.open(ref), succeeded, this.now());
    this.#storage.save(then);
    await this.#schedule(then);
  }

  async #consolidateIfDue(ref: ProjectRef): Promise<void> {
    await this.#resume(ref);
    const before = this.#storage.open(ref);
    if (!isDue(before.consolidate_at, this.now())) return;
    const window = unattended(before, this.now());
    await this.#consolidate(ref, { project_id: ref.id, dry_run: false, ...window }, null);
    this.#storage.save(consolidated(this.#storage.open(ref), before, this.now()));
  }

  async #maintainIfDue(ref: ProjectRef): Promise<void> {
    if (!isDue(this.#storage.open(ref).maintain_at, this.now())) return;
    await this.#maintain(ref, { project_id: ref.id }, EXPERIENCE.decayEachDays);
    const maintain_at = this.now() + EXPERIENCE.maintenanceMs;
    this.#storage.save({ ...this.#storage.open(ref), maintain_at });
    this.#storage.dropAnswersBefore(this.now() - IDEMPOTENCY_MS);
    this.#storage.trimVectors(EXPERIENCE.vectors);
  }

  async #consolidate(
    ref: ProjectRef,
    input: ConsolidateInput,
    idempotency: Idempotency,
  ): Promise<ConsolidateAnswer> {
    const started = this.now();
    const store = this.#store(ref);
    const plan = await planFor(store, input, { clock: started, embed: this.#embed(ref) });
    const answer = { ...plan.answer, dry_run: input.dry_run };
    if (!input.dry_run) {
      const run = {
        id: crypto.randomUUID(),
        op: idempotency?.op ?? null,
        fingerprint: idempotency?.fingerprint ?? "",
        done: 0,
        resume_at: started + EXPERIENCE.resumeMs,
        answer,
      };
      const state = { ...this.#storage.open(ref), run };
      this.#storage.begin(state, plan.steps);
      await this.#schedule(state);
      await this.#resume(ref);
    } else if (idempotency !== null) {
      this.#storage.open(ref);
      this.#storage.keep(idempotency, answer, this.now());
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
    const store = this.#store(ref);
    for (let state = this.#storage.read(); state?.run != null; state = this.#storage.read()) {
      const { run } = state;
      const steps = this.#storage.stepsFrom(run.done, EXPERIENCE.stepPage);
      if (steps.length === 0) {
        this.#storage.finish(state, this.now());
        await store.wakeIndexer();
        return;
      }
      await applySteps(store, steps, (n) => `consolidation:${run.id}:${run.done + n}`);
      this.#storage.save({
        ...this.#storage.open(ref),
        run: { ...run, done: run.done + steps.length },
      });
    }
  }

  async #maintain(ref: ProjectRef, input: MaintenanceInput, decayEachDays = 0): Promise<MaintenanceAnswer> {
    const started = this.now();
    const store = this.#store(ref);
    const now = input.now ?? new Date(started).toISOString();
    const embed = semanticOf(this.env, ref.tenant) === null ? null : this.#embed(ref);
    const answer = await maintainProject(store, { project_id: ref.id, now, decayEachDays }, embed);
    await store.wakeIndexer();
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
    if (idempotency === null || this.#storage.read() === null) return null;
    const kept = this.#storage.kept(idempotency.op);
    if (kept === null) return null;
    if (kept.fingerprint !== idempotency.fingerprint) throw new FailureError(keyReused().failure);
    return parseJson<T>(kept.answer);
  }

  #store({ tenant }: ProjectRef): LongTermStore {
    return createStore(this.env.DB, tenant, {
      now: () => this.now(),
      memoriesPerSession: settingsOf(this.env).memoriesPerSession,
      vectors: vectorsOf(this.env, tenant),
    });
  }

  #embed(ref: ProjectRef) {
    const semantic = semanticOf(this.env, ref.tenant);
    if (semantic !== null) this.#storage.open(ref);
    return createEmbed(semantic?.embedder ?? null, this.#storage, () => this.now());
  }

  /** Compares what is due with the platform's alarm on the first call after the object is loaded. */
  async #reconcileAlarm(): Promise<void> {
    if (this.#alarm.isRead) return;
    await this.#alarm.read();
    const state = this.#storage.read();
    if (state !== null) await this.#schedule(state);
  }

  #schedule(state: State): Promise<void> {
    return this.#alarm.set(nextAlarm(state, this.now()));
  }

  /** One at a time, in the order of the calls; failures become values. */
  #exclusively<T>(work: () => Promise<T>): Promise<Outcome<T>> {
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

async function answer<T>(work: () => Promise<T>): Promise<Outcome<T>> {
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
