// The language model for any service with OpenAI's POST /v1/chat/completions: OpenAI, a gateway, or a self-hosted
// server such as Ollama, vLLM or llama.cpp.
import type { LanguageModel } from "../../domain/cognition/language-model";
import { createOpenAiCall, type OpenAiService } from "../transport/openai-http";
import {
  type CompletionRequest,
  type CompletionRetryOptions,
  createRemoteLanguageModel,
  parseCompletion,
} from "./remote-language-model";

export type OpenAiLanguageModelOptions = OpenAiService & { model: string };

export function createOpenAiLanguageModel(
  options: OpenAiLanguageModelOptions,
  retryOptions?: CompletionRetryOptions,
): LanguageModel {
  const { model } = options;
  const call = createOpenAiCall(options, {
    path: "chat/completions",
    settings: { url: "LLM_URL", key: "LLM_API_KEY", model: "LLM_MODEL" },
    hints: { 400: "choose an LLM_MODEL that takes max_tokens, temperature 0 and prompts of this length" },
  });
  return createRemoteLanguageModel(
    {
      name: `openai:${model}`,
      call: async (request, signal) =>
        parseCompletion(await call({ model, ...toRequestBody(model, request) }, signal)),
    },
    retryOptions,
  );
}

/** OpenAI's own reasoning models, by name. Gateways prefix the vendor. */
const REASONING_MODEL = /(?:^|\/)(?:gpt-[5-9]|o[1-9])/;

/** The token limit of a reasoning model, as a multiple of that of the answer: reasoning counts against it. */
export const REASONING_TOKEN_FACTOR = 10;

/** Reasoning models reject `max_tokens` and `temperature`. */
function toRequestBody(model: string, { messages, max_tokens, temperature }: CompletionRequest) {
  return REASONING_MODEL.test(model)
    ? { messages, max_completion_tokens: max_tokens * REASONING_TOKEN_FACTOR }
    : { messages, max_tokens, temperature };
}
