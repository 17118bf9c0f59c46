// The embedding cache of a project: a run over known episodes calls no embedder.

import { describeDefect, failure } from "../../kernel/errors";
import { hash64 } from "../../kernel/hash";
import { extractSearchTerms } from "../../language/words/query-terms";
import { type Embedder, EmbedderError } from "../../models/embedders/embedder";

/** Texts of one call to the embedder. */
const EMBED_BATCH = 64;
/** Vectors that a project caches, about 2 KB each. */
export const CACHED_VECTORS = 40_000;

export type EmbedTexts = (texts: readonly string[]) => Promise<Float32Array[]>;

/** The part of the project's storage that holds vectors by key. */
type VectorStorage = {
  findVector(key: string): Float32Array | null;
  saveVectors(vectors: readonly { key: string; vector: Float32Array }[], at: number): void;
};

/** Creates a function that embeds texts through the cache. It fails without an embedder, once it is called. */
export function createCachedEmbedder(
  embedder: Embedder | null,
  storage: VectorStorage,
  now: () => number,
): EmbedTexts {
  return async (texts) => {
    if (embedder === null)
      throw failure(
        "not_configured",
        "Consolidation compares episodes by their embeddings, and EMBEDDER is none. Set an embedder, see docs/embedders.md.",
      );
    const toKey = (text: string) => `${embedder.name} ${computeTextKey(text)}`;
    const known = new Map<string, Float32Array>();
    const missing = new Map<string, string>();
    for (const text of texts) {
      if (!embedder.canRead(text)) continue;
      const key = toKey(text);
      if (known.has(key) || missing.has(key)) continue;
      const vector = storage.findVector(key);
      if (vector === null) missing.set(key, text);
      else known.set(key, vector);
    }
    const uncached = [...missing];
    for (let at = 0; at < uncached.length; at += EMBED_BATCH) {
      const batch = uncached.slice(at, at + EMBED_BATCH);
      const embedded = await callEmbedder(
        embedder,
        batch.map(([, text]) => text),
      );
      const vectors = batch.flatMap(([key], i) => {
        const vector = embedded[i];
        return vector === undefined ? [] : [{ key, vector }];
      });
      storage.saveVectors(vectors, now());
      for (const { key, vector } of vectors) known.set(key, vector);
    }
    return texts.map((text) =>
      embedder.canRead(text)
        ? (known.get(toKey(text)) ?? new Float32Array(embedder.dimensions))
        : computeTermVector(text, embedder.dimensions),
    );
  };
}

/** Returns the vector of a text that the embedder cannot read: similar to those of texts with the same terms. */
function computeTermVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const { term } of extractSearchTerms(text)) {
    const at = Number.parseInt(hash64(term).slice(0, 8), 16) % dimensions;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Returns the key of a text, which ends the key of each of its vectors. */
export function computeTextKey(text: string): string {
  return `${text.length} ${hash64(text)}`;
}

async function callEmbedder(embedder: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
  try {
    return await embedder.embed(texts, "document");
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    console.error(JSON.stringify({ event: "experience.error", ...describeDefect(error) }));
    throw failure(
      "unavailable",
      "The embedder did not respond. Nothing was changed; send the same call again.",
      { retryAfterSeconds: 5 },
    );
  }
}
