// The language model's port. Nothing waits for a model but the work of an alarm: see docs/decisions.
import { PortError } from "../../platform/errors";

export type Prompt = {
  system: string;
  user: string;
  /** The longest answer wanted. */
  maxTokens: number;
};

export type LanguageModel = {
  /** The service and its model, for telemetry and for what says who wrote it. */
  readonly name: string;
  /** The answer's text, trimmed and never empty. Fails with a LanguageModelError. */
  complete(prompt: Prompt): Promise<string>;
};

/** The model could not answer. Its message quotes nothing of what was sent or answered. */
export class LanguageModelError extends PortError {
  override readonly name = "LanguageModelError";
}
