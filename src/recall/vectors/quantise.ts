// Quantisation of float vectors: int8 for stored rows, int16 for the query. A vector's scale is one over the length of
// its integers, so that the integer dot product times both scales is the cosine similarity.
import { VectorIndexError } from "./vector-index";

/** The kernel processes sixteen dimensions per step; rows are padded with zeros. */
const DIMENSIONS_PER_STEP = 16;

/** More products would not sum within the 32 bits of the kernel. */
const MAX_DIMENSIONS = 4_096;

const ROW_MAX = 127;

/** 12 bits, finer than the 7 of a row; the sum of 4,096 products with a row fits 31 bits. */
const QUERY_MAX = 4_095;

/** Returns the size of a stored row in bytes. */
export function computeStride(dimensions: number): number {
  return Math.ceil(dimensions / DIMENSIONS_PER_STEP) * DIMENSIONS_PER_STEP;
}

export function validateDimensions(dimensions: number): void {
  if (dimensions > MAX_DIMENSIONS)
    throw new VectorIndexError(
      `A vector may have at most ${MAX_DIMENSIONS} dimensions, this one has ${dimensions}.`,
    );
}

/** Returns the quantised rows, concatenated, and the scale of each. */
export function quantiseRows(vectors: readonly Float32Array[]): { rows: Int8Array; scales: Float32Array } {
  const stride = computeStride(vectors[0]?.length ?? 0);
  const rows = new Int8Array(vectors.length * stride);
  const scales = Float32Array.from(vectors, (vector, i) =>
    quantise(vector, ROW_MAX, rows.subarray(i * stride, (i + 1) * stride)),
  );
  return { rows, scales };
}

export function quantiseQuery(vector: Float32Array): { query: Int16Array; scale: number } {
  const query = new Int16Array(computeStride(vector.length));
  return { query, scale: quantise(vector, QUERY_MAX, query) };
}

/** Loops by index: an iterator takes ten times as long, and this runs for every number of every vector. */
function quantise(vector: Float32Array, max: number, into: Int8Array | Int16Array): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i += 1) largest = Math.max(largest, Math.abs(vector[i] ?? 0));
  if (largest === 0) return 0;
  let squares = 0;
  for (let i = 0; i < vector.length; i += 1) {
    const rounded = Math.round(((vector[i] ?? 0) / largest) * max);
    into[i] = rounded;
    squares += rounded * rounded;
  }
  return 1 / Math.sqrt(squares);
}

// Vectors that callers bring: normalised to length 1, as those of embedders are, and stored as text.

/** Returns base64 of the vector's 32-bit floats, scaled to length 1. */
export function encodeVector(numbers: readonly number[]): string {
  // Scaled by the largest first: the squares of large numbers would overflow.
  const largest = Math.max(...numbers.map(Math.abs));
  const scaled = numbers.map((value) => value / largest);
  const length = Math.hypot(...scaled);
  const bytes = new Uint8Array(Float32Array.from(scaled, (value) => value / length).buffer);
  return btoa(String.fromCharCode(...bytes));
}

type StoredVector = { embedding: string | null; embedder: string | null };

/** Returns the vector of a row, null if it has none for this embedder. */
export function readOwnVector(
  { embedding, embedder }: StoredVector,
  current: { name: string; dimensions: number },
): Float32Array | null {
  if (embedding === null || embedder !== current.name) return null;
  const bytes = Uint8Array.from(atob(embedding), (char) => char.charCodeAt(0));
  const vector = new Float32Array(bytes.buffer);
  return vector.length === current.dimensions ? vector : null;
}
