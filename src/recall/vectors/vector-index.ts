// The vector index port, for one tenant. The index returns candidates and D1 decides which of them are hits, so an
// index may lag behind, but it never returns vectors of another tenant, kind or embedder.

import { PortError } from "../../kernel/errors";
import type { VectorKind } from "../../kernel/tables";

export type IndexName = "embedded" | "vectorize";

/** The embedder of a set of vectors, and the index that stores them. */
export type VectorModel = { name: string; dimensions: number; index: IndexName };

export function isSameModel(a: VectorModel, b: VectorModel): boolean {
  return a.name === b.name && a.dimensions === b.dimensions && a.index === b.index;
}

/**
 * A vector with its metadata. Scopes are opaque tokens of at most 64 bytes, null when the row has no such scope. The
 * `session` of an item is the token of its collection.
 */
export type VectorRecord = {
  /** At most 64 bytes, unique across all tenants of the index unless it is shared. */
  id: string;
  /** Whether another tenant may have the id: an import keeps the ids of memories. */
  isShared?: boolean;
  vector: Float32Array;
  session: string | null;
  user: string | null;
  agent: string | null;
  project: string | null;
  /** A memory's type, an episode's outcome; "" for other kinds. */
  type: string;
  /** False for a superseded or forgotten memory. */
  live: boolean;
  /** Milliseconds since the epoch. */
  timestamp: number;
};

/** Matches records with `token`, or with `or` if it is given. */
export type TokenFilter = { kind: "session" | "user" | "agent" | "project"; token: string; or?: string };

export type VectorFilter = {
  scope?: TokenFilter;
  /** Matches any of these types. */
  types?: readonly string[];
  /** Matches live records only. */
  live?: true;
  /** Milliseconds since the epoch; both ends are inclusive. */
  since?: number;
  until?: number;
};

/** `score` is the cosine similarity. */
export type VectorMatch = { id: string; score: number };

export type VectorIndex = {
  readonly name: IndexName;
  /** The maximum number of matches of one query. */
  readonly maxMatches: number;
  /**
   * Inserts vectors or replaces those with the same ids. `visibleAfter` is null when queries see the vectors at once,
   * otherwise a token for `isVisible`.
   */
  upsert(kind: VectorKind, records: readonly VectorRecord[]): Promise<{ visibleAfter: string | null }>;
  isVisible(visibleAfter: string): Promise<boolean>;
  /** Counts the tenant's moves, if it may move to another index: matches of an earlier epoch may be incomplete. */
  epoch?(): Promise<number>;
  /** Returns the best matches first. */
  query(
    kind: VectorKind,
    vector: Float32Array,
    options: { limit: number; filter: VectorFilter },
  ): Promise<VectorMatch[]>;
  /** Removes vectors and returns the number of those that existed. */
  remove(kind: VectorKind, ids: readonly string[]): Promise<number>;
  /** Removes all vectors of the tenant. */
  clear(): Promise<void>;
};

/** The index failed, or rejected a record. */
export class VectorIndexError extends PortError {
  override readonly name = "VectorIndexError";
}

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
    const { id, vector, session, user, agent, project, type, timestamp } = record;
    if (id === "" || !fits(id))
      throw new VectorIndexError(`A vector's id must have 1 to ${MAX_TOKEN_BYTES} bytes.`);
    if (![session, user, agent, project, type].every((token) => token === null || fits(token)))
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
