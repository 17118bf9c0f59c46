// An in-memory entry store with lexical search, for tests and for agents that need no persistence. Deterministic: its
// state depends only on calls and clock.

import { toEntry, toEntryMemory } from "../../domain/policy/entry-memory";
import { getBaseName, type ResolvedNamespace } from "../../domain/policy/namespace";
import { POLICY } from "../../limits";
import type { Entry, RecalledEntry } from "../../schemas/policy";
import { computeIdentity } from "../../store/memories/memory-id";
import { scoreWordOverlap } from "../../text/similarity";
import { type EntryStore, fillWithNewest } from "./entry-store";

export function createInMemoryEntryStore({ now }: { now: () => number }): EntryStore {
  const entries = new Map<string, Entry>();
  /** Results by operation id. */
  const results = new Map<string, { entry: Entry; created: boolean }>();

  const listNewest = (namespace: ResolvedNamespace): Entry[] =>
    [...entries.values()].filter((entry) => isInNamespace(entry, namespace)).sort(compareNewestFirst);

  return {
    async recall({ namespace, query, limit }) {
      const newest = listNewest(namespace);
      const scores = scoreWordOverlap(
        query,
        newest.map(({ content }) => content),
      );
      const matches = newest
        .map((entry, i) => ({ entry, score: scores[i] ?? 0 }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .map(({ entry, score }): RecalledEntry => {
          return { ...entry, score, signals: { lexical: score, mode: "text" } };
        });
      return structuredClone(fillWithNewest(matches, newest, limit));
    },

    async write({ namespace, agent_id, session_id, content, metadata, source, op }) {
      const timestamp = new Date(now()).toISOString();
      const memory = {
        ...toEntryMemory({ namespace: namespace.name, content, metadata, source, timestamp }),
        session_id,
        agent_id,
        project_id: null,
      };
      const id = await computeIdentity("", memory);
      // No await below this line, so calls do not interleave.
      const earlier = results.get(op);
      if (earlier !== undefined) return structuredClone(earlier);
      const known = entries.get(id);
      const created = toEntry({ ...memory, id });
      const entry = known === undefined ? created : mergeMetadata(known, created);
      const result = { entry, created: known === undefined };
      setBounded(entries, id, entry);
      setBounded(results, op, result);
      return structuredClone(result);
    },

    async list_entries({ namespace, limit, after }) {
      const all = listNewest(namespace);
      const rest = after === null ? all : all.filter((entry) => compareNewestFirst(after, entry) < 0);
      return structuredClone(rest.slice(0, limit));
    },
  };
}

/** Keeps the metadata of the known entry unless it has none. */
function mergeMetadata(known: Entry, repeated: Entry): Entry {
  return Object.keys(known.metadata).length === 0 ? { ...known, metadata: repeated.metadata } : known;
}

/** Whether an entry is in a namespace. Agent scope includes entries of session scope. */
function isInNamespace({ namespace }: Entry, { name, session_id }: ResolvedNamespace): boolean {
  return namespace === name || (session_id === null && getBaseName(namespace) === name);
}

type EntryPosition = Pick<Entry, "id" | "created_at">;

function compareNewestFirst(a: EntryPosition, b: EntryPosition): number {
  if (a.created_at !== b.created_at) return a.created_at > b.created_at ? -1 : 1;
  return a.id === b.id ? 0 : a.id > b.id ? -1 : 1;
}

/** Sets a value and evicts the oldest ones over the limit. */
function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  for (const first of map.keys()) {
    if (map.size <= POLICY.inMemoryEntries) return;
    map.delete(first);
  }
}
