// The language model port, implemented in src/models. Only projectors call a model, and only in an alarm: see
// docs/decisions.
import { PortError } from "../../platform/errors";

export type Prompt = {
  system: string;
  user: string;
  /** The maximum length of the answer. */
  maxTokens: number;
};

export type LanguageModel = {
  /** The service and its model, for telemetry and as the author of a summary. */
  readonly name: string;
  /** Returns the answer's text, trimmed and never empty. Throws a LanguageModelError. */
  complete(prompt: Prompt): Promise<string>;
};

/** A failed model call. Its message contains nothing of the prompt or the answer. */
export class LanguageModelError extends PortError {
  override readonly name = "LanguageModelError";
}
