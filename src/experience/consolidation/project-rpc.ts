// RPC interface of a project's Durable Object. Arguments and results are JSON; failures are values.
import type { Result } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import type {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "./consolidation-schemas";

export type ProjectRef = { tenant: string; id: string };

/** A new episode: whether it finished its task, and its phase. */
export type EpisodeNote = { finished: boolean; phase?: string | null };

/** The result of a call, with the bookmark of the object's last access to D1. */
export type ProjectResult<T> = Result<T> & { bookmark?: string };

export type ProjectRpc = {
  /** Runs one at a time; an interrupted run completes first. */
  consolidate(
    ref: ProjectRef,
    input: ConsolidateInput,
    idempotency: Idempotency,
  ): Promise<ProjectResult<ConsolidateAnswer>>;
  maintain(
    ref: ProjectRef,
    input: MaintenanceInput,
    idempotency: Idempotency,
  ): Promise<ProjectResult<MaintenanceAnswer>>;
  /** Schedules a consolidation after a new episode; sooner if it finished its task or began another phase. */
  noteEpisode(ref: ProjectRef, note: EpisodeNote): Promise<void>;
  /** Deletes the cached vectors of erased texts. */
  forgetTexts(texts: readonly string[]): Promise<void>;
  /** Erases the schedule, the run in progress, stored answers and cached vectors. Waits for a running call first. */
  erase(): Promise<Result<null>>;
};
