// The memory store's port: what a policy needs of whatever keeps an agent's entries. The suite in
// test/integration/policy says what every store does; docs/policy.md how to write one.

import type { ResolvedNamespace } from "../../domain/policy/namespace";
import type { JsonObject } from "../../platform/json";
import type { Entry, EntrySource, RecalledEntry } from "../../schemas/policy";
import { normaliseContent } from "../../text/normalise-text";

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

/** How many times as much as is asked for a store looks at: some of it may say the same in two sessions. */
export const LOOK_AT = 2;

/** The matches, best first; then the newest, until there are enough. Nothing that was said before is said again. */
export function fillUp(
  matches: readonly RecalledEntry[],
  newest: readonly Entry[],
  limit: number,
): RecalledEntry[] {
  const filling = newest.map((entry) => ({ ...entry, score: null, signals: null }));
  const said = new Map<string, RecalledEntry>();
  for (const entry of [...matches, ...filling]) {
    const content = normaliseContent(entry.content);
    if (said.size < limit && !said.has(content)) said.set(content, entry);
  }
  return [...said.values()];
}
