// The port of an entry store, for the policy operations. test/integration/policy has the suite that every store passes;
// docs/extending.md explains how to write one.

import type { JsonObject } from "../kernel/json";
import { normaliseContent } from "../language/normalise-text";
import type { MetadataFilter } from "../memories/memory-fields";
import type { ResolvedNamespace, SearchTarget } from "../memories/store/namespace";
import type { ErasedNamespace, NamespaceSummary } from "./entry-schemas";
import type { Entry, EntrySource, RecalledEntry } from "./policy-schemas";

export type EntryQuery = {
  scope: SearchTarget;
  query: string;
  limit: number;
  /** Narrows the scope to one user. */
  user_id?: string | null;
  /** Conditions on source and metadata. */
  filter?: MetadataFilter;
  /** False leaves out the newest entries, which otherwise follow when fewer match. */
  fill?: boolean;
};

export type EntryWrite = {
  /** Null for an entry that belongs to its session alone. */
  namespace: ResolvedNamespace | null;
  /** The agent that wrote it, independent of the namespace. */
  agent_id: string | null;
  session_id: string | null;
  /** The user and the project, unless the session has its own. */
  user_id?: string | null;
  project_id?: string | null;
  /** A turn may be longer than a memory. */
  content: string;
  metadata: JsonObject;
  source: Exclude<EntrySource, "memory">;
  /** Whether it holds anything of lasting value; by default it does. */
  lasting?: boolean;
  /** Operation id: a repeated write with the same id is applied once. */
  op: string;
};

export type EntryPageQuery = {
  /** Null for the entries of all namespaces, and those in none. */
  namespace: ResolvedNamespace | null;
  /** Narrows the list to one user, agent or session. */
  user_id?: string | null;
  agent_id?: string | null;
  session_id?: string | null;
  /** Conditions on source and metadata. */
  filter?: MetadataFilter;
  limit: number;
  /** The last entry of the previous page. */
  after: Pick<Entry, "id" | "created_at"> | null;
};

/** Stores entries. No matches give an empty list; errors that a caller can correct are FailureErrors. */
export type EntryStore = {
  /** Returns entries ranked by the query, filled up with the newest that are lasting. */
  recall(request: EntryQuery): Promise<RecalledEntry[]>;
  /** Writes an entry. The same content in the same namespace is one entry; in an agent's, one for each user. */
  write(request: EntryWrite): Promise<{ entry: Entry; created: boolean }>;
  /**
   * Writes an entry like `write`, and returns the ids of its memories, without reading it back if possible. Writes only if
   * the settings of its session have this fingerprint, and otherwise returns null. Stores without it are asked to `write`.
   */
  capture?(
    request: EntryWrite & { session_id: string },
    settings: string,
  ): Promise<{ entry_id: string; entry_ids: string[] } | null>;
  /** Lists entries, newest first. */
  list_entries(request: EntryPageQuery): Promise<Entry[]>;
  /** Lists namespaces by name, each with its sessions. */
  list_namespaces?(request: NamespacePageQuery): Promise<NamespaceSummary[]>;
  /** Erases up to `limit` memories of a namespace, and returns the number of deleted rows; none are left at zero. */
  erase_namespace?(request: { namespace: ResolvedNamespace; limit: number }): Promise<ErasedNamespace>;
};

/**
 * `after` is the last name of the previous page, "" for the first. A prefix with `:session:` asks for the namespaces of
 * single sessions.
 */
export type NamespacePageQuery = { prefix: string; after: string; limit: number };

/** Stores fetch this many times the limit, since duplicates across sessions are dropped. */
export const OVERFETCH_FACTOR = 2;

/** Returns the matches, then the newest lasting entries up to the limit, without duplicates. */
export function fillWithNewest(
  matches: readonly RecalledEntry[],
  newest: readonly Entry[],
  limit: number,
): RecalledEntry[] {
  const fill = newest
    .filter(({ lasting }) => lasting)
    .map((entry) => ({ ...entry, score: null, signals: null }));
  const unique = new Map<string, RecalledEntry>();
  for (const entry of [...matches, ...fill]) {
    const content = normaliseContent(entry.content);
    if (unique.size < limit && !unique.has(content)) unique.set(content, entry);
  }
  return [...unique.values()];
}
