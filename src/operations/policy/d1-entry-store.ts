// The default entry store: entries are memories in D1, with triples, recall, history and erasure.

import { toEntry, toEntryMemory } from "../../domain/policy/entry-memory";
import { LIMITS } from "../../limits";
import { FailureError, failure, unwrap } from "../../platform/errors";
import type { Entry, RecalledEntry } from "../../schemas/policy";
import { PROMPT_RECALL } from "../../search/search";
import type { Services } from "../services";
import type { EntryQuery, EntryStore, EntryWrite } from "./entry-store";
import { fillWithNewest, OVERFETCH_FACTOR } from "./entry-store";

type D1Services = Pick<
  Services,
  "tenant" | "store" | "search" | "indexing" | "session" | "now" | "later" | "binding"
>;

type CommittedEntry = { memory_id: string; deduplicated: boolean };

export function createD1EntryStore(services: D1Services): EntryStore {
  const { store, binding: within } = services;
  return {
    async recall(request) {
      const { scope, limit } = request;
      const [hits, newest] = await Promise.all([
        searchEntries(services, request),
        store.namespaces.listMemories(scope, { limit: limit * OVERFETCH_FACTOR, after: null, within }),
      ]);
      // Hits lack some fields of an entry; most hits are among the newest rows, which have them.
      const known = new Map(newest.map((memory) => [memory.id, memory]));
      const others = hits.flatMap(({ id }) => (known.has(id) ? [] : [id]));
      if (others.length > 0)
        for (const memory of await store.memories.findMany(others)) known.set(memory.id, memory);
      const matches = hits.flatMap(({ id, score, signals }): RecalledEntry[] => {
        const memory = known.get(id);
        return memory === undefined ? [] : [{ ...toEntry(memory), score, signals }];
      });
      return fillFromOlderPages(services, request, matches, newest.map(toEntry));
    },

    async write(request) {
      const { memory_id, deduplicated } = await commit(services, request);
      // Read back, because an entry that existed keeps its own metadata.
      const memory = await store.memories.find(memory_id);
      if (memory === null)
        throw failure(
          "gone",
          `Entry ${memory_id} was written by an earlier attempt of this call and has been erased since. To write it again, use another request_id or Idempotency-Key.`,
        );
      return { entry: toEntry(memory), created: !deduplicated };
    },

    async list_entries({ namespace, user_id = null, limit, after }) {
      const scope = { kind: "namespace", ...namespace } as const;
      const position = after === null ? null : { timestamp: after.created_at, id: after.id };
      const page = { limit, after: position, user_id, within };
      return (await store.namespaces.listMemories(scope, page)).map(toEntry);
    },
  };
}

/** Fills up from older pages when duplicates and entries that are not lasting left too few, up to MAX_FILL_PAGES. */
async function fillFromOlderPages(
  { store, binding: within }: D1Services,
  { scope, limit }: EntryQuery,
  matches: readonly RecalledEntry[],
  newest: Entry[],
): Promise<RecalledEntry[]> {
  for (let page = newest, pages = 1; ; pages += 1) {
    const entries = fillWithNewest(matches, newest, limit);
    const last = page.at(-1);
    if (entries.length === limit || last === undefined || pages === MAX_FILL_PAGES) return entries;
    const after = { timestamp: last.created_at, id: last.id };
    page = (await store.namespaces.listMemories(scope, { limit: LIMITS.pageMax, after, within })).map(
      toEntry,
    );
    newest.push(...page);
  }
}

const MAX_FILL_PAGES = 5;

async function searchEntries({ search }: D1Services, { scope, query, limit }: EntryQuery) {
  if (query.trim() === "") return [];
  const request = { ...PROMPT_RECALL, query, limit: limit * OVERFETCH_FACTOR, min_confidence: 0 };
  const { hits } = await search.recall(scope, request);
  return hits;
}

/** Writes through the session's object if there is one, since it is the only writer of its session. */
async function commit(services: D1Services, request: EntryWrite): Promise<CommittedEntry> {
  const { tenant, store, indexing, session, now, later, binding: within } = services;
  const { namespace, user_id = null, agent_id, project_id = null, session_id } = request;
  const { content, metadata, source, lasting = true, op } = request;
  const timestamp = new Date(now()).toISOString();
  const name = namespace?.name ?? null;
  const memory = toEntryMemory({ namespace: name, content, metadata, source, lasting, timestamp });
  const owner = { user_id, agent_id, project_id };
  if (session_id !== null) {
    const ref = { tenant, id: session_id };
    const idempotency = { op, fingerprint: "" };
    const [written] = unwrap(
      await session(session_id).remember(ref, [{ memory, owner, idempotency, within }]),
    );
    if (written === undefined) throw failure("internal", "The write returned no result.");
    return unwrap(written);
  }
  const [result] = await store.memories.commit([
    { op, fingerprint: "", memory: { ...memory, ...owner, session_id }, within },
  ]);
  if (result === undefined) throw failure("internal", "The write returned no result.");
  if (result.status === "rejected") throw new FailureError(result.failure);
  later(indexing.wake());
  return result;
}
