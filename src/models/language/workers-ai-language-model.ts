// The language model on Workers AI. Most of its models answer in its own way, some as OpenAI does.
import { fieldOf } from "../transport/response-values";
import { type AiBinding, aiFailure } from "../transport/workers-ai-binding";
import type { LanguageModel } from "./language-model";
import { answerOf, createRemoteModel, type Waiting } from "./remote-language-model";

/**
 * Small, among the cheapest there, and reads 131,000 tokens. It answers at once: models that think first would use up
 * the few tokens of a summary before its first word.
 */
export const DEFAULT_MODEL = "@cf/ibm-granite/granite-4.0-h-micro";

export function createWorkersAiModel(ai: AiBinding, model: string, waiting?: Waiting): LanguageModel {
  return createRemoteModel(
    {
      name: `workers-ai:${model}`,
      async call(question, signal) {
        const answer = await ai.run(model, question, { signal }).catch((error: unknown) => {
          throw aiFailure(error, "LLM_MODEL");
        });
        const text = fieldOf(answer, "response");
        return typeof text === "string" ? { text, cutOff: false } : answerOf(answer);
      },
    },
    waiting,
  );
}
