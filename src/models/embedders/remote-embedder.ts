// The common part of embedders that call a service: batches within the service's limits, retries, and validated unit
// vectors.
import { CallError, invalidResponse, type RetryPolicy, retryWithBackoff } from "../../kernel/retry";
import { SECOND_MS } from "../../kernel/time";
import { truncateText } from "../openai-http";
import { type Embedder, EmbedderError, type EmbeddingUse, findRankingPreset } from "./embedder";

/** A recall waits for its query, the indexer for documents: a query is retried once, and within a shorter time. */
export const EMBEDDING_RETRY_POLICIES: Readonly<Record<EmbeddingUse, RetryPolicy>> = {
  query: { attempts: 2, baseDelayMs: 100, timeoutMs: 1.5 * SECOND_MS, maxRetryAfterMs: 0.5 * SECOND_MS },
  document: { attempts: 3, baseDelayMs: 500, timeoutMs: 10 * SECOND_MS, maxRetryAfterMs: 5 * SECOND_MS },
};

/** Concurrent calls of one `embed`: a Worker has six connections, shared with other work. */
export const CONCURRENT_CALLS = 2;

/** One call embeds this many texts in about the time of one. */
export const MAX_INLINE_TEXTS = 50;

/** UTF-8 bytes of all texts in one call. A token has at least one byte: every service accepts more tokens. */
export const MAX_CALL_BYTES = 60_000;

/** UTF-8 bytes of one text for a model with a context of 8,192 tokens: such a text never has more tokens. */
export const MAX_TEXT_BYTES = 8_000;

export type BatchLimits = {
  /** Texts in one call. */
  texts: number;
  /** UTF-8 bytes of all texts in one call. */
  callBytes: number;
  /** UTF-8 bytes of one text; the rest is truncated. */
  textBytes: number;
};

type EmbeddingService = {
  /** The embedder's name. */
  name: string;
  /** The name of the model at the service. */
  model: string;
  dimensions: number;
  limits: BatchLimits;
  /** Describes the fix when the service returns vectors with another number of dimensions. */
  describeDimensionsFix: (dimensions: number) => string;
  /** Makes one call; returns a vector per text, in order and not yet validated. Rejects with a CallError. */
  call: (texts: readonly string[], use: EmbeddingUse, signal: AbortSignal) => Promise<readonly unknown[]>;
};

/** Overrides for tests. */
export type EmbeddingRetryOptions = {
  policies?: Readonly<Record<EmbeddingUse, RetryPolicy>>;
  sleep?: (ms: number) => Promise<void>;
};

export function createRemoteEmbedder(
  service: EmbeddingService,
  { policies = EMBEDDING_RETRY_POLICIES, sleep }: EmbeddingRetryOptions = {},
): Embedder {
  const { name, dimensions, limits } = service;
  return {
    name,
    dimensions,
    maxInlineTexts: MAX_INLINE_TEXTS,
    minRelatedCosine: 0,
    preset: findRankingPreset(service.model),
    canRead: () => true,
    async embed(texts, use) {
      const embedBatch = async (batch: readonly string[]) => {
        const call = (signal: AbortSignal) => service.call(batch, use, signal);
        const vectors = await retryWithBackoff(call, policies[use], sleep);
        if (vectors.length !== batch.length)
          throw invalidResponse(`${vectors.length} vectors for ${batch.length} texts`);
        return vectors.map((vector) => toUnitVector(vector, service));
      };
      try {
        const batches = splitIntoBatches(texts, limits);
        return (await mapConcurrently(batches, CONCURRENT_CALLS, embedBatch)).flat();
      } catch (error) {
        if (error instanceof CallError)
          throw new EmbedderError(`Embedder ${name} failed: ${error.message}`, {
            retryable: error.retryable,
          });
        throw error;
      }
    },
  };
}

function toUnitVector(vector: unknown, service: EmbeddingService): Float32Array {
  const { dimensions, describeDimensionsFix } = service;
  if (!isNumbers(vector)) throw invalidResponse("a vector is not a list of numbers");
  if (vector.length !== dimensions)
    throw invalidResponse(
      `the vectors have ${vector.length} dimensions, not ${dimensions}: ${describeDimensionsFix(vector.length)}`,
    );
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length)) throw invalidResponse("a vector has a number that is not finite");
  if (length === 0) throw invalidResponse("a vector has only zeros and so no direction");
  return Float32Array.from(vector, (value) => value / length);
}

function isNumbers(vector: unknown): vector is number[] | Float32Array {
  return (
    vector instanceof Float32Array ||
    (Array.isArray(vector) && vector.every((value) => typeof value === "number"))
  );
}

function splitIntoBatches(texts: readonly string[], limits: BatchLimits): string[][] {
  const batches: string[][] = [];
  let bytesLeft = 0;
  for (const whole of texts) {
    const { text, bytes } = truncateText(whole, limits.textBytes);
    const last = batches.at(-1);
    if (last === undefined || last.length >= limits.texts || bytes > bytesLeft) {
      batches.push([text]);
      bytesLeft = limits.callBytes - bytes;
    } else {
      last.push(text);
      bytesLeft -= bytes;
    }
  }
  return batches;
}

/** Returns the results in order, with at most `width` calls in flight. No call starts after the first error. */
async function mapConcurrently<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = [...items.entries()].reverse();
  const runLane = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [index, item] = next;
      try {
        results[index] = await work(item);
      } catch (error) {
        queue.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, runLane));
  return results;
}
