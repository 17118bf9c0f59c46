// mem0's calls on memories. Adding uses no language model: the rules that extract candidates from messages leaving a
// session's window choose the sentences, or each message is stored as it is.

import { runIdempotent } from "../calls/run-idempotent";
import { extractCandidates } from "../facts/extraction/extract-candidates";
import { UserId } from "../kernel/common";
import { type FailureError, failure, unwrap } from "../kernel/errors";
import { deriveStep, type Idempotency } from "../kernel/idempotency";
import { type Json, parseJson } from "../kernel/json";
import { LIMITS, MEM0 } from "../kernel/limits";
import type { Memory, NewMemory } from "../memories/memory-schemas";
import { redactQuotations } from "../memories/redact-quotations";
import { fromMemoryRow, type MemoryRow } from "../memories/store/memory-mapping";
import { createNamespace } from "../memories/store/namespace";
import type { NamespaceFilter } from "../memories/store/namespace-repository";
import { storeMemories } from "../memories/store-memories";
import { countRecall } from "../memories/usage/count-recall";
import { toEntryMemory } from "../policy/entry-memory";
import { PROMPT_RECALL } from "../recall/search/search";
import type { Services } from "../services/services";
import type {
  Mem0Add,
  Mem0Added,
  Mem0Ids,
  Mem0List,
  Mem0Memory,
  Mem0Message,
  Mem0Page,
  Mem0Search,
  Mem0Update,
} from "./mem0-schemas";
import {
  NAMESPACE_PREFIX,
  parseFilters,
  parseOwner,
  requireNamespaceFilter,
  toLabels,
  toNamespace,
} from "./mem0-scope";

// Converts between memories and mem0's records. A record is stored as an entry of its owner's namespace, whose metadata
// contains the ids and the client's own metadata.

/** The metadata of the entry. Its member names are stored. */
type StoredMetadata = Mem0Ids & { metadata?: Record<string, Json>; updated_at?: string };

/** The content of a new memory, and the fields in which it differs from an ordinary entry. */
type Mem0Content = Pick<NewMemory, "content"> & Partial<NewMemory>;

function toNewMemory(
  content: Mem0Content,
  ids: Mem0Ids,
  metadata: Record<string, Json>,
  timestamp: string,
): NewMemory {
  const entry = toEntryMemory({
    namespace: toNamespace(ids),
    content: content.content,
    metadata: { ...toLabels(ids), ...(Object.keys(metadata).length === 0 ? {} : { metadata }) },
    source: "manual",
    timestamp,
  });
  // mem0 allows more characters in an id: such an owner is known to mem0's routes alone.
  const user = UserId.safeParse(ids.user_id);
  const user_id = user.success ? user.data : null;
  return { ...entry, ...content, session_id: null, user_id, agent_id: null, project_id: null };
}

function isMem0Memory(memory: Pick<Memory, "properties">): boolean {
  return memory.properties.namespace?.[0]?.startsWith(NAMESPACE_PREFIX) ?? false;
}

function readMetadata({ properties }: Pick<Memory, "properties">): StoredMetadata {
  const [json] = properties.entryMetadata ?? [];
  return json === undefined ? {} : parseJson<StoredMetadata>(json);
}

function toMem0Record(memory: Memory): Mem0Memory {
  const { user_id, agent_id, app_id, run_id, metadata, updated_at } = readMetadata(memory);
  return {
    id: memory.id,
    memory: memory.content,
    user_id: user_id ?? null,
    agent_id: agent_id ?? null,
    app_id: app_id ?? null,
    run_id: run_id ?? null,
    metadata: metadata ?? null,
    categories: [memory.type],
    created_at: memory.timestamp,
    updated_at: updated_at ?? memory.timestamp,
  };
}

/** Returns whether a record of the filter's namespace has its labels and metadata. */
function matchesFilter({ labels, metadata }: NamespaceFilter, record: Mem0Memory): boolean {
  return (
    Object.entries(labels).every(([name, id]) => record[name as keyof Mem0Ids] === id) &&
    Object.entries(metadata).every(([name, value]) => record.metadata?.[name] === value)
  );
}

