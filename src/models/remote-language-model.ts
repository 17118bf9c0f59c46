// Language models behind a service: OpenAI-compatible chat completions, and Workers AI. Both share the messages, the
// retries and the validation of the returned text.
import type { AiBinding } from "../kernel/env";
import { isJsonObject, readField } from "../kernel/json";
import { CallError, invalidResponse, type RetryPolicy, retryWithBackoff } from "../kernel/retry";
import { SECOND_MS } from "../kernel/time";
import { type LanguageModel, LanguageModelError, type Prompt } from "./language-model";
import { createOpenAiCall, type OpenAiService, toWorkersAiError } from "./openai-http";

/** No caller of the API waits for a language model but on demand, so that the time limits are generous. */
export const COMPLETION_RETRY_POLICY: RetryPolicy = {
  attempts: 2,
  baseDelayMs: 1 * SECOND_MS,
  timeoutMs: 30 * SECOND_MS,
  maxRetryAfterMs: 10 * SECOND_MS,
};

type LanguageService = {
  name: string;
  /** Makes one call. Rejects with a CallError. */
  call: (request: CompletionRequest, signal: AbortSignal) => Promise<Completion>;
};

/** The fields of a request that every service accepts. */
type CompletionRequest = ReturnType<typeof toCompletionRequest>;

type Completion = {
  /** Not yet validated. */
  text: unknown;
  /** Whether the completion ended at the token limit. */
  truncated: boolean;
};

/** Overrides for tests. */
export type CompletionRetryOptions = { policy?: RetryPolicy; sleep?: (ms: number) => Promise<void> };

function createRemoteLanguageModel(
  { name, call }: LanguageService,
  { policy = COMPLETION_RETRY_POLICY, sleep }: CompletionRetryOptions = {},
): LanguageModel {
  return {
    name,
    async complete(prompt) {
      const ask = async (request: CompletionRequest) =>
        extractText(await retryWithBackoff((signal) => call(request, signal), policy, sleep));
      const request = toCompletionRequest(prompt);
      try {
        return await ask(request).catch((error: unknown) => {
          // A service that rejects the schema may still answer in JSON.
          if (request.schema === undefined || !(error instanceof CallError) || error.retryable) throw error;
          const { schema: _schema, ...plain } = request;
          return ask(plain);
        });
      } catch (error) {
        if (error instanceof CallError)
          throw new LanguageModelError(`Language model ${name} failed: ${error.message}`);
        throw error;
      }
    },
  };
}

function toCompletionRequest({ system, user, maxTokens, schema }: Prompt) {
  return {
    ...(schema !== undefined && { schema }),
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    max_tokens: maxTokens,
    // The same conversation should get the same summary.
    temperature: 0,
  };
}

/** Reads a response of OpenAI's chat completions API. */
function parseCompletion(response: unknown): Completion {
  const choices = readField(response, "choices");
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return {
    text: readField(readField(choice, "message"), "content"),
    truncated: readField(choice, "finish_reason") === "length",
  };
}

/** A reasoning block before the text; the closing tag is missing when the completion was truncated within it. */
const REASONING_BLOCK = /^\s*<think>.*?(?:<\/think>|$)/s;

function extractText({ text, truncated }: Completion): string {
  const content = typeof text === "string" ? text : "";
  const answer = content.replace(REASONING_BLOCK, "").trim();
  if (answer !== "") return answer;
  if (truncated || REASONING_BLOCK.test(content))
    throw invalidResponse(
      "the model spent its tokens on reasoning: choose an LLM_MODEL that does not reason first",
    );
  throw invalidResponse("the response has no text");
}

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
function toRequestBody(model: string, { messages, max_tokens, temperature, schema }: CompletionRequest) {
  const response_format = { type: "json_schema", json_schema: { strict: true, ...schema } };
  return {
    messages,
    ...(REASONING_MODEL.test(model)
      ? { max_completion_tokens: max_tokens * REASONING_TOKEN_FACTOR }
      : { max_tokens, temperature }),
    ...(schema !== undefined && { response_format }),
  };
}

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
      async call({ schema, ...request }, signal) {
        const response_format = { type: "json_schema", json_schema: schema?.schema };
        const input = { ...request, ...(schema !== undefined && { response_format }) };
        const response = await ai.run(model, input, { signal }).catch((error: unknown) => {
          throw toWorkersAiError(error, "LLM_MODEL");
        });
        const text = readField(response, "response");
        if (typeof text === "string") return { text, truncated: false };
        // With a schema the binding may give the parsed JSON.
        return isJsonObject(text)
          ? { text: JSON.stringify(text), truncated: false }
          : parseCompletion(response);
      },
    },
    retryOptions,
  );
}
