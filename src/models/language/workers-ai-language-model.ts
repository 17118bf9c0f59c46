// The language model on Workers AI. Most of its models answer with { response }, some as OpenAI does.
import type { LanguageModel } from "../../domain/cognition/language-model";
import type { AiBinding } from "../../platform/env";
import { readField } from "../../platform/json";
import { toWorkersAiError } from "../transport/workers-ai-errors";
import {
  type CompletionRetryOptions,
  createRemoteLanguageModel,
  parseCompletion,
} from "./remote-language-model";

/**
 * Small, among the cheapest, with a context of 131,000 tokens, and without a reasoning phase, which would use up the
 * few tokens of a summary.
 */
export const DEFAULT_LANGUAGE_MODEL = "@cf/ibm-granite/granite-4.0-h-micro";

export function createWorkersAiLanguageModel(
  ai: AiBinding,
  model: string,
  retryOptions?: CompletionRetryOptions,
): LanguageModel {
  return createRemoteLanguageModel(
    {
      name: `workers-ai:${model}`,
      async call(request, signal) {
        const response = await ai.run(model, request, { signal }).catch((error: unknown) => {
          throw toWorkersAiError(error, "LLM_MODEL");
        });
        const text = readField(response, "response");
        return typeof text === "string" ? { text, truncated: false } : parseCompletion(response);
      },
    },
    retryOptions,
  );
}
