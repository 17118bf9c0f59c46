// What a project's object answers to. Everything that crosses is JSON; failures are values.
import type { Outcome } from "../platform/errors";
import type {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "../schemas/experience";
import type { Idempotency } from "../session/session-rpc";

export type ProjectRef = { tenant: string; id: string };

export type ProjectRpc = {
  /** One at a time; a run that was cut off is finished first. */
  consolidate(
    ref: ProjectRef,
    input: ConsolidateInput,
    idempotency: Idempotency,
  ): Promise<Outcome<ConsolidateAnswer>>;
  maintain(
    ref: ProjectRef,
    input: MaintenanceInput,
    idempotency: Idempotency,
  ): Promise<Outcome<MaintenanceAnswer>>;
  /** There is a new episode; `finished` says that its task is over. */
  noteEpisode(ref: ProjectRef, note: { finished: boolean }): Promise<void>;
  /** A text is erased: nothing made of it is kept. */
  forgetText(text: string): Promise<void>;
};
