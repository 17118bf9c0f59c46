// The embedder on Workers AI. Each model gets the input that its authors specify: some take queries in a field of
// their own, some expect an instruction before the text.
import type { AiBinding } from "../../kernel/env";
import { failure } from "../../kernel/errors";
import { readField } from "../../kernel/json";
import { invalidResponse } from "../../kernel/retry";
import { toWorkersAiError } from "../openai-http";
import type { Embedder, EmbeddingUse } from "./embedder";
import {
  type BatchLimits,
  createRemoteEmbedder,
  type EmbeddingRetryOptions,
  MAX_CALL_BYTES,
  MAX_TEXT_BYTES,
} from "./remote-embedder";

type EmbeddingModel = {
  dimensions: number;
  limits: BatchLimits;
  toInput: (texts: readonly string[], use: EmbeddingUse) => Record<string, unknown>;
};

/** Part of the embedder's name. Increment it when the input, pooling or truncation changes the vectors. */
const VERSION = 1;

/** Multilingual, with the longest context. */
export const DEFAULT_EMBEDDING_MODEL = "@cf/baai/bge-m3";

/** Workers AI accepts 100 texts in one call unless the model's page says otherwise. */
const DEFAULT_LIMITS: BatchLimits = { texts: 100, callBytes: MAX_CALL_BYTES, textBytes: MAX_TEXT_BYTES };

/** English; a context of 512 tokens, at about three bytes each. Trained with CLS pooling. */
function bgeEnglish(dimensions: number): EmbeddingModel {
  const instruction = "Represent this sentence for searching relevant passages: ";
  return {
    dimensions,
    limits: { ...DEFAULT_LIMITS, textBytes: 1_500 },
    toInput: (texts, use) => ({
      text: use === "query" ? texts.map((text) => instruction + text) : texts,
      pooling: "cls",
    }),
  };
}

const QWEN_INSTRUCTION = "Given a question, retrieve the messages and notes that answer it";

const MODELS: Readonly<Record<string, EmbeddingModel>> = {
  [DEFAULT_EMBEDDING_MODEL]: {
    dimensions: 1_024,
    limits: DEFAULT_LIMITS,
    toInput: (texts) => ({ text: texts, truncate_inputs: true }),
  },
  "@cf/google/embeddinggemma-300m": {
    dimensions: 768,
    // 2,048 tokens, at about three bytes each.
    limits: { ...DEFAULT_LIMITS, textBytes: 6_000 },
    toInput: (texts, use) => {
      const prompt = use === "query" ? "task: search result | query: " : "title: none | text: ";
      return { text: texts.map((text) => prompt + text) };
    },
  },
  "@cf/qwen/qwen3-embedding-0.6b": {
    dimensions: 1_024,
    limits: { ...DEFAULT_LIMITS, texts: 32 },
    // Its authors recommend an instruction that names the task. It shapes queries alone: stored vectors stay valid.
    toInput: (texts, use) =>
      use === "query" ? { queries: texts, instruction: QWEN_INSTRUCTION } : { documents: texts },
  },
  "@cf/baai/bge-small-en-v1.5": bgeEnglish(384),
  "@cf/baai/bge-base-en-v1.5": bgeEnglish(768),
  "@cf/baai/bge-large-en-v1.5": bgeEnglish(1_024),
};

export function createWorkersAiEmbedder(
  ai: AiBinding,
  model: string,
  retryOptions?: EmbeddingRetryOptions,
): Embedder {
  const known = Object.hasOwn(MODELS, model) ? MODELS[model] : undefined;
  if (known === undefined)
    throw failure(
      "not_configured",
      `EMBEDDING_MODEL must be a supported model of Workers AI (${Object.keys(MODELS).join(", ")}), is "${model}"`,
    );
  const { dimensions, limits, toInput } = known;
  return createRemoteEmbedder(
    {
      name: `workers-ai-${VERSION}:${model}`,
      model,
      dimensions,
      limits,
      describeDimensionsFix: () => "choose another EMBEDDING_MODEL",
      async call(texts, use, signal) {
        const response = await ai.run(model, toInput(texts, use), { signal }).catch((error: unknown) => {
          throw toWorkersAiError(error, "EMBEDDING_MODEL");
        });
        const data = readField(response, "data");
        if (!Array.isArray(data)) throw invalidResponse("the response has no vectors");
        return data;
      },
    },
    retryOptions,
  );
}
