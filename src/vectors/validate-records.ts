// What every index checks before a record leaves the Worker, so that all implementations refuse the same.
import { LIMITS } from "../limits";
import { VectorIndexError, type VectorRecord } from "./vector-index";

const encoder = new TextEncoder();

function fits(text: string): boolean {
  // A code unit is at most three bytes: most tokens need no encoding to be measured.
  return text.length * 3 <= LIMITS.vectorTokenBytes || encoder.encode(text).length <= LIMITS.vectorTokenBytes;
}

/** The records to write: checked, and of several with one id the last. */
export function checkedRecords(records: readonly VectorRecord[]): VectorRecord[] {
  const [first] = records;
  const dimensions = first?.vector.length;
  for (const record of records) {
    const { id, vector, session, agent, project, type, timestamp } = record;
    if (id === "" || !fits(id))
      throw new VectorIndexError(`A vector's id must have 1 to ${LIMITS.vectorTokenBytes} bytes.`);
    if (![session, agent, project, type].every((token) => token === null || fits(token)))
      throw new VectorIndexError(
        `A vector's scopes and type must have at most ${LIMITS.vectorTokenBytes} bytes each.`,
      );
    if (!Number.isFinite(timestamp)) throw new VectorIndexError("A vector's timestamp must be a number.");
    if (vector.length !== dimensions) throw wrongDimensions(dimensions ?? 0, vector.length);
    checkVector(vector);
  }
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

export function checkVector(vector: Float32Array): void {
  if (vector.length === 0) throw new VectorIndexError("A vector must have at least one dimension.");
  if (!vector.every(Number.isFinite)) throw new VectorIndexError("A vector must be of finite numbers.");
}

export function wrongDimensions(expected: number, given: number): VectorIndexError {
  return new VectorIndexError(
    `The index holds vectors of ${expected} dimensions, this one has ${given}: it was made by another embedder.`,
  );
}

/** Lists cut into pieces of at most `size`. */
export function pieces<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** Best first; equal scores by id, so that the same question has the same answer. */
export function byScore(a: { id: string; score: number }, b: { id: string; score: number }): number {
  return b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
