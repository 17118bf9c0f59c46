// The embedder on Workers AI. Each model is asked as its makers say: some want to know what is a question, some want
// it said in the text.

import { EMBEDDING } from "../../limits";
import { failure } from "../../platform/errors";
import { refusal } from "../transport/response-values";
import { type AiBinding, aiFailure } from "../transport/workers-ai-binding";
import type { Embedder } from "./embedder";
import type { CallLimits } from "./embedding-batches";
import { createRemoteEmbedder, type Use, type Waiting } from "./remote-embedder";

type Model = {
  dimensions: number;
  limits: CallLimits;
  input: (texts: readonly string[], use: Use) => Record<string, unknown>;
};

/** Counts up whenever the same text would get another vector: by another input, pooling or cut. */
const VERSION = 1;

/** Reads many languages and the longest texts. */
export const DEFAULT_MODEL = "@cf/baai/bge-m3";

/** The calls take 100 texts where nothing else is said. */
const LIMITS: CallLimits = { texts: 100, callBytes: EMBEDDING.callBytes, textBytes: EMBEDDING.textBytes };

/** English; 512 tokens, at about three bytes each. Its first token is what it was trained to sum up with: `cls`. */
function bgeEnglish(dimensions: number): Model {
  const instruction = "Represent this sentence for searching relevant passages: ";
  return {
    dimensions,
    limits: { ...LIMITS, textBytes: 1_500 },
    input: (texts, use) => ({
      text: use === "query" ? texts.map((text) => instruction + text) : texts,
      pooling: "cls",
    }),
  };
}

const MODELS: Readonly<Record<string, Model>> = {
  [DEFAULT_MODEL]: {
    dimensions: 1_024,
    limits: LIMITS,
    input: (texts) => ({ text: texts, truncate_inputs: true }),
  },
  "@cf/google/embeddinggemma-300m": {
    dimensions: 768,
    // 2,048 tokens, at about three bytes each.
    limits: { ...LIMITS, textBytes: 6_000 },
    input: (texts, use) => {
      const prompt = use === "query" ? "task: search result | query: " : "title: none | text: ";
      return { text: texts.map((text) => prompt + text) };
    },
  },
  "@cf/qwen/qwen3-embedding-0.6b": {
    dimensions: 1_024,
    limits: { ...LIMITS, texts: 32 },
    input: (texts, use) => (use === "query" ? { queries: texts } : { documents: texts }),
  },
  "@cf/baai/bge-small-en-v1.5": bgeEnglish(384),
  "@cf/baai/bge-base-en-v1.5": bgeEnglish(768),
  "@cf/baai/bge-large-en-v1.5": bgeEnglish(1_024),
};

export function createWorkersAiEmbedder(ai: AiBinding, model: string, waiting?: Waiting): Embedder {
  const known = Object.hasOwn(MODELS, model) ? MODELS[model] : undefined;
  if (known === undefined)
    throw failure(
      "not_configured",
      `EMBEDDING_MODEL must be one that Workers AI is known to have (${Object.keys(MODELS).join(", ")}), is "${model}"`,
    );
  const { dimensions, limits, input } = known;
  return createRemoteEmbedder(
    {
      name: `workers-ai-${VERSION}:${model}`,
      dimensions,
      limits,
      otherDimensions: () => "choose another EMBEDDING_MODEL",
      async call(texts, use, signal) {
        const answer = await ai.run(model, input(texts, use), { signal }).catch((error: unknown) => {
          throw aiFailure(error, "EMBEDDING_MODEL");
        });
        if (typeof answer === "object" && answer !== null && "data" in answer && Array.isArray(answer.data))
          return answer.data;
        throw refusal("an answer without vectors");
      },
    },
    waiting,
  );
}
