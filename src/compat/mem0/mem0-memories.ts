// mem0's calls on memories. Adding uses no language model: the rules that extract candidates from messages leaving a
// session's window choose the sentences, or each message is stored as it is.
import { createNamespace } from "../../domain/policy/namespace";
import { extractCandidates } from "../../domain/promotion/extract-candidates";
import { LIMITS, MEM0 } from "../../limits";
import { redactQuotations } from "../../operations/erasure/redact-quotations";
import { countRecall } from "../../operations/memories/count-recall";
import { runIdempotent } from "../../operations/run-idempotent";
import type { Services } from "../../operations/services";
import { FailureError, failure } from "../../platform/errors";
import { deriveStep, type Idempotency } from "../../platform/idempotency";
import type { Memory } from "../../schemas/memory";
import { PROMPT_RECALL } from "../../search/search";
import { fromMemoryRow, type MemoryRow } from "../../store/memories/memory-mapping";
import { deriveTopic } from "../../store/memories/memory-topics";
import type { NamespaceFilter } from "../../store/memories/namespace-repository";
import {
  applyUpdate,
  isMem0Memory,
  type Mem0Content,
  matchesFilter,
  toMem0Record,
  toNewMemory,
} from "./mem0-record";
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
import { NAMESPACE_PREFIX, parseFilters, parseOwner, requireNamespaceFilter } from "./mem0-scope";

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
  { store, indexing, now, later }: Services,
  { messages, infer, metadata, timestamp, ...ids }: Mem0Add,
  idempotency: Idempotency,
): Promise<Mem0Added> {
  requireNamespaceFilter(ids);
  const at = new Date(timestamp === undefined ? now() : timestamp * 1_000).toISOString();
  const memories = messages
    .filter(({ role }) => role === "user" || role === "assistant")
    .flatMap((message) => (infer ? extractContents(message, at) : [toContent(message)]))
    .map((content) => toNewMemory(content, ids, metadata ?? {}, at));
  const written = await store.memories.commit(
    memories.map((memory, i) => ({
      op: idempotency === null ? crypto.randomUUID() : `${idempotency.op}:${i}`,
      fingerprint: idempotency?.fingerprint ?? "",
      memory,
    })),
  );
  later(indexing.wake());
  const results = written.map((result, i): Mem0Added["results"][number] => {
    const memory = memories[i];
    if (result.status === "rejected") throw new FailureError(result.failure);
    if (memory === undefined) throw failure("internal", "The store returned a result without a write.");
    return {
      id: result.memory_id,
      memory: memory.content,
      event: result.deduplicated ? "NOOP" : "ADD",
      categories: [memory.type],
    };
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
      // A changed fact replaces the old one of the same owner.
      topic_key: deriveTopic({ content, type: memory_type }),
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
