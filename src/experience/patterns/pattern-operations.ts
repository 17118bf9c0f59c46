// Writes, reads and lists patterns.

import { type IdempotentReply, runIdempotent } from "../../calls/run-idempotent";
import { readPatternName } from "../../facts/topics/topic-key";
import { type Binding, isBound, isWithinBinding } from "../../kernel/access";
import { FailureError, failure, unwrap } from "../../kernel/errors";
import { deriveStep, type Idempotency } from "../../kernel/idempotency";
import { EXPERIENCE } from "../../kernel/limits";
import type { Page } from "../../kernel/store-context";
import type { OutgoingLink } from "../../memories/links/link-repository";
import { endNotFound, getEndId } from "../../memories/links/link-triples";
import type { Memory, NewMemory } from "../../memories/memory-schemas";
import { computeIdentity } from "../../memories/store/memory-id";
import { storeMemory } from "../../memories/store-memories";
import { findWithPendingUsage, withPendingUsage } from "../../memories/usage/count-recall";
import { parseInstanceId } from "../../ontology/triples";
import type { Repositories } from "../../services/repositories";
import type { Services } from "../../services/services";
import { outranks, type SourceRanks } from "../../trust/source-rank";
import { isPattern, selectPatternType, toPattern, toPatternMemory, toPatternParts } from "./pattern-memory";
import type { PatternFilter } from "./pattern-repository";
import type { Pattern, PatternCreate } from "./pattern-schemas";

export async function recordPattern(
  services: Services,
  input: PatternCreate,
  idempotency: Idempotency,
): Promise<IdempotentReply<Pattern>> {
  const reply = await runIdempotent<Pattern>(services.store, idempotency, async () => {
    const { id, created } = await writePattern(services, input, deriveStep(idempotency, "write"));
    return { status: created ? 201 : 200, body: await readPattern(services, id) };
  });
  services.later(services.indexing.wake());
  return reply;
}

/** Finds a pattern by its id, or by the name that its author gave it, within the binding of the caller. */
export async function readPattern(services: Services, id: string): Promise<Pattern> {
  const { store, binding } = services;
  const [end = null] = await store.links.resolveEnds([id], { binding });
  const memoryId = end === null ? null : parseInstanceId("memory", end);
  const memory =
    memoryId === null ? null : await findWithPendingUsage(services, store.memories.find(memoryId));
  if (memory === null || !isPattern(memory))
    throw failure("not_found", `Pattern not found: ${id}. Check the id; GET /v1/patterns lists them.`);
  const links = await listNamedLinks(services, [memory.id]);
  return toPattern(memory, links.get(memory.id) ?? []);
}

/** Returns patterns with their links, newest first. */
export async function listPatterns(
  services: Services,
  filter: PatternFilter,
  page: Page,
): Promise<Pattern[]> {
  const memories = await withPendingUsage(services, services.store.patterns.list("category", filter, page));
  const links = await listNamedLinks(
    services,
    memories.map(({ id }) => id),
  );
  return memories.map((memory) => toPattern(memory, links.get(memory.id) ?? []));
}

/** Returns the links of each pattern that the caller sees, with the names of the patterns that they lead to. */
async function listNamedLinks(
  { store, binding }: Services,
  ids: readonly string[],
): Promise<Map<string, Pattern["links"]>> {
  const links = await store.links.listFrom(ids);
  const linked = await store.memories.findMany([...new Set([...links.values()].flat().map(({ to }) => to))]);
  const visible = new Map(linked.filter((one) => isWithinBinding(binding, one)).map((one) => [one.id, one]));
  const name = (link: OutgoingLink) => ({
    ...link,
    name: readPatternName(visible.get(link.to)?.topic_key ?? null),
  });
  const isVisible = ({ to }: OutgoingLink) => !isBound(binding) || visible.has(to);
  return new Map([...links].map(([from, list]) => [from, list.filter(isVisible).map(name)]));
}

/** The category of a pattern without one. */
const DEFAULT_CATEGORY = "general";

