// Clusters episodes by the vectors of their goals, in one pass: each joins the cluster with the nearest centroid, or
// starts a new one. Centroids move as clusters grow, so the result depends on the order of the episodes.
import { cosineSimilarity } from "../../language/similarity";

// A nearest-neighbour index of unit vectors. An exact scan of ten thousand vectors per query is too slow, so each has a
// SimHash: its signs relative to 512 random hyperplanes. The Hamming distance of two hashes estimates the angle well
// enough to rule out nearly all vectors; the rest are compared exactly. With the margin below, one in thirty thousand
// of the vectors right at the threshold is missed.

const WORDS = 16;
const BITS = 32 * WORDS;
/** Standard deviations by which the estimated angle may exceed the threshold. */
const MARGIN = 4;
/** Any constant works; a fixed one gives the same hyperplanes everywhere. */
const SEED = 42;

export type SimHashIndex = {
  /** Adds a vector at the next position, or replaces the one at an earlier position. */
  put(position: number, vector: Float32Array): void;
  /** Finds the position of the most similar vector that `accepts` allows, the first of equals. */
  find(vector: Float32Array, accepts?: (position: number) => boolean): number | null;
};

/** Creates an index that finds vectors with a cosine similarity of at least `minSimilarity`. */
export function createSimHashIndex(minSimilarity: number): SimHashIndex {
  const vectors: Float32Array[] = [];
  let hashes = new Int32Array(WORDS);
  const queryHash = new Int32Array(WORDS);
  const maxDistance = computeMaxDistance(minSimilarity);
  let write: WriteHash | undefined;

  const writeHash = (vector: Float32Array, target: Int32Array, offset: number) => {
    write ??= createHasher(vector.length);
    write(vector, target, offset);
  };

  return {
    put(position, vector) {
      vectors[position] = vector;
      if (hashes.length < vectors.length * WORDS) hashes = doubleCapacity(hashes);
      writeHash(vector, hashes, position * WORDS);
    },
    find(vector, accepts) {
      writeHash(vector, queryHash, 0);
      let found: number | null = null;
      let best = minSimilarity;
      for (let position = 0; position < vectors.length; position += 1) {
        if (computeHammingDistance(queryHash, hashes, position * WORDS) > maxDistance) continue;
        const similarity = cosineSimilarity(vector, vectors[position] ?? vector);
        if (similarity < best || (found !== null && similarity === best)) continue;
        if (accepts?.(position) === false) continue;
        best = similarity;
        found = position;
      }
      return found;
    },
  };
}

function doubleCapacity(hashes: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * hashes.length);
  larger.set(hashes);
  return larger;
}

/** Returns the Hamming distance expected at the minimum similarity, plus the margin. */
function computeMaxDistance(minSimilarity: number): number {
  const share = Math.acos(minSimilarity) / Math.PI;
  return Math.floor(BITS * share + MARGIN * Math.sqrt(BITS * share * (1 - share)));
}

type WriteHash = (vector: Float32Array, target: Int32Array, offset: number) => void;

/**
 * Creates a hasher that rotates vectors by random signs and a Walsh-Hadamard transform, which takes n log n steps where
 * a random matrix takes n². Two rounds spread a sparse vector over all dimensions.
 */
function createHasher(dimensions: number): WriteHash {
  let width = BITS;
  while (width < dimensions) width *= 2;
  const random = createRandom(SEED);
  const rounds = [0, 1].map(() => Float32Array.from({ length: width }, () => (random() < 0.5 ? -1 : 1)));
  const rotated = new Float32Array(width);
  return (vector, target, offset) => {
    rotated.fill(0);
    rotated.set(vector);
    for (const signs of rounds) {
      for (let i = 0; i < width; i += 1) rotated[i] = (rotated[i] ?? 0) * (signs[i] ?? 0);
      applyHadamard(rotated);
    }
    for (let word = 0; word < WORDS; word += 1) {
      let bits = 0;
      for (let bit = 0; bit < 32; bit += 1) bits = (bits << 1) | Number((rotated[32 * word + bit] ?? 0) > 0);
      target[offset + word] = bits;
    }
  };
}

function applyHadamard(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let i = start; i < start + half; i += 1) {
        const a = values[i] ?? 0;
        const b = values[i + half] ?? 0;
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
}

/** Counts the bits that differ, a word at a time: in pairs, then fours, then bytes. */
function computeHammingDistance(a: Int32Array, b: Int32Array, offset: number): number {
  let bytes = 0;
  for (let word = 0; word < WORDS; word += 1) {
    let bits = (a[word] ?? 0) ^ (b[offset + word] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    bytes += (bits + (bits >>> 4)) & 0x0f0f0f0f;
  }
  const halves = (bytes & 0x00ff00ff) + ((bytes >>> 8) & 0x00ff00ff);
  return (halves & 0xffff) + (halves >>> 16);
}

/** Creates a Mulberry32 generator of numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Cosine similarity to a cluster's centroid from which an episode joins it. */
export const CLUSTER_SIMILARITY = 0.7;

/** Episodes that make a pattern: a single one shows no regularity. */
export const MIN_CLUSTER_SIZE = 2;

/**
 * Returns clusters of indices, singletons included, in the order of their first members. Items sorted by timestamp,
 * then id, give the same clusters on every run.
 */
export function clusterEpisodes(
  items: readonly { vector: Float32Array }[],
  minSimilarity: number,
): number[][] {
  const centroids = createSimHashIndex(minSimilarity);
  const clusters: { members: number[]; sum: Float32Array }[] = [];
  for (const [index, { vector }] of items.entries()) {
    const position = centroids.find(vector) ?? clusters.length;
    const cluster = clusters[position];
    if (cluster === undefined) {
      clusters.push({ members: [index], sum: vector });
      centroids.put(position, vector);
    } else {
      cluster.members.push(index);
      cluster.sum = addVectors(cluster.sum, vector);
      centroids.put(position, normaliseVector(cluster.sum));
    }
  }
  return clusters.map(({ members }) => members);
}

/** Returns the normalised mean of unit vectors. */
export function computeCentroid(vectors: readonly Float32Array[]): Float32Array {
  const zero = new Float32Array(vectors[0]?.length ?? 0);
  return normaliseVector(vectors.reduce(addVectors, zero));
}

function addVectors(a: Float32Array, b: Float32Array): Float32Array {
  const sum = new Float32Array(a.length);
  for (let i = 0; i < sum.length; i += 1) sum[i] = (a[i] ?? 0) + (b[i] ?? 0);
  return sum;
}

function normaliseVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(cosineSimilarity(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}
