// The language model on any service that speaks OpenAI's POST /v1/chat/completions: OpenAI itself, a gateway, or a
// server of one's own such as Ollama, vLLM or llama.cpp.
import { LANGUAGE } from "../../limits";
import { type OpenAiService, openAiCall } from "../transport/openai-http";
import type { LanguageModel } from "./language-model";
import { answerOf, createRemoteModel, type Question, type Waiting } from "./remote-language-model";

export type OpenAiOptions = OpenAiService & { model: string };

export function createOpenAiModel(options: OpenAiOptions, waiting?: Waiting): LanguageModel {
  const { model } = options;
  const call = openAiCall(options, {
    path: "chat/completions",
    settings: { url: "LLM_URL", key: "LLM_API_KEY", model: "LLM_MODEL" },
    hints: { 400: "choose an LLM_MODEL that takes max_tokens, temperature 0 and prompts of this length" },
  });
  return createRemoteModel(
    {
      name: `openai:${model}`,
      call: async (question, signal) => answerOf(await call({ model, ...asked(model, question) }, signal)),
    },
    waiting,
  );
}

/** OpenAI's own models that think before they answer, by the names it gives them. Gateways put the maker before. */
const THINKING = /(?:^|\/)(?:gpt-[5-9]|o[1-9])/;

/** Such a model takes neither setting, and its thoughts count as part of the answer. */
function asked(model: string, { messages, max_tokens, temperature }: Question) {
  return THINKING.test(model)
    ? { messages, max_completion_tokens: max_tokens * LANGUAGE.thinkingFactor }
    : { messages, max_tokens, temperature };
}
