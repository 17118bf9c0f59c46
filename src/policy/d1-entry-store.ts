// The default entry store: entries are memories in D1, with triples, recall, history and erasure. A turn that is longer
// than a memory is several of them, which are joined here.

import { failure, unwrap } from "../kernel/errors";
import { LIMITS } from "../kernel/limits";
import type { Memory } from "../memories/memory-schemas";
import type { MemoryWrite, WrittenMemory } from "../memories/store/commit-plan";
import { fromMemoryRow, type MemoryRow } from "../memories/store/memory-mapping";
import type { SearchTarget } from "../memories/store/namespace";
import { ALL_ENTRIES } from "../memories/store/namespace-repository";
import { storeMemory } from "../memories/store-memories";
import { PROMPT_RECALL } from "../recall/search/search";
import type { Services } from "../services/services";
import { joinParts, toEntry, toEntryMemory } from "./entry-memory";
import type { EntryPageQuery, EntryQuery, EntryStore, EntryWrite } from "./entry-store";
import { fillWithNewest, OVERFETCH_FACTOR } from "./entry-store";
import type { Entry, RecalledEntry } from "./policy-schemas";

type D1Services = Pick<
  Services,
  "tenant" | "keyId" | "store" | "search" | "indexing" | "session" | "now" | "later" | "binding"
>;

export function createD1EntryStore(services: D1Services): EntryStore {
  const { store, binding: within, indexing, later } = services;
  return {
    async recall(request) {
      const { limit, fill = true } = request;
      const wanted = limit * OVERFETCH_FACTOR;
      const [found, newest] = await Promise.all([
        searchEntries(services, request, wanted),
        fill ? listNewest(services, request, { limit: wanted, after: null }) : [],
      ]);
      let matches = await loadMatches(services, found);
      // Several parts of one turn may have taken the places of other entries.
      if (matches.length < Math.min(limit, found.length) && found.length === wanted)
        matches = await loadMatches(services, await searchEntries(services, request, LIMITS.recallMatches));
      if (!fill) return fillWithNewest(matches, [], limit);
      return fillFromOlderPages(services, request, matches, newest);
    },

    async write(request) {
      const { memory_id, deduplicated } = await storeMemory(services, toMemoryWrite(services, request));
      // Read back, because an entry that existed keeps its own metadata.
      return { entry: await readEntry(services, memory_id), created: !deduplicated };
    },

    async capture(request, settings) {
      const committed = await commitInSession(services, request, settings);
      if (committed === null) return null;
      const { memory_id, deduplicated, repeated } = committed;
      // A new entry that fits into one memory has no parts. Any other is read, since it may have been erased.
      if (!deduplicated && !repeated && request.content.length <= LIMITS.contentChars)
        return { entry_id: memory_id, entry_ids: [memory_id] };
      const { id, parts } = await readEntry(services, memory_id);
      return { entry_id: id, entry_ids: parts ?? [id] };
    },

    async list_entries({ namespace, limit, after, ...narrowing }) {
      const scope = namespace === null ? ALL_ENTRIES : ({ kind: "namespace", ...namespace } as const);
      const position = after === null ? null : { timestamp: after.created_at, id: after.id };
      return toEntries(
        services,
        await listNewest(services, { scope, ...narrowing }, { limit, after: position }),
      );
    },

    list_namespaces: (page) => store.namespaces.listSummaries(page, within),

    async erase_namespace({ namespace, limit }) {
      const erased = await store.namespaces.eraseNamespace(namespace, { limit, within });
      later(indexing.wake());
      return erased;
    },
  };
}

/** Returns the entry of a memory that was written just now. */
async function readEntry(services: D1Services, memoryId: string): Promise<Entry> {
  const memory = await services.store.memories.find(memoryId);
  if (memory === null)
    throw failure(
      "gone",
      `Entry ${memoryId} was written by an earlier attempt of this call and has been erased since. To write it again, use another request_id or Idempotency-Key.`,
    );
  const [entry = toEntry(memory)] = await toEntries(services, [memory]);
  return entry;
}

type EntrySelection = Pick<EntryQuery, "user_id" | "filter"> &
  Pick<EntryPageQuery, "agent_id" | "session_id"> & { scope: SearchTarget | typeof ALL_ENTRIES };
type MemoryPage = Parameters<D1Services["store"]["namespaces"]["listMemories"]>[1];

/** Lists memories, newest first; of a turn in parts only the first. */
function listNewest(
  { store, binding: within }: D1Services,
  { scope, user_id = null, agent_id = null, session_id = null, filter = {} }: EntrySelection,
  page: Pick<MemoryPage, "limit" | "after">,
): Promise<Memory[]> {
  return store.namespaces.listMemories(scope, {
    ...page,
    owner: { user_id, agent_id, session_id },
    filter,
    within,
  });
}

