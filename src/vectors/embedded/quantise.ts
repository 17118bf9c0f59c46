// Floats to the small integers that are stored and scanned. The scale of a vector is one over the length of its
// integers, so that integers' dot product times both scales is a cosine, whatever the vector's own length was.
import { LIMITS } from "../../limits";
import { VectorIndexError } from "../vector-index";

/** The kernel takes sixteen dimensions a step; what is added is zero and changes no product. */
const STEP = 16;

const ROW_MAX = 127;

/** 12 bits are finer than the rows' 7 by far, and 4,096 products with a row's numbers still sum within 31 bits. */
const QUERY_MAX = 4_095;

/** Bytes of a stored row. */
export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / STEP) * STEP;
}

export function checkDimensions(dimensions: number): void {
  if (dimensions > LIMITS.vectorDimensions)
    throw new VectorIndexError(
      `A vector may have at most ${LIMITS.vectorDimensions} dimensions, this one has ${dimensions}.`,
    );
}

/** Rows one after the other, and the scale of each. */
export function quantiseRows(vectors: readonly Float32Array[]): { rows: Int8Array; scales: Float32Array } {
  const stride = strideOf(vectors[0]?.length ?? 0);
  const rows = new Int8Array(vectors.length * stride);
  const scales = Float32Array.from(vectors, (vector, i) =>
    quantise(vector, ROW_MAX, rows.subarray(i * stride, (i + 1) * stride)),
  );
  return { rows, scales };
}

export function quantiseQuery(vector: Float32Array): { query: Int16Array; scale: number } {
  const query = new Int16Array(strideOf(vector.length));
  return { query, scale: quantise(vector, QUERY_MAX, query) };
}

/** By index, since this runs for every number of every vector: an iterator takes ten times as long. */
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
