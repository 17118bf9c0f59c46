// The vector index's port, for one tenant. It finds candidates; D1 decides whether they still stand. So an index
// may lag behind, but it never answers for another tenant, another kind or another embedder.

import { PortError } from "../platform/errors";

export type IndexName = "embedded" | "vectorize";

/** What is embedded, in the order in which it is: a long conversation keeps nothing else waiting. */
export const VECTOR_KINDS = ["memory", "episode", "item", "message"] as const;
export type VectorKind = (typeof VECTOR_KINDS)[number];

/**
 * What a vector is of. Scopes are opaque tokens of at most 64 bytes, null where it belongs to none. An item belongs to
 * a collection, whose token stands in `session`.
 */
export type VectorRecord = {
  /** At most 64 bytes, unique in the whole index, tenants included. */
  id: string;
  vector: Float32Array;
  session: string | null;
  agent: string | null;
  project: string | null;
  /** A memory's type, an episode's outcome; "" for anything else. */
  type: string;
  /** False once it was superseded or forgotten. */
  live: boolean;
  /** Milliseconds since 1970. */
  timestamp: number;
};

/** What has the token, or the other one. */
export type VectorScope = { kind: "session" | "agent" | "project"; token: string; or?: string };

export type VectorFilter = {
  scope?: VectorScope;
  /** Any of these types. */
  types?: readonly string[];
  /** Only what is live. */
  live?: true;
  /** Both ends inclusive. */
  since?: number;
  until?: number;
};

/** Cosine similarity, best first. */
export type VectorMatch = { id: string; score: number };

export type VectorIndex = {
  readonly name: IndexName;
  /** The most matches that one query gives. */
  readonly maxMatches: number;
  /**
   * Puts vectors in, in place of what stood under their ids. `visibleAfter` is null when a query sees them from
   * now on, else what `isVisible` takes.
   */
  upsert(kind: VectorKind, records: readonly VectorRecord[]): Promise<{ visibleAfter: string | null }>;
  isVisible(visibleAfter: string): Promise<boolean>;
  query(
    kind: VectorKind,
    vector: Float32Array,
    options: { limit: number; filter: VectorFilter },
  ): Promise<VectorMatch[]>;
  /** Takes vectors out, and counts those that were there. */
  remove(kind: VectorKind, ids: readonly string[]): Promise<number>;
  /** Takes out everything of this tenant. */
  clear(): Promise<void>;
};

/** The index could not answer. */
export class VectorIndexError extends PortError {
  override readonly name = "VectorIndexError";
}

/** The embedder that vectors are made with, and the index that holds them. */
export type VectorModel = { name: string; dimensions: number; index: IndexName };

export function isSameModel(a: VectorModel, b: VectorModel): boolean {
  return a.name === b.name && a.dimensions === b.dimensions && a.index === b.index;
}
