// Vectors of length 1 that can be asked for the one most like another. Comparing with each of ten thousand takes too
// long, so a vector has a fingerprint: on which side of 512 random planes it lies. How many of these sides differ tells
// the angle well enough to rule out nearly all, and only what is left is compared exactly. With the margin below, one
// in thirty thousand of the vectors that lie right at the border is overlooked.
import { cosineSimilarity } from "../../../text/similarity";

const WORDS = 16;
const BITS = 32 * WORDS;
/** Standard deviations by which the fingerprints may make two vectors seem less alike than they are. */
const MARGIN = 4;
/** Any constant does; the same one gives the same planes everywhere. */
const SEED = 42;

export type SimHashIndex = {
  /** The next free place adds a vector, a former one changes it. */
  put(place: number, vector: Float32Array): void;
  /** The place of the most alike vector, the first of equals, among those that may be taken. */
  find(vector: Float32Array, may?: (place: number) => boolean): number | null;
};

/** Finds what has a cosine of at least `least`. */
export function createSimHashIndex(least: number): SimHashIndex {
  const vectors: Float32Array[] = [];
  let prints = new Int32Array(WORDS);
  const asked = new Int32Array(WORDS);
  const most = computeMaxDistance(least);
  let write: WriteFingerprint | undefined;

  const fingerprint = (vector: Float32Array, into: Int32Array, from: number) => {
    write ??= createFingerprinter(vector.length);
    write(vector, into, from);
  };

  return {
    put(place, vector) {
      vectors[place] = vector;
      if (prints.length < vectors.length * WORDS) prints = doubleCapacity(prints);
      fingerprint(vector, prints, place * WORDS);
    },
    find(vector, may) {
      fingerprint(vector, asked, 0);
      let found: number | null = null;
      let best = least;
      for (let place = 0; place < vectors.length; place += 1) {
        if (computeHammingDistance(asked, prints, place * WORDS) > most) continue;
        const likeness = cosineSimilarity(vector, vectors[place] ?? vector);
        if (likeness < best || (found !== null && likeness === best) || may?.(place) === false) continue;
        best = likeness;
        found = place;
      }
      return found;
    },
  };
}

function doubleCapacity(prints: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * prints.length);
  larger.set(prints);
  return larger;
}

/** Sides that differ when the cosine is `least`: the angle's share of a half turn, and the margin. */
function computeMaxDistance(least: number): number {
  const share = Math.acos(least) / Math.PI;
  return Math.floor(BITS * share + MARGIN * Math.sqrt(BITS * share * (1 - share)));
}

type WriteFingerprint = (vector: Float32Array, into: Int32Array, from: number) => void;

/**
 * The vector is turned by random signs and a Walsh-Hadamard transform, which does in n log n steps what a random matrix
 * would. Twice, so that a vector of few entries is spread over all of them.
 */
function createFingerprinter(dimensions: number): WriteFingerprint {
  let width = BITS;
  while (width < dimensions) width *= 2;
  const random = createRandom(SEED);
  const rounds = [0, 1].map(() => Float32Array.from({ length: width }, () => (random() < 0.5 ? -1 : 1)));
  const turned = new Float32Array(width);
  return (vector, into, from) => {
    turned.fill(0);
    turned.set(vector);
    for (const signs of rounds) {
      for (let i = 0; i < width; i += 1) turned[i] = (turned[i] ?? 0) * (signs[i] ?? 0);
      applyHadamard(turned);
    }
    for (let word = 0; word < WORDS; word += 1) {
      let sides = 0;
      for (let bit = 0; bit < 32; bit += 1) sides = (sides << 1) | Number((turned[32 * word + bit] ?? 0) > 0);
      into[from + word] = sides;
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

/** How many bits differ: counted in pairs, fours and bytes, all of a word at once. */
function computeHammingDistance(a: Int32Array, b: Int32Array, from: number): number {
  let bytes = 0;
  for (let word = 0; word < WORDS; word += 1) {
    let bits = (a[word] ?? 0) ^ (b[from + word] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    bytes += (bits + (bits >>> 4)) & 0x0f0f0f0f;
  }
  const halves = (bytes & 0x00ff00ff) + ((bytes >>> 8) & 0x00ff00ff);
  return (halves & 0xffff) + (halves >>> 16);
}

/** Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
