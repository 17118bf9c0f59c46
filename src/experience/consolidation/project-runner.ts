// Runs consolidation and maintenance of a project against its stored state. A consolidation stores its plan before the
// first write, so that an interrupted run resumes where it stopped; answers are stored for idempotent calls.

import { unwrap } from "../../kernel/errors";
import { type Idempotency, replayAnswer } from "../../kernel/idempotency";
import { IDEMPOTENCY_MS } from "../../kernel/limits";
import type { Telemetry } from "../../kernel/telemetry";
import type { LongTermMemory } from "../../services/long-term-memory";
import { applySteps, prepareConsolidation, STEPS_PER_BATCH } from "./consolidate";
import type {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "./consolidation-schemas";
import { CACHED_VECTORS, computeTextKey, createCachedEmbedder, type EmbedTexts } from "./embedding-cache";
import { DECAY_INTERVAL_DAYS, maintainProject } from "./maintain";
import type { EpisodeNote, ProjectRef } from "./project-rpc";
import {
  computeWindow,
  MAINTENANCE_MS,
  RESUME_MS,
  scheduleAfterConsolidation,
  scheduleAfterEpisode,
} from "./project-schedule";
import type { ProjectState, ProjectStorage } from "./project-storage";

type ProjectDependencies = {
  storage: ProjectStorage;
  openMemory: (ref: ProjectRef) => LongTermMemory;
  /** Sets the alarm for a stored state. */
  schedule: (state: ProjectState) => Promise<void>;
  telemetry: Telemetry;
  now: () => number;
};

/** The caller runs one method at a time, except `recordEpisode` and `forgetTexts`. */
export class ProjectRunner {
  readonly #deps: ProjectDependencies;

  constructor(deps: ProjectDependencies) {
    this.#deps = deps;
  }

  /** Consolidates on request, after completing an interrupted run. */
  async consolidate(
    ref: ProjectRef,
    input: ConsolidateInput,
    idempotency: Idempotency,
  ): Promise<ConsolidateAnswer> {
    await this.#resume(ref);
    return this.#replay<ConsolidateAnswer>(idempotency) ?? this.#consolidate(ref, input, idempotency);
  }

  /** Maintains on request, after completing an interrupted run. */
  async maintain(
    ref: ProjectRef,
    input: MaintenanceInput,
    idempotency: Idempotency,
  ): Promise<MaintenanceAnswer> {
    await this.#resume(ref);
    const replayed = this.#replay<MaintenanceAnswer>(idempotency);
    if (replayed !== null) return replayed;
    const answer = await this.#maintain(ref, input, 0);
    await this.#saveAnswer(ref, idempotency, answer);
    return answer;
  }

  /** Consolidates if it is due, after completing an interrupted run. */
  async consolidateIfDue(ref: ProjectRef): Promise<void> {
    const { storage, now } = this.#deps;
    await this.#resume(ref);
    const before = storage.openState(ref);
    if (!isDue(before.consolidate_at, now())) return;
    const window = computeWindow(before, now());
    await this.#consolidate(ref, { project_id: ref.id, dry_run: false, ...window }, null);
    storage.saveState(scheduleAfterConsolidation(storage.openState(ref), before, now()));
  }

  /** Maintains if it is due, and trims the object's own storage. */
  async maintainIfDue(ref: ProjectRef): Promise<void> {
    const { storage, now } = this.#deps;
    if (!isDue(storage.openState(ref).maintain_at, now())) return;
    await this.#maintain(ref, { project_id: ref.id }, DECAY_INTERVAL_DAYS);
    storage.saveState({ ...storage.openState(ref), maintain_at: now() + MAINTENANCE_MS });
    storage.deleteAnswersBefore(now() - IDEMPOTENCY_MS);
    storage.trimVectors(CACHED_VECTORS);
  }

  /** Schedules a consolidation after a new episode. */
  async recordEpisode(ref: ProjectRef, episode: EpisodeNote): Promise<void> {
    const { storage, schedule, now } = this.#deps;
    const state = scheduleAfterEpisode(storage.openState(ref), episode, now());
    storage.saveState(state);
    await schedule(state);
  }

  /** Deletes the cached vectors of texts. */
  forgetTexts(texts: readonly string[]): void {
    const { storage } = this.#deps;
    if (storage.readState() === null) return;
    for (const text of texts) storage.deleteVectors(computeTextKey(text));
  }

  async #consolidate(
    ref: ProjectRef,
    input: ConsolidateInput,
    idempotency: Idempotency,
  ): Promise<ConsolidateAnswer> {
    const { storage, openMemory, schedule, telemetry, now } = this.#deps;
    const started = now();
    const memory = openMemory(ref);
    const embed = this.#createEmbedder(ref, memory);
    // Merged patterns inherit the counts of each other.
    await memory.usageLog.flush();
    const plan = await prepareConsolidation(memory.store, input, { clock: started, embed });
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
      const state = { ...this.#openForAnswer(ref, idempotency), run };
      storage.beginRun(state, plan.steps);
      await schedule(state);
      await this.#resume(ref);
    } else if (idempotency !== null) await this.#saveAnswer(ref, idempotency, answer);
    telemetry({
      event: "consolidation",
      tenant: ref.tenant,
      session_id: null,
      duration_ms: now() - started,
      episodes: answer.episodes,
      clusters: answer.clusters,
      created: answer.created.length + answer.anti_patterns.length,
      updated: answer.updated.length,
      merged: answer.merged.length,
      dry_run: input.dry_run,
    });
    return answer;
  }

  /** Applies the remaining steps of the run in progress, if there is one. */
  async #resume(ref: ProjectRef): Promise<void> {
    const { storage, openMemory, now } = this.#deps;
    const { store, indexing } = openMemory(ref);
    for (let state = storage.readState(); state?.run != null; state = storage.readState()) {
      const { run } = state;
      const steps = storage.listSteps(run.done, STEPS_PER_BATCH);
      if (steps.length === 0) {
        await store.webhooks.queue(describeCompletion(ref, run, now()));
        storage.finishRun(state, now());
        await indexing.wake();
        return;
      }
      await applySteps(store, steps, run);
      // Read again: an episode may have changed the schedule meanwhile.
      storage.saveState({ ...storage.openState(ref), run: { ...run, done: run.done + steps.length } });
    }
  }

  async #maintain(
    ref: ProjectRef,
    input: MaintenanceInput,
    intervalDays: number,
  ): Promise<MaintenanceAnswer> {
    const { openMemory, telemetry, now } = this.#deps;
    const started = now();
    const memory = openMemory(ref);
    const schedule = { now: input.now ?? new Date(started).toISOString(), intervalDays };
    const embed = memory.semantic === null ? null : this.#createEmbedder(ref, memory);
    // Importance decays from what use has made of it.
    await memory.usageLog.flush();
    const answer = await maintainProject(memory.store, { project_id: ref.id, ...schedule }, embed);
    await memory.indexing.wake();
    const { ids: _ids, ...counts } = answer;
    telemetry({
      event: "maintenance",
      tenant: ref.tenant,
      session_id: null,
      duration_ms: now() - started,
      ...counts,
    });
    return answer;
  }

  async #saveAnswer(ref: ProjectRef, idempotency: Idempotency, answer: object): Promise<void> {
    const { storage, schedule, now } = this.#deps;
    const state = this.#openForAnswer(ref, idempotency);
    storage.saveState(state);
    if (idempotency !== null) storage.saveAnswer(idempotency, answer, now());
    await schedule(state);
  }

  /** Returns the state, with a maintenance that deletes the answer of an idempotent call once it has expired. */
  #openForAnswer(ref: ProjectRef, idempotency: Idempotency): ProjectState {
    const { storage, now } = this.#deps;
    const state = storage.openState(ref);
    if (idempotency === null) return state;
    return { ...state, maintain_at: state.maintain_at ?? now() + MAINTENANCE_MS };
  }

  /** Returns the stored answer of an idempotent call; null if the call is new. */
  #replay<T>(idempotency: Idempotency): T | null {
    const { storage, now } = this.#deps;
    if (idempotency === null || storage.readState() === null) return null;
    const answer = replayAnswer<T>(storage.findAnswer(idempotency.op, now() - IDEMPOTENCY_MS), idempotency);
    return answer === null ? null : unwrap(answer);
  }

  #createEmbedder(ref: ProjectRef, { semantic }: LongTermMemory): EmbedTexts {
    const { storage, now } = this.#deps;
    if (semantic !== null) storage.openState(ref);
    return createCachedEmbedder(semantic?.embedder ?? null, storage, now);
  }
}

/** Its id is that of the run: a run that is resumed is announced once. */
function describeCompletion({ id }: ProjectRef, run: NonNullable<ProjectState["run"]>, now: number) {
  const { episodes, clusters, created, updated, anti_patterns, merged } = run.answer;
  return {
    type: "consolidation.completed",
    id: `evt_${run.id}`,
    subject: `projects/${id}`,
    at: new Date(now).toISOString(),
    data: {
      project_id: id,
      episodes,
      clusters,
      created: created.length,
      updated: updated.length,
      anti_patterns: anti_patterns.length,
      merged: merged.length,
    },
  } as const;
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}
