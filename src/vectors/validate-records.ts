// The validation that every index runs before a record leaves the Worker, so that all implementations reject the same
// input; and the order and page size that they share.
import { VectorIndexError, type VectorRecord } from "./vector-index";

/** Vectors per call of either index: Vectorize accepts no more from a Worker. */
export const VECTORS_PER_CALL = 1_000;

/** UTF-8 bytes of an id, a scope token or a type: Vectorize indexes no more. */
const MAX_TOKEN_BYTES = 64;

const encoder = new TextEncoder();

function fits(text: string): boolean {
  // A code unit has at most three bytes, so that most tokens need no encoding.
  return text.length * 3 <= MAX_TOKEN_BYTES || encoder.encode(text).length <= MAX_TOKEN_BYTES;
}

/** Returns the valid records to write, the last of those with the same id; throws if one is invalid. */
export function validateRecords(records: readonly VectorRecord[]): VectorRecord[] {
  const [first] = records;
  const dimensions = first?.vector.length;
  for (const record of records) {
    const { id, vector, session, agent, project, type, timestamp } = record;
    if (id === "" || !fits(id))
      throw new VectorIndexError(`A vector's id must have 1 to ${MAX_TOKEN_BYTES} bytes.`);
    if (![session, agent, project, type].every((token) => token === null || fits(token)))
      throw new VectorIndexError(
        `A vector's scopes and type must have at most ${MAX_TOKEN_BYTES} bytes each.`,
      );
    if (!Number.isFinite(timestamp)) throw new VectorIndexError("A vector's timestamp must be a number.");
    if (vector.length !== dimensions) throw createDimensionError(dimensions ?? 0, vector.length);
    validateVector(vector);
  }
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

export function validateVector(vector: Float32Array): void {
  if (vector.length === 0) throw new VectorIndexError("A vector must have at least one dimension.");
  if (!vector.every(Number.isFinite)) throw new VectorIndexError("A vector must consist of finite numbers.");
}

export function createDimensionError(expected: number, actual: number): VectorIndexError {
  return new VectorIndexError(
    `The index has vectors with ${expected} dimensions, this one has ${actual}: it was made by another embedder.`,
  );
}

export function splitIntoPages<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** Orders matches by score, best first, and equal scores by id, so that results are deterministic. */
export function compareMatches(a: { id: string; score: number }, b: { id: string; score: number }): number {
  return b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
