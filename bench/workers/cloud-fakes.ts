// Fakes of Workers AI and Vectorize for the benchmarks, which have no local counterpart.
import { VISIBILITY_MARGIN_MS } from "../../src/recall/vectors/vectorize-index";
import { FakeVectorize } from "../../test/fakes/vectorize";

/** The dimensions of bge-m3. */
const DIMENSIONS = 1_024;

/** As on a busy index: every mutation was processed long ago. */
class SettledVectorize extends FakeVectorize {
  override async query(...args: Parameters<FakeVectorize["query"]>): Promise<VectorizeMatches> {
    this.settle();
    return super.query(...args);
  }

  override async describe(): Promise<VectorizeIndexInfo> {
    this.settle();
    const processedUpToDatetime = new Date(Date.now() + 2 * VISIBILITY_MARGIN_MS).toISOString();
    return { ...(await super.describe()), processedUpToDatetime } as unknown as VectorizeIndexInfo;
  }
}

export function createFakeVectorize(): FakeVectorize {
  return new SettledVectorize({ dimensions: DIMENSIONS });
}

/** A simple embedder of the same dimensions: texts with common words are near each other. */
export function embedByWords(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().split(/\W+/)) {
    let hash = 7;
    for (const letter of word) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
    const at = hash % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}