async function writePattern(
  services: Services,
  input: PatternCreate,
  idempotency: Idempotency,
): Promise<{ id: string; created: boolean }> {
  const { store, binding } = services;
  const now = new Date(services.now()).toISOString();
  const links = await resolveLinks(store, input, binding);
  const pattern = toPatternMemory(toPatternParts(input, now));
  const origins = links.flatMap(({ relation, to }) => (relation === "derived_from" ? [to] : []));
  const evidence = [...pattern.evidence, ...origins];
  const [source_type = pattern.source_type] = await store.memories.findLimitedSources([
    { ...pattern, evidence },
  ]);
  const memory = await withStoredType(store, { ...pattern, source_type });
  const { id, created, isOutranked } = await storePattern(
    services,
    memory,
    deriveStep(idempotency, "pattern"),
  );
  // A pattern of a higher rank with the same text stays as it is.
  if (isOutranked) return { id, created };
  for (const [i, link] of links.entries()) {
    const linked = await store.links.create(
      { strength: 1, ...link, from: id },
      deriveStep(idempotency, `link ${i}`),
    );
    // A refused call must leave nothing behind.
    if (!linked.ok && created) await store.memories.erase(id);
    unwrap(linked);
  }
  return { id, created };
}

/** Returns the links with the ids of their ends: a name stands for a pattern of the same project, if there is one. */
async function resolveLinks(
  store: Repositories,
  { links, project_id }: PatternCreate,
  binding: Binding,
): Promise<PatternCreate["links"]> {
  const ends = await store.links.resolveEnds(
    links.map(({ to }) => to),
    { binding, project_id },
  );
  return links.map((link, i) => {
    const end = ends[i] ?? null;
    if (end === null) throw new FailureError(endNotFound(`links.${i}.to`, link.to).failure);
    return { ...link, to: getEndId(end) };
  });
}

/** Keeps the type of a stored pattern: a hypothesis that is now written as a discovery, or the reverse, is the same pattern. */
async function withStoredType(store: Repositories, memory: NewMemory): Promise<NewMemory> {
  const types = memory.type === "lesson_learned" ? [memory.type] : (["discovery", "hypothesis"] as const);
  const identities = await Promise.all(
    types.map((type) => computeIdentity(store.tenant, { ...memory, type })),
  );
  const stored = await store.memories.findByIdentity(identities);
  const known = stored.find(({ type }) => type === memory.type) ?? stored[0];
  if (known === undefined) return memory;
  if (mergePattern(store.ranks, known, memory).evidence.length > EXPERIENCE.sourcesPerPattern)
    throw failure(
      "limit_exceeded",
      `Pattern ${known.id} would have more than ${EXPERIENCE.sourcesPerPattern} sources. Give fewer.`,
    );
  if (known.type === memory.type) return memory;
  const changed = await store.memories.change(known.id, (before) =>
    mergePattern(store.ranks, before, memory),
  );
  return { ...memory, type: changed?.type ?? memory.type };
}

async function storePattern(services: Services, memory: NewMemory, idempotency: Idempotency) {
  const { store } = services;
  const {
    memory_id: id,
    deduplicated,
    source_type,
  } = await storeMemory(services, {
    ...(idempotency ?? { op: crypto.randomUUID() }),
    memory: { ...memory, activity: { kind: "pattern" } },
  });
  const known = deduplicated
    ? await store.memories.change(id, (before) => mergePattern(store.ranks, before, memory))
    : null;
  const isOutranked = known !== null && outranks(store.ranks, known.source_type, source_type);
  return { id, created: !deduplicated, isOutranked };
}

/**
 * Merges a pattern into a stored one: the higher confidence, the evidence of both, the newest properties. One of a lower
 * rank changes nothing.
 */
function mergePattern(ranks: SourceRanks, stored: Memory, again: NewMemory): Memory {
  if (outranks(ranks, stored.source_type, again.source_type)) return stored;
  const { confidence, evidence, properties } = again;
  const highest = Math.max(stored.confidence, confidence);
  const isDefault = properties.category?.[0] === DEFAULT_CATEGORY;
  const category =
    (isDefault ? stored.properties.category?.[0] : properties.category?.[0]) ?? DEFAULT_CATEGORY;
  return {
    ...stored,
    confidence: highest,
    type: selectPatternType(category, highest),
    evidence: [...new Set([...stored.evidence, ...evidence])],
    properties: { ...stored.properties, ...properties, category: [category] },
  };
}
