// The embedder on any service that speaks OpenAI's POST /v1/embeddings: OpenAI itself, a gateway, or a server of
// one's own such as Ollama, vLLM or llama.cpp.

import { EMBEDDING } from "../../limits";
import { failure } from "../../platform/errors";
import { type OpenAiService, openAiCall } from "../transport/openai-http";
import { fieldOf, refusal } from "../transport/response-values";
import type { Embedder } from "./embedder";
import { createRemoteEmbedder, type Waiting } from "./remote-embedder";

export type OpenAiOptions = OpenAiService & {
  model: string;
  /** What the vectors have; null for a model of OpenAI's as it is. */
  dimensions: number | null;
};

/** Counts up whenever the same text would get another vector, by another input or cut. */
const VERSION = 1;

/** OpenAI's own models, and whether they shorten their vectors when asked. */
const OPENAI_MODELS: Readonly<Record<string, { dimensions: number; shortens: boolean }>> = {
  "text-embedding-3-small": { dimensions: 1_536, shortens: true },
  "text-embedding-3-large": { dimensions: 3_072, shortens: true },
  "text-embedding-ada-002": { dimensions: 1_536, shortens: false },
};

const LIMITS = {
  texts: EMBEDDING.openAiTexts,
  callBytes: EMBEDDING.callBytes,
  textBytes: EMBEDDING.textBytes,
};

export function createOpenAiEmbedder(options: OpenAiOptions, waiting?: Waiting): Embedder {
  const { model } = options;
  const call = openAiCall(options, {
    path: "embeddings",
    settings: { url: "EMBEDDINGS_URL", key: "EMBEDDINGS_API_KEY", model: "EMBEDDING_MODEL" },
  });
  const { dimensions, asked } = dimensionsOf(model, options.dimensions);

  return createRemoteEmbedder(
    {
      name: `openai-${VERSION}:${model}:${dimensions}`,
      dimensions,
      limits: LIMITS,
      otherDimensions: (given) => `set EMBEDDING_DIMENSIONS to ${given}, or choose another EMBEDDING_MODEL`,
      async call(texts, _use, signal) {
        return vectorsOf(await call({ input: texts, model, ...(asked && { dimensions }) }, signal));
      },
    },
    waiting,
  );
}

/** Only a model that is known to shorten its vectors is asked to: other servers refuse the very question. */
function dimensionsOf(model: string, wanted: number | null): { dimensions: number; asked: boolean } {
  // Gateways put the maker before the model.
  const name = model.slice(model.lastIndexOf("/") + 1);
  const own = Object.hasOwn(OPENAI_MODELS, name) ? OPENAI_MODELS[name] : undefined;
  if (own === undefined) {
    if (wanted === null)
      throw failure(
        "not_configured",
        `EMBEDDING_DIMENSIONS must say how many dimensions the vectors of "${model}" have`,
      );
    return { dimensions: wanted, asked: false };
  }
  if (wanted === null || wanted === own.dimensions) return { dimensions: own.dimensions, asked: false };
  if (!own.shortens || wanted > own.dimensions)
    throw failure(
      "not_configured",
      `EMBEDDING_DIMENSIONS must be ${own.shortens ? "at most " : ""}${own.dimensions} for "${model}", is ${wanted}`,
    );
  return { dimensions: wanted, asked: true };
}

/** The vectors in the order of their texts, which is not always that of the answer. */
function vectorsOf(answer: unknown): unknown[] {
  const data = fieldOf(answer, "data");
  if (!Array.isArray(data)) throw refusal("an answer without vectors: check EMBEDDINGS_URL");
  const vectors = new Map<unknown, unknown>();
  for (const [position, item] of data.entries())
    vectors.set(fieldOf(item, "index") ?? position, decoded(fieldOf(item, "embedding")));
  return data.map((_, index) => {
    if (!vectors.has(index)) throw refusal("an answer whose vectors are not numbered from 0");
    return vectors.get(index);
  });
}

/** A list of numbers as it is, or base64 of little-endian 32-bit floats. */
function decoded(embedding: unknown): unknown {
  if (typeof embedding !== "string") return embedding;
  try {
    return new Float32Array(Uint8Array.from(atob(embedding), (char) => char.charCodeAt(0)).buffer);
  } catch {
    throw refusal("a vector that is no base64 of 32-bit floats");
  }
}