/** Returns the memory with another text, other metadata, or both. */
function applyUpdate(
  memory: Memory,
  { text, metadata }: { text?: string | undefined; metadata?: Record<string, Json> | null | undefined },
  at: string,
): Memory {
  const { metadata: before, ...labels } = readMetadata(memory);
  const after = metadata === undefined ? before : (metadata ?? undefined);
  const entryMetadata = { ...labels, ...(after === undefined ? {} : { metadata: after }), updated_at: at };
  return {
    ...memory,
    content: text?.trim() ?? memory.content,
    properties: { ...memory.properties, entryMetadata: [JSON.stringify(entryMetadata)] },
  };
}

/** The score of a hit that is 1 for mem0: lexical and semantic search give at most 1 each, other signals the rest. */
const MAX_SCORE = 2.23;

/** Stores messages, once per idempotency key. */
export async function addMem0Messages(
  services: Services,
  input: Mem0Add,
  idempotency: Idempotency,
): Promise<Mem0Added> {
  const reply = await runIdempotent<Mem0Added>(services.store, idempotency, async () => ({
    status: 200,
    body: await storeMessages(services, input, deriveStep(idempotency, "add")),
  }));
  return reply.body;
}

async function storeMessages(
  services: Services,
  { messages, infer, metadata, timestamp, ...ids }: Mem0Add,
  idempotency: Idempotency,
): Promise<Mem0Added> {
  requireNamespaceFilter(ids);
  const at = new Date(timestamp === undefined ? services.now() : timestamp * 1_000).toISOString();
  const memories = messages
    .filter(({ role }) => role === "user" || role === "assistant")
    .flatMap((message) => (infer ? extractContents(message, at) : [toContent(message)]))
    .map((content) => toNewMemory(content, ids, metadata ?? {}, at));
  const writes = memories.map((memory, i) => ({
    ...(idempotency === null
      ? { op: crypto.randomUUID() }
      : { ...idempotency, op: `${idempotency.op}:${i}` }),
    memory,
    // A changed fact replaces the old one of the same owner.
    ...(infer ? { topic: "derive" as const } : {}),
  }));
  // The gate refuses the call as a whole, before a part of it is stored.
  const written = await storeMemories(services, services.gate.clean(writes));
  const results = written.map((result, i): Mem0Added["results"][number] => {
    const { memory_id: id, deduplicated } = unwrap(result);
    const { content: memory = "", type = "fact" } = memories[i] ?? {};
    return { id, memory, event: deduplicated ? "NOOP" : "ADD", categories: [type] };
  });
  const added = results.filter(({ event }) => event === "ADD").length;
  const method = infer
    ? "Sentences were chosen by fixed rules, without a language model; send infer false to keep each message as said."
    : "Each message of the user and the assistant was kept as said.";
  return { status: "SUCCEEDED", message: `${added} new memories. ${method}`, results };
}

function extractContents(message: Mem0Message, timestamp: string): Mem0Content[] {
  return extractCandidates({ ...message, id: "", timestamp }).map(
    ({ content, memory_type, confidence, source_type, rationale }) => ({
      content,
      type: memory_type,
      confidence,
      source_type,
      rationale,
    }),
  );
}

function toContent({ role, content }: Mem0Message): Mem0Content {
  return { content: content.trim(), source_type: role === "user" ? "user" : "agent" };
}

/** Searches each namespace that the filters name, and returns the best hits of all of them. */
export async function searchMem0Memories(
  services: Services,
  { query, filters, top_k, limit, threshold, ...ids }: Mem0Search,
): Promise<Mem0Memory[]> {
  const count = top_k ?? limit ?? MEM0.hits;
  const found = await Promise.all(
    parseFilters(ids, filters).map((filter) => searchNamespace(services, filter, query, count)),
  );
  const records = [...new Map(found.flat().map((record) => [record.id, record])).values()];
  const best = records
    .filter(({ score = 0 }) => score >= (threshold ?? 0))
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .slice(0, count);
  countRecall(
    services,
    best.map(({ id }) => id),
  );
  return best;
}

