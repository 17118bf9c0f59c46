// Remembers the vectors of the last questions: agents ask the same thing again, and a service takes its time.
import { EMBEDDING } from "../../limits";
import { CallFailure, within } from "../transport/retry";
import { type Embedder, EmbedderError } from "./embedder";

/**
 * The embedder, with the last `size` questions at hand, and one call for those who ask the same at once. Only a lone
 * question is remembered, which is how a recall asks.
 */
export function withQueryCache(
  embedder: Embedder,
  size: number,
  sharedMs: number = EMBEDDING.sharedQueryMs,
): Embedder {
  /** The longest unused first. */
  const known = new Map<string, Float32Array>();
  const underWay = new Map<string, Promise<Float32Array>>();

  const remember = (question: string, vector: Float32Array) => {
    known.delete(question);
    known.set(question, vector);
    for (const oldest of known.keys()) {
      if (known.size <= size) break;
      known.delete(oldest);
    }
  };

  const ask = (question: string): Promise<Float32Array> => {
    const asked = embedder
      .embed([question], "query")
      .then(([vector]) => {
        if (vector === undefined) throw new EmbedderError(`Embedder ${embedder.name} failed: no vector`);
        remember(question, vector);
        return vector;
      })
      .finally(() => forget(question, asked));
    underWay.set(question, asked);
    return asked;
  };

  const forget = (question: string, asked: Promise<Float32Array>) => {
    if (underWay.get(question) === asked) underWay.delete(question);
  };

  const vectorOf = async (question: string): Promise<Float32Array> => {
    for (;;) {
      const vector = known.get(question);
      if (vector !== undefined) {
        remember(question, vector);
        return vector;
      }
      const shared = underWay.get(question);
      if (shared === undefined) return ask(question);
      try {
        return await within(() => shared, sharedMs);
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        // Out of patience. If the request that asked is gone, so is its call: the next to look asks for itself.
        forget(question, shared);
      }
    }
  };

  return {
    ...embedder,
    async embed(texts, use) {
      const [question] = texts;
      if (use !== "query" || question === undefined || texts.length > 1) return embedder.embed(texts, use);
      // A copy, so that what a caller does to it stays with the caller.
      return [(await vectorOf(question)).slice()];
    },
  };
}
