// The language model port, implemented in src/models. Only projectors and the extraction from messages call a model, on
// an alarm or on demand: see docs/decisions.
import { PortError } from "../kernel/errors";
import type { JsonObject } from "../kernel/json";

export type Prompt = {
  system: string;
  user: string;
  /** The maximum length of the answer. */
  maxTokens: number;
  /** The JSON schema of the answer. A model may ignore it, so the caller validates the answer. */
  schema?: { name: string; schema: JsonObject };
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
