// One project, the only writer of its consolidated experience, one run at a time: RPC, storage and alarm of
// src/experience/consolidation/project-runner.ts.
import { DurableObject } from "cloudflare:workers";
import type {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "../src/experience/consolidation/consolidation-schemas";
import type {
  EpisodeNote,
  ProjectRef,
  ProjectResult,
  ProjectRpc,
} from "../src/experience/consolidation/project-rpc";
import { ProjectRunner } from "../src/experience/consolidation/project-runner";
import { computeNextAlarm, scheduleAfterAlarm } from "../src/experience/consolidation/project-schedule";
import { type ProjectState, ProjectStorage } from "../src/experience/consolidation/project-storage";
import { ObjectAlarm } from "../src/kernel/alarm";
import { BookmarkTracker } from "../src/kernel/databases/bookmark-tracker";
import type { Bindings } from "../src/kernel/env";
import { type Result, toResult } from "../src/kernel/errors";
import { type CompactibleObject, compactObjectFile } from "../src/kernel/file-compactor";
import type { Idempotency } from "../src/kernel/idempotency";
import { createTelemetry } from "../src/kernel/telemetry";
import { createLongTermMemory } from "../src/services/long-term-memory";

export class ProjectObject extends DurableObject<Bindings> implements ProjectRpc, CompactibleObject {
  /** The clock in milliseconds, a field so that tests can set it. */
  now: () => number = () => Date.now();

  readonly #storage = new ProjectStorage(this.ctx.storage);
  readonly #alarm = new ObjectAlarm(this.ctx.storage, () => this.now());
  readonly #runner = new ProjectRunner({
    storage: this.#storage,
    openMemory: ({ tenant }) => {
      this.#bookmarks ??= new BookmarkTracker(tenant);
      return createLongTermMemory(this.env, tenant, { now: () => this.now(), bookmarks: this.#bookmarks });
    },
    schedule: (state) => this.#schedule(state),
    telemetry: (event) => createTelemetry(this.env.TELEMETRY)(event),
    now: () => this.now(),
  });
  #lastCall: Promise<unknown> = Promise.resolve();
  #bookmarks: BookmarkTracker | null = null;

  consolidate(
    ref: ProjectRef,
    input: ConsolidateInput,
    idempotency: Idempotency,
  ): Promise<ProjectResult<ConsolidateAnswer>> {
    return this.#runExclusively(() => this.#runner.consolidate(ref, input, idempotency));
  }

  maintain(
    ref: ProjectRef,
    input: MaintenanceInput,
    idempotency: Idempotency,
  ): Promise<ProjectResult<MaintenanceAnswer>> {
    return this.#runExclusively(() => this.#runner.maintain(ref, input, idempotency));
  }

  async noteEpisode(ref: ProjectRef, note: EpisodeNote): Promise<void> {
    await this.#reconcileAlarm();
    await this.#runner.recordEpisode(ref, note);
  }

  async forgetTexts(texts: readonly string[]): Promise<void> {
    await this.#reconcileAlarm();
    this.#runner.forgetTexts(texts);
  }

  erase(): Promise<Result<null>> {
    return this.#runExclusively(async () => {
      await this.ctx.storage.deleteAll();
      this.#alarm.markDeleted();
      return null;
    });
  }

  compactFile(): Promise<boolean> {
    return compactObjectFile(this.ctx, this.env.FILE_COMPACTOR, "ProjectObject");
  }

  /** Runs each task that is due on its own: a failure of one does not stop the other. */
  override async alarm(): Promise<void> {
    await this.#alarm.read();
    const ref = this.#storage.readState()?.ref;
    if (ref === undefined) return;
    const results = [
      await this.#runExclusively(() => this.#runner.consolidateIfDue(ref)),
      await this.#runExclusively(() => this.#runner.maintainIfDue(ref)),
    ];
    const succeeded = results.every(({ ok }) => ok);
    const state = scheduleAfterAlarm(this.#storage.openState(ref), succeeded, this.now());
    this.#storage.saveState(state);
    await this.#schedule(state);
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

  /** Runs one call at a time, in the order of arrival; failures become values. */
  #runExclusively<T>(work: () => Promise<T>): Promise<ProjectResult<T>> {
    const call = this.#lastCall.then(async () => {
      const result = await toResult("project", async () => {
        await this.#reconcileAlarm();
        return work();
      });
      const bookmark = this.#bookmarks?.newest ?? null;
      return bookmark === null ? result : { ...result, bookmark };
    });
    this.#lastCall = call;
    return call;
  }
}
