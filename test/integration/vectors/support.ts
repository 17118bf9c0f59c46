// Vectors for the index tests: deterministic random vectors, and exact cosine similarity.
import type { VectorRecord } from "../../../src/recall/vectors/vector-index";

/** A seeded pseudo-random generator of numbers from 0 to 1 (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomVector(dimensions: number, random: () => number): Float32Array {
  return Float32Array.from({ length: dimensions }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    return radius * Math.cos(2 * Math.PI * random());
  });
}

export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (const [i, x] of a.entries()) {
    const y = b[i] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

/** Returns a vector with the given cosine similarity to `query`. */
export function vectorAt(query: Float32Array, wanted: number, random: () => number): Float32Array {
  const other = randomVector(query.length, random);
  const unit = normalise(query);
  const along = cosine(other, query) * length(other);
  const across = normalise(other.map((value, i) => value - along * (unit[i] ?? 0)));
  const rest = Math.sqrt(1 - wanted * wanted);
  return unit.map((value, i) => wanted * value + rest * (across[i] ?? 0));
}

function length(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

function normalise(vector: Float32Array): Float32Array {
  const of = length(vector);
  return vector.map((value) => value / of);
}

export function record(id: string, vector: Float32Array, more: Partial<VectorRecord> = {}): VectorRecord {
  return {
    id,
    vector,
    session: null,
    user: null,
    agent: null,
    project: null,
    type: "fact",
    live: true,
    timestamp: 1_000,
    ...more,
  };
}
