// The vector index port, for one tenant. The index returns candidates and D1 decides which of them are hits, so an
// index may lag behind, but it never returns vectors of another tenant, kind or embedder.
import { PortError } from "../platform/errors";

export type IndexName = "embedded" | "vectorize";

/** The kinds of rows that are embedded, in indexing order: a long conversation delays none of the others. */
export const VECTOR_KINDS = ["memory", "episode", "item", "message"] as const;
export type VectorKind = (typeof VECTOR_KINDS)[number];

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
  /** At most 64 bytes, unique across all tenants of the index. */
  id: string;
  vector: Float32Array;
  session: string | null;
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
export type VectorScope = { kind: "session" | "agent" | "project"; token: string; or?: string };

export type VectorFilter = {
  scope?: VectorScope;
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
