// What a project's object answers to. Everything that crosses is JSON; failures are values.
import type { Result } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import type {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "../schemas/consolidation";

export type ProjectRef = { tenant: string; id: string };

export type ProjectRpc = {
  /** One at a time; a run that was cut off is finished first. */
  consolidate(
    ref: ProjectRef,
    input: ConsolidateInput,
    idempotency: Idempotency,
  ): Promise<Result<ConsolidateAnswer>>;
  maintain(
    ref: ProjectRef,
    input: MaintenanceInput,
    idempotency: Idempotency,
  ): Promise<Result<MaintenanceAnswer>>;
  /** There is a new episode; `finished` says that its task is over. */
  noteEpisode(ref: ProjectRef, note: { finished: boolean }): Promise<void>;
  /** A text is erased: nothing made of it is kept. */
  forgetText(text: string): Promise<void>;
};
