// The common part of language models that call a service: the chat messages, retries, and a validated text.
import { type LanguageModel, LanguageModelError, type Prompt } from "../../domain/cognition/language-model";
import { readField } from "../../platform/json";
import { CallError, invalidResponse, type RetryPolicy, retryWithBackoff } from "../../platform/retry";
import { SECOND_MS } from "../../platform/time";

/** Only projectors call a language model, on an alarm, so that the time limits are generous. */
export const COMPLETION_RETRY_POLICY: RetryPolicy = {
  attempts: 2,
  baseDelayMs: 1 * SECOND_MS,
  timeoutMs: 30 * SECOND_MS,
  maxRetryAfterMs: 10 * SECOND_MS,
};

export type LanguageService = {
  name: string;
  /** Makes one call. Rejects with a CallError. */
  call: (request: CompletionRequest, signal: AbortSignal) => Promise<Completion>;
};

/** The fields of a request that every service accepts. */
export type CompletionRequest = ReturnType<typeof toCompletionRequest>;

export type Completion = {
  /** Not yet validated. */
  text: unknown;
  /** Whether the completion ended at the token limit. */
  truncated: boolean;
};

/** Overrides for tests. */
export type CompletionRetryOptions = { policy?: RetryPolicy; sleep?: (ms: number) => Promise<void> };

export function createRemoteLanguageModel(
  { name, call }: LanguageService,
  { policy = COMPLETION_RETRY_POLICY, sleep }: CompletionRetryOptions = {},
): LanguageModel {
  return {
    name,
    async complete(prompt) {
      const request = toCompletionRequest(prompt);
      try {
        return extractText(await retryWithBackoff((signal) => call(request, signal), policy, sleep));
      } catch (error) {
        if (error instanceof CallError)
          throw new LanguageModelError(`Language model ${name} failed: ${error.message}`);
        throw error;
      }
    },
  };
}

function toCompletionRequest({ system, user, maxTokens }: Prompt) {
  return {
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
export function parseCompletion(response: unknown): Completion {
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