async function searchNamespace(
  { search }: Services,
  filter: NamespaceFilter,
  query: string,
  limit: number,
): Promise<Mem0Memory[]> {
  // The search filters by the owner, whose id is the first label. More labels and metadata are compared afterwards.
  const isNarrower = Object.keys(filter.labels).length > 1 || Object.keys(filter.metadata).length > 0;
  const { hits, rows } = await search.recall(
    { kind: "namespace", ...createNamespace(filter.base, null, null) },
    { ...PROMPT_RECALL, query, min_confidence: 0, limit: isNarrower ? LIMITS.recallMatches : limit },
  );
  return rows.flatMap((row, i) => {
    const record = toMem0Record(fromMemoryRow(row as MemoryRow));
    const { score: found = 0, signals } = hits[i] ?? {};
    // A reranker's score is from 0 to 1 already.
    const score = signals?.rerank === undefined ? Math.min(1, found / MAX_SCORE) : found;
    return matchesFilter(filter, record) ? [{ ...record, score: Math.round(score * 1_000) / 1_000 }] : [];
  });
}

export async function listMem0Memories({ store }: Services, { filters, ...ids }: Mem0List, page: Mem0Page) {
  const namespaces = parseFilters(ids, filters);
  const { count, memories } = await store.namespaces.filterMemories(namespaces, toWindow(page));
  return { count, results: memories.map(toMem0Record) };
}

/** Lists the owners that have memories. */
export async function listMem0Entities({ store, tenant }: Services, page: Mem0Page) {
  const { count, namespaces } = await store.namespaces.list(NAMESPACE_PREFIX, toWindow(page));
  const results = namespaces.flatMap(({ base, memories, first, last }) => {
    const owner = parseOwner(base);
    if (owner === null) return [];
    const { id, type } = owner;
    return [
      { id, name: id, type, owner: tenant, total_memories: memories, created_at: first, updated_at: last },
    ];
  });
  return { count, results };
}

function toWindow({ page, page_size }: Mem0Page) {
  return { limit: page_size, offset: (page - 1) * page_size };
}

export async function readMem0Memory(services: Services, id: string): Promise<Mem0Memory> {
  return toMem0Record(await findMem0Memory(services, id));
}

export async function updateMem0Memory(
  services: Services,
  id: string,
  update: Mem0Update,
): Promise<Mem0Memory> {
  await findMem0Memory(services, id);
  const at = new Date(services.now()).toISOString();
  const memory = await services.store.memories.change(id, (before) => applyUpdate(before, update, at));
  if (memory === null) throw mem0MemoryNotFound(id);
  services.later(services.indexing.wake());
  return toMem0Record(memory);
}

export async function eraseMem0Memory(services: Services, id: string): Promise<void> {
  await findMem0Memory(services, id);
  await services.store.memories.erase(id);
  services.later(services.indexing.wake());
  await redactQuotations(services);
}

/** Erases the memories that have all of these ids. */
export async function eraseMem0Memories(services: Services, ids: Mem0Ids): Promise<void> {
  const { store, indexing, later } = services;
  await store.namespaces.eraseMemories([requireNamespaceFilter(ids)]);
  later(indexing.wake());
  await redactQuotations(services);
}

async function findMem0Memory({ store }: Services, id: string): Promise<Memory> {
  const memory = await store.memories.find(id);
  if (memory === null || !isMem0Memory(memory)) throw mem0MemoryNotFound(id);
  return memory;
}

function mem0MemoryNotFound(id: string): FailureError {
  return failure("not_found", `Memory not found: ${id}. Check the id; search lists the ids of memories.`);
}
