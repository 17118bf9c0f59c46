// An LRU cache of query vectors: agents repeat their queries, and an embedding service takes time.
import { CallTimeoutError, withTimeout } from "../../kernel/retry";
import { SECOND_MS } from "../../kernel/time";
import { type Embedder, EmbedderError } from "./embedder";

/** The time that a query waits for another request's call, which never settles if that request has ended. */
const SHARED_CALL_TIMEOUT_MS = 2 * SECOND_MS;

/**
 * Returns the embedder with a cache of the last `size` queries; concurrent calls for the same query share one call of
 * the embedder. Only calls with a single query are cached, as recall makes them.
 */
export function withQueryCache(
  embedder: Embedder,
  size: number,
  sharedCallTimeoutMs: number = SHARED_CALL_TIMEOUT_MS,
): Embedder {
  /** Least recently used first. */
  const cache = new Map<string, Float32Array>();
  const inFlight = new Map<string, Promise<Float32Array>>();

  const store = (query: string, vector: Float32Array) => {
    cache.delete(query);
    cache.set(query, vector);
    for (const oldest of cache.keys()) {
      if (cache.size <= size) break;
      cache.delete(oldest);
    }
  };

  const embedQuery = (query: string): Promise<Float32Array> => {
    const call = embedder
      .embed([query], "query")
      .then(([vector]) => {
        if (vector === undefined) throw new EmbedderError(`Embedder ${embedder.name} failed: no vector`);
        store(query, vector);
        return vector;
      })
      .finally(() => dropInFlight(query, call));
    inFlight.set(query, call);
    return call;
  };

  const dropInFlight = (query: string, call: Promise<Float32Array>) => {
    if (inFlight.get(query) === call) inFlight.delete(query);
  };

  const getVector = async (query: string): Promise<Float32Array> => {
    for (;;) {
      const vector = cache.get(query);
      if (vector !== undefined) {
        store(query, vector);
        return vector;
      }
      const shared = inFlight.get(query);
      if (shared === undefined) return embedQuery(query);
      try {
        return await withTimeout(() => shared, sharedCallTimeoutMs);
      } catch (error) {
        if (!(error instanceof CallTimeoutError)) throw error;
        // The request that started the call may have ended, and its call with it: the next caller starts its own.
        dropInFlight(query, shared);
      }
    }
  };

  return {
    ...embedder,
    async embed(texts, use) {
      const [query] = texts;
      if (use !== "query" || query === undefined || texts.length > 1) return embedder.embed(texts, use);
      // A copy: the caller may modify it.
      return [(await getVector(query)).slice()];
    },
  };
}
