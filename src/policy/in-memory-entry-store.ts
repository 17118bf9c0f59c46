// An in-memory entry store with lexical search, for tests and for agents that need no persistence. Deterministic: its
// state depends only on calls and clock.

import { POLICY } from "../kernel/limits";
import { compareText } from "../language/normalise-text";
import { scoreWordOverlap } from "../language/similarity";
import { computeIdentity } from "../memories/store/memory-id";
import {
  getBaseName,
  isAgentNamespace,
  SESSION_SEPARATOR,
  type SearchTarget,
} from "../memories/store/namespace";
import { toEntry, toEntryMemory } from "./entry-memory";
import { type EntryPageQuery, type EntryStore, fillWithNewest } from "./entry-store";
import { matchesEntryFilter } from "./filter-entries";
import type { Entry, RecalledEntry } from "./policy-schemas";

export function createInMemoryEntryStore({ now }: { now: () => number }): EntryStore {
  const entries = new Map<string, StoredEntry>();
  /** Results by operation id. */
  const results = new Map<string, { entry: Entry; created: boolean }>();

  /** A scope of null covers all entries. */
  const listNewest = (scope: SearchTarget | null, { filter = {}, ...owner }: Narrowing): Entry[] =>
    [...entries.values()]
      .filter((stored) => scope === null || isInScope(stored, scope))
      .map(({ entry }) => entry)
      .filter((entry) => isOwnedBy(entry, owner) && matchesEntryFilter(entry, filter))
      .sort(compareNewestFirst);

  return {
    async recall({ scope, query, limit, user_id = null, filter = {}, fill = true }) {
      const newest = listNewest(scope, { user_id, filter });
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
      return structuredClone(fillWithNewest(matches, fill ? newest : [], limit));
    },

    async write(request) {
      const { namespace, user_id = null, agent_id, project_id = null, session_id } = request;
      const { content, metadata, source, lasting = true, op } = request;
      const name = namespace?.name ?? null;
      const timestamp = new Date(now()).toISOString();
      const memory = {
        ...toEntryMemory({ namespace: name, content, metadata, source, lasting, timestamp }),
        session_id,
        user_id,
        agent_id,
        project_id,
      };
      const id = await computeIdentity("", memory);
      // No await below this line, so calls do not interleave.
      const earlier = results.get(op);
      if (earlier !== undefined) return structuredClone(earlier);
      const known = entries.get(id);
      const created = toEntry({ ...memory, id });
      const entry = known === undefined ? created : mergeMetadata(known.entry, created);
      const result = { entry, created: known === undefined };
      setBounded(
        entries,
        id,
        known === undefined ? { entry, namespace: name, project_id } : { ...known, entry },
      );
      setBounded(results, op, result);
      return structuredClone(result);
    },

    async list_entries({ namespace, limit, after, ...narrowing }) {
      const all = listNewest(namespace === null ? null : { kind: "namespace", ...namespace }, narrowing);
      const rest = after === null ? all : all.filter((entry) => compareNewestFirst(after, entry) < 0);
      return structuredClone(rest.slice(0, limit));
    },

    async list_namespaces({ prefix, after, limit }) {
      const getName = prefix.includes(SESSION_SEPARATOR) ? (name: string) => name : getBaseName;
      const stored = [...entries.values()].flatMap(({ entry, namespace }) =>
        namespace === null ? [] : [{ name: getName(namespace), at: entry.created_at }],
      );
      return [...Map.groupBy(stored, ({ name }) => name)]
        .filter(([name]) => name.startsWith(prefix) && name > after)
        .sort(([a], [b]) => compareText(a, b))
        .slice(0, limit)
        .map(([namespace, found]) => {
          const times = found.map(({ at }) => at).sort();
          const [first_entry = "", last_entry = ""] = [times.at(0), times.at(-1)];
          return { namespace, entries: found.length, first_entry, last_entry };
        });
    },

    async erase_namespace({ namespace, limit }) {
      const scope = { kind: "namespace", ...namespace } as const;
      const erased = [...entries].filter(([, stored]) => isInScope(stored, scope)).slice(0, limit);
      const ids = new Set(erased.map(([id]) => id));
      for (const id of ids) entries.delete(id);
      // A repeated operation must not return an erased entry.
      for (const [op, { entry }] of results) if (ids.has(entry.id)) results.delete(op);
      return { memories: erased.length, triples: 0, vectors: 0, links: 0 };
    },
  };
}

type Narrowing = Pick<EntryPageQuery, "user_id" | "agent_id" | "session_id" | "filter">;

function isOwnedBy(
  entry: Entry,
  { user_id = null, agent_id = null, session_id = null }: Omit<Narrowing, "filter">,
): boolean {
  return (
    (user_id === null || entry.user_id === user_id) &&
    (agent_id === null || entry.agent_id === agent_id) &&
    (session_id === null || entry.session_id === session_id)
  );
}

/** Keeps the metadata of the known entry unless it has none. */
function mergeMetadata(known: Entry, repeated: Entry): Entry {
  return Object.keys(known.metadata).length === 0 ? { ...known, metadata: repeated.metadata } : known;
}

/** `namespace` is the one that the entry was written to; the entry itself may be named after its owner. */
type StoredEntry = { entry: Entry; namespace: string | null; project_id: string | null };

/** Whether an entry is in a scope. Only the scopes of a session and a user include namespaces with a name. */
function isInScope({ entry, namespace, project_id }: StoredEntry, scope: SearchTarget): boolean {
  const { session_id, user_id, agent_id } = entry;
  const isShared = namespace !== null && !isAgentNamespace(namespace);
  switch (scope.kind) {
    case "namespace":
      if (namespace === null) return false;
      // Agent scope includes entries of session scope.
      return namespace === scope.name || (scope.session_id === null && getBaseName(namespace) === scope.name);
    case "session":
      return session_id === scope.id;
    case "user":
      return user_id === scope.id;
    case "agent":
      return agent_id === scope.id && !isShared;
    case "project":
      return project_id === scope.id && !isShared;
    case "tenant":
      return !isShared;
  }
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
