// The embedder on any service that speaks OpenAI's POST /v1/embeddings: OpenAI itself, a gateway, or a server of
// one's own such as Ollama, vLLM or llama.cpp.
import { failure } from "../errors";
import { EMBEDDING } from "../limits";
import { CallFailure } from "./attempts";
import type { Embedder } from "./embedder";
import { createRemoteEmbedder, refusal, type Waiting } from "./remote";

export type OpenAiOptions = {
  /** The base address, such as https://api.openai.com/v1, or that of the embeddings themselves. */
  url: string;
  key: string | null;
  model: string;
  /** What the vectors have; null for a model of OpenAI's as it is. */
  dimensions: number | null;
  fetch?: typeof fetch;
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
  // Called as a plain function: the platform's fetch refuses to be a method of something else.
  const { key, model, fetch: send = (input, init) => fetch(input, init) } = options;
  const url = embeddingsUrl(options.url);
  const { dimensions, asked } = dimensionsOf(model, options.dimensions);

  return createRemoteEmbedder(
    {
      name: `openai-${VERSION}:${model}:${dimensions}`,
      dimensions,
      limits: LIMITS,
      otherDimensions: (given) => `set EMBEDDING_DIMENSIONS to ${given}, or choose another EMBEDDING_MODEL`,
      async call(texts, _use, signal) {
        const response = await send(url, {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            ...(key !== null && { Authorization: `Bearer ${key}` }),
          },
          body: JSON.stringify({ input: texts, model, ...(asked && { dimensions }) }),
          // A redirect may drop the texts, or carry them and the key elsewhere.
          redirect: "manual",
          signal,
        }).catch(() => {
          throw new CallFailure("the service could not be reached", { mayPass: true });
        });
        if (!response.ok) {
          // The status says it all; a body that cannot even be dropped adds nothing.
          await response.body?.cancel().catch(() => undefined);
          throw toFailure(response);
        }
        const text = await response.text().catch(() => {
          throw new CallFailure("the answer broke off", { mayPass: true });
        });
        return vectorsOf(parsed(text));
      },
    },
    waiting,
  );
}

function embeddingsUrl(base: string): string {
  if (!/^https?:/i.test(base) || !URL.canParse(base))
    throw failure(
      "not_configured",
      "EMBEDDINGS_URL must be an http or https address, such as https://api.openai.com/v1",
    );
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith("/embeddings") ? path : `${path || "/v1"}/embeddings`;
  return url.href;
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

/** What to look at, by status. */
const HINTS: Readonly<Record<number, string>> = {
  401: ": check EMBEDDINGS_API_KEY",
  403: ": check EMBEDDINGS_API_KEY",
  404: ": check EMBEDDINGS_URL and EMBEDDING_MODEL",
};

function toFailure({ status, headers }: Response): CallFailure {
  const retryAfterMs = retryAfter(headers.get("Retry-After"));
  const later = retryAfterMs > 0 ? `, to be tried again in ${Math.ceil(retryAfterMs / 1_000)} s` : "";
  return new CallFailure(`status ${status}${HINTS[status] ?? ""}${later}`, {
    mayPass: status >= 500 || status === 429 || status === 408,
    retryAfterMs,
  });
}

/** Seconds or a date; 0 where there is neither. */
function retryAfter(header: string | null): number {
  if (!header) return 0;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return ms > 0 ? ms : 0;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal("an answer that is no JSON: check EMBEDDINGS_URL");
  }
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

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
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
