// The memory store's port: what a policy needs of whatever keeps an agent's entries. The suite in
// test/integration/policy says what every store does; docs/policy.md how to write one.

import type { ResolvedNamespace } from "../../domain/policy/namespace";
import type { JsonObject } from "../../platform/json";
import type { Entry, EntrySource, RecalledEntry } from "../../schemas/policy";

export type RecallEntries = { namespace: ResolvedNamespace; query: string; limit: number };

export type WriteEntry = {
  namespace: ResolvedNamespace;
  /** Who wrote it, whatever the namespace. */
  agent_id: string | null;
  session_id: string | null;
  content: string;
  metadata: JsonObject;
  source: Exclude<EntrySource, "memory">;
  /** The same write again is the same entry, and done once. */
  op: string;
};

export type ListEntries = {
  namespace: ResolvedNamespace;
  limit: number;
  /** The last entry of the page before. */
  after: Pick<Entry, "id" | "created_at"> | null;
};

/** Nothing found is an empty list. Failures a caller can mend are FailureErrors. */
export type MemoryStore = {
  /** Ranked by the query; when fewer match, filled up with the newest. */
  recall(request: RecallEntries): Promise<RecalledEntry[]>;
  /** The same content in the same namespace is one entry, however often it is written. */
  write(request: WriteEntry): Promise<{ entry: Entry; created: boolean }>;
  /** Newest first. */
  list_entries(request: ListEntries): Promise<Entry[]>;
};
