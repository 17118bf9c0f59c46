// The embedder for any service with OpenAI's POST /v1/embeddings: OpenAI, a gateway, or a self-hosted server such as
// Ollama, vLLM or llama.cpp.
import { failure } from "../../kernel/errors";
import { readField } from "../../kernel/json";
import { invalidResponse } from "../../kernel/retry";
import { createOpenAiCall, type OpenAiService } from "../openai-http";
import type { Embedder } from "./embedder";
import {
  createRemoteEmbedder,
  type EmbeddingRetryOptions,
  MAX_CALL_BYTES,
  MAX_TEXT_BYTES,
} from "./remote-embedder";

export type OpenAiEmbedderOptions = OpenAiService & {
  model: string;
  /** The number of dimensions; null for the default of one of OpenAI's own models. */
  dimensions: number | null;
};

/** Part of the embedder's name. Increment it when the same text would get another vector. */
const VERSION = 1;

/** OpenAI's own models, and whether they shorten their vectors on request. */
const OPENAI_MODELS: Readonly<Record<string, { dimensions: number; shortens: boolean }>> = {
  "text-embedding-3-small": { dimensions: 1_536, shortens: true },
  "text-embedding-3-large": { dimensions: 3_072, shortens: true },
  "text-embedding-ada-002": { dimensions: 1_536, shortens: false },
};

const BATCH_LIMITS = {
  /** OpenAI accepts 2,048; a self-hosted server takes longer for each. */
  texts: 100,
  callBytes: MAX_CALL_BYTES,
  textBytes: MAX_TEXT_BYTES,
};

export function createOpenAiEmbedder(
  options: OpenAiEmbedderOptions,
  retryOptions?: EmbeddingRetryOptions,
): Embedder {
  const { model } = options;
  const call = createOpenAiCall(options, {
    path: "embeddings",
    settings: { url: "EMBEDDINGS_URL", key: "EMBEDDINGS_API_KEY", model: "EMBEDDING_MODEL" },
  });
  const { dimensions, shorten } = resolveDimensions(model, options.dimensions);

  return createRemoteEmbedder(
    {
      name: `openai-${VERSION}:${model}:${dimensions}`,
      model,
      dimensions,
      limits: BATCH_LIMITS,
      describeDimensionsFix: (found) =>
        `set EMBEDDING_DIMENSIONS to ${found}, or choose another EMBEDDING_MODEL`,
      async call(texts, _use, signal) {
        return parseVectors(await call({ input: texts, model, ...(shorten && { dimensions }) }, signal));
      },
    },
    retryOptions,
  );
}

/** `shorten` is set only for models that support the `dimensions` field: other servers reject a request with it. */
function resolveDimensions(
  model: string,
  requested: number | null,
): { dimensions: number; shorten: boolean } {
  // Gateways prefix the model with its vendor.
  const name = model.slice(model.lastIndexOf("/") + 1);
  const known = Object.hasOwn(OPENAI_MODELS, name) ? OPENAI_MODELS[name] : undefined;
  if (known === undefined) {
    if (requested === null)
      throw failure(
        "not_configured",
        `EMBEDDING_DIMENSIONS is required: set it to the number of dimensions of the vectors of "${model}"`,
      );
    return { dimensions: requested, shorten: false };
  }
  if (requested === null || requested === known.dimensions)
    return { dimensions: known.dimensions, shorten: false };
  if (!known.shortens || requested > known.dimensions)
    throw failure(
      "not_configured",
      `EMBEDDING_DIMENSIONS must be ${known.shortens ? "at most " : ""}${known.dimensions} for "${model}", is ${requested}`,
    );
  return { dimensions: requested, shorten: true };
}

/** Returns the vectors in the order of their texts; the response may have another order. */
function parseVectors(response: unknown): unknown[] {
  const data = readField(response, "data");
  if (!Array.isArray(data)) throw invalidResponse("the response has no vectors: check EMBEDDINGS_URL");
  const vectors = new Map<unknown, unknown>();
  for (const [position, item] of data.entries())
    vectors.set(readField(item, "index") ?? position, decodeVector(readField(item, "embedding")));
  return data.map((_, index) => {
    if (!vectors.has(index)) throw invalidResponse("the vectors are not numbered from 0");
    return vectors.get(index);
  });
}

/** Decodes base64 of little-endian 32-bit floats; returns any other value as it is. */
function decodeVector(embedding: unknown): unknown {
  if (typeof embedding !== "string") return embedding;
  try {
    return new Float32Array(Uint8Array.from(atob(embedding), (char) => char.charCodeAt(0)).buffer);
  } catch {
    throw invalidResponse("a vector is not base64 of 32-bit floats");
  }
}