/** Maps memories to entries, each with all parts of its turn. */
async function toEntries({ store }: D1Services, memories: readonly Memory[]): Promise<Entry[]> {
  const parts = await store.memories.findParts(memories);
  return memories.map((memory) => toWholeEntry(memory, parts));
}

function toWholeEntry(memory: Memory, parts: ReadonlyMap<string, readonly Memory[]>): Entry {
  const all = parts.get(memory.id) ?? [];
  const [first] = all;
  return first === undefined ? toEntry(memory) : joinParts(toEntry(first), all);
}

/** A memory that a search has found. */
type FoundMemory = Pick<RecalledEntry, "score" | "signals"> & { memory: Memory };

/** Loads the entries of found memories, best first. */
async function loadMatches({ store }: D1Services, found: readonly FoundMemory[]): Promise<RecalledEntry[]> {
  const parts = await store.memories.findParts(found.map(({ memory }) => memory));
  const matches = new Map<string, RecalledEntry>();
  for (const { memory, score, signals } of found) {
    const entry = toWholeEntry(memory, parts);
    const excerpt = entry.parts === undefined ? {} : { excerpt: memory.content };
    if (!matches.has(entry.id)) matches.set(entry.id, { ...entry, score, signals, ...excerpt });
  }
  return [...matches.values()];
}

/** Fills up from older pages when duplicates and entries that are not lasting left too few, up to MAX_FILL_PAGES. */
async function fillFromOlderPages(
  services: D1Services,
  request: EntryQuery,
  matches: readonly RecalledEntry[],
  newest: readonly Memory[],
): Promise<RecalledEntry[]> {
  const { limit } = request;
  const listed = await toEntries(services, newest);
  // Behind a page that is not full there is none.
  const findLast = (page: readonly Memory[], size: number) => (page.length < size ? undefined : page.at(-1));
  for (let last = findLast(newest, limit * OVERFETCH_FACTOR), pages = 1; ; pages += 1) {
    const entries = fillWithNewest(matches, listed, limit);
    if (entries.length === limit || last === undefined || pages === MAX_FILL_PAGES) return entries;
    const after = { timestamp: last.timestamp, id: last.id };
    const page = await listNewest(services, request, { limit: LIMITS.pageMax, after });
    listed.push(...(await toEntries(services, page)));
    last = findLast(page, LIMITS.pageMax);
  }
}

const MAX_FILL_PAGES = 5;

async function searchEntries(
  { search, binding }: D1Services,
  { scope, query, user_id = null, filter = {} }: EntryQuery,
  limit: number,
): Promise<FoundMemory[]> {
  if (query.trim() === "") return [];
  const within = user_id === null ? binding : { ...binding, user_id };
  const request = { ...PROMPT_RECALL, query, limit, min_confidence: 0, entryFilter: filter, within };
  const { hits, rows } = await search.recall(scope, request);
  return rows.flatMap((row, i) => {
    const hit = hits[i];
    return hit === undefined
      ? []
      : [{ memory: fromMemoryRow(row as MemoryRow), score: hit.score, signals: hit.signals }];
  });
}

/** Writes through the session's object if it still has these settings, and otherwise returns null. */
async function commitInSession(
  services: D1Services,
  request: EntryWrite & { session_id: string },
  settings: string,
): Promise<(WrittenMemory & { repeated: boolean }) | null> {
  const { tenant, session, binding: within } = services;
  const { session_id: id } = request;
  const writes = [{ ...toMemoryWrite(services, request), within }];
  const stored = unwrap(await session(id).rememberWithSettings({ tenant, id, settings }, writes));
  if (stored === null) return null;
  const [written] = stored.results;
  if (written === undefined) throw failure("internal", "The write returned no result.");
  return { ...unwrap(written), repeated: stored.repeated };
}

function toMemoryWrite({ now, keyId: key_id }: D1Services, request: EntryWrite): MemoryWrite {
  const { op, namespace, session_id, user_id = null, agent_id, project_id = null } = request;
  const { content, metadata, source, lasting = true } = request;
  const timestamp = new Date(now()).toISOString();
  const name = namespace?.name ?? null;
  return {
    op,
    // A session stores the answer of the operation itself.
    ...(session_id === null ? { isRepeatable: true } : { fingerprint: "" }),
    memory: {
      ...toEntryMemory({ namespace: name, content, metadata, source, lasting, timestamp }),
      activity: { kind: source === "conversation" ? ("turn" as const) : ("entry" as const), key_id },
      session_id,
      user_id,
      agent_id,
      project_id,
    },
  };
}
