// mem0's search and lists: within the places that a call names, and nowhere else.

import { createNamespace } from "../../domain/policy/namespace";
import { LIMITS, MEM0 } from "../../limits";
import type { Services } from "../../operations/services";
import { PROMPT_RECALL } from "../../search/search";
import { fromMemoryRow, type MemoryRow } from "../../store/memories/memory-mapping";
import type { NamespaceFilter } from "../../store/memories/namespace-repository";
import { isIn, toRecord } from "./mem0-record";
import type { Mem0List, Mem0Memory, Mem0Page, Mem0Search } from "./mem0-schemas";
import { ownerOf, PREFIX, placesOf } from "./mem0-scope";

/** Text and meaning give at most one each, and what breaks ties a little more. */
const FULL_SCORE = 2.2;

export async function searchMemories(
  services: Services,
  { query, filters, top_k, limit, threshold, ...ids }: Mem0Search,
): Promise<Mem0Memory[]> {
  const most = top_k ?? limit ?? MEM0.hits;
  const found = await Promise.all(
    placesOf(ids, filters).map((place) => searchPlace(services, place, query, most)),
  );
  const records = [...new Map(found.flat().map((record) => [record.id, record])).values()];
  const best = records
    .filter(({ score = 0 }) => score >= (threshold ?? 0))
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .slice(0, most);
  services.later(services.store.memories.recordAccess(best.map(({ id }) => id)));
  return best;
}

async function searchPlace(
  { search }: Services,
  place: NamespaceFilter,
  query: string,
  limit: number,
): Promise<Mem0Memory[]> {
  // The owner's id is a label too; what goes beyond it is looked at after the search.
  const narrower = Object.keys(place.labels).length > 1 || Object.keys(place.metadata).length > 0;
  const { hits, rows } = await search.recall(
    { kind: "namespace", ...createNamespace(place.base, null, null) },
    { ...PROMPT_RECALL, query, min_confidence: 0, limit: narrower ? LIMITS.recallMatches : limit },
  );
  return rows.flatMap((row, i) => {
    const record = toRecord(fromMemoryRow(row as MemoryRow));
    const score = Math.min(1, (hits[i]?.score ?? 0) / FULL_SCORE);
    return isIn(place, record) ? [{ ...record, score: Math.round(score * 1_000) / 1_000 }] : [];
  });
}

export async function listMemories({ store }: Services, { filters, ...ids }: Mem0List, page: Mem0Page) {
  const { count, memories } = await store.namespaces.filterMemories(placesOf(ids, filters), windowOf(page));
  return { count, results: memories.map(toRecord) };
}

export async function listEntities({ store, tenant }: Services, page: Mem0Page) {
  const { count, namespaces } = await store.namespaces.list(PREFIX, windowOf(page));
  const results = namespaces.flatMap(({ base, memories, first, last }) => {
    const owner = ownerOf(base);
    if (owner === null) return [];
    const { id, type } = owner;
    return [
      { id, name: id, type, owner: tenant, total_memories: memories, created_at: first, updated_at: last },
    ];
  });
  return { count, results };
}

function windowOf({ page, page_size }: Mem0Page) {
  return { limit: page_size, offset: (page - 1) * page_size };
}
