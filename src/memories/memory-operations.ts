// Reads a long-term memory by id, with its provenance or its triples, and erases it.
import { isBound, isWithinBinding } from "../kernel/access";
import { failure } from "../kernel/errors";
import { isMemoryRelation, isSymmetricProperty } from "../ontology/property-values";
import { parseInstanceId, type Triple, toInstanceIri } from "../ontology/triples";
import type { Services } from "../services/services";
import type { Clocks } from "./history/memory-history";
import { isGenericPredicate } from "./links/link-triples";
import { isValidAt, type Memory, type MemoryDetail } from "./memory-schemas";
import { redactQuotations } from "./redact-quotations";
import { toMemoryView, withUsageTriples } from "./store/memory-mapping";
import { filterTargets } from "./store/memory-relations";
import { findWithPendingUsage } from "./usage/count-recall";

/** Returns a memory with the memories it supersedes and its links in both directions, now or as they were. */
export async function readMemoryDetail(
  services: Services,
  id: string,
  clocks: Clocks = {},
): Promise<MemoryDetail> {
  const { store } = services;
  const iri = toInstanceIri("memory", id);
  const [memory, incoming, outgoing] = await Promise.all([
    clocks.as_of === undefined
      ? findWithPendingUsage(services, store.memories.find(id))
      : requireMemoryAt(services, id, clocks.as_of),
    store.triples.match({ object: iri }).then((triples) => triples.filter(({ datatype }) => datatype === "")),
    store.triples.match({ subject: iri }),
  ]);
  if (memory === null) throw memoryNotFound(id);
  if (clocks.valid_at !== undefined) requireValidity(memory, clocks.valid_at);
  const toLink = (predicate: string, direction: "out" | "in", other: string) => {
    const otherId = parseInstanceId("memory", other);
    return otherId === null ? [] : [{ relation: predicate.replace("jido:", ""), direction, id: otherId }];
  };
  const stored = [
    ...outgoing.flatMap(({ predicate, object, datatype }) =>
      datatype === "" ? toLink(predicate, "out", object) : [],
    ),
    ...incoming.flatMap(({ predicate, subject }) => toLink(predicate, "in", subject)),
  ];
  const links =
    clocks.as_of === undefined
      ? stored
      : await keepLinksAt(services, memory, stored, { ...clocks, as_of: clocks.as_of });
  const supersedes = links.flatMap((link) =>
    link.relation === "supersededBy" && link.direction === "in" ? link.id : [],
  );
  const isVisible = await findVisible(
    services,
    links.map((link) => link.id),
  );
  const view = toMemoryView(filterTargets(memory, isVisible));
  return {
    ...view,
    properties: addLinkProperties(
      view.properties,
      links.filter((link) => isVisible(link.id)),
    ),
    supersedes: supersedes.filter(isVisible),
    links: links.filter((link) => isVisible(link.id)),
  };
}

/** Returns a memory as it was. Throws a failure if it was not stored by then. */
async function requireMemoryAt({ store }: Services, id: string, as_of: string): Promise<Memory | null> {
  const [memory] = await store.memories.findManyAt([id], { as_of });
  if (memory !== undefined || (await store.memories.find(id)) === null) return memory ?? null;
  throw failure(
    "not_found",
    `Memory ${id} was not known as of ${as_of}: it was stored later. Give a later time, or none.`,
  );
}

function requireValidity(memory: Memory, validAt: string): void {
  if (isValidAt(memory, validAt)) return;
  const { id, valid_from, valid_until, timestamp } = memory;
  const end = valid_until === null ? "" : ` until ${valid_until}`;
  throw failure(
    "not_found",
    `Memory ${id} was not true at ${validAt}: it is valid from ${valid_from ?? timestamp}${end}. Give another time, or none.`,
  );
}

/** Keeps the links that held at a time. Those that were deleted since are not kept, unless a memory stated them. */
async function keepLinksAt(
  { store }: Services,
  memory: Memory,
  links: MemoryDetail["links"],
  clocks: Clocks & { as_of: string },
): Promise<MemoryDetail["links"]> {
  const ids = [...new Set(links.map((link) => link.id))];
  const [found, later] = await Promise.all([
    store.memories.findManyAt(ids, clocks),
    store.links.listMadeAfter(memory.id, clocks.as_of),
  ]);
  const others = new Map(found.map((other) => [other.id, other]));
  const notYet = new Set(later.map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`));
  return links.filter(({ relation, direction, id }) => {
    const other = others.get(id);
    if (other === undefined) return false;
    const [from, to] = direction === "out" ? [memory, other] : [other, memory];
    if (relation === "supersededBy") return from.superseded_by === to.id;
    if (relation === "invalidatedBy") return from.invalidated_by === to.id;
    if (isMemoryRelation(relation)) return (from.properties[relation] ?? []).includes(to.id);
    const [subject, object] = [toInstanceIri("memory", from.id), toInstanceIri("memory", to.id)];
    return !notYet.has(`${subject} jido:${relation} ${object}`);
  });
}

/**
 * Adds the links of a memory to its properties, as they would be set there: the generic ones that lead from it, and the
 * symmetric ones from either end.
 */
function addLinkProperties(
  properties: Record<string, string[]>,
  links: MemoryDetail["links"],
): Record<string, string[]> {
  const stated = links.filter(({ relation, direction }) =>
    direction === "out"
      ? relation !== "supersededBy" && isGenericPredicate(`jido:${relation}`)
      : isSymmetricProperty(relation),
  );
  const groups = Map.groupBy(stated, ({ relation }) => relation);
  const added = Object.fromEntries(
    [...groups].map(([relation, group]): [string, string[]] => {
      const ids = [...(properties[relation] ?? []), ...group.map(({ id }) => id)];
      return [relation, [...new Set(ids)]];
    }),
  );
  return { ...properties, ...added };
}

/** Returns which of these memories the key of the call sees. */
async function findVisible(
  { store, binding }: Services,
  ids: readonly string[],
): Promise<(id: string) => boolean> {
  if (!isBound(binding)) return () => true;
  const memories = ids.length === 0 ? [] : await store.memories.findMany(ids);
  const visible = new Set(memories.filter((one) => isWithinBinding(binding, one)).map(({ id }) => id));
  return (id) => visible.has(id);
}

/** Returns the triples of a memory, without those that lead to a memory which the key of the call does not see. */
export async function readMemoryTriples(services: Services, id: string): Promise<Triple[]> {
  const { store } = services;
  const [memory, stored] = await Promise.all([
    findWithPendingUsage(services, store.memories.find(id)),
    store.triples.match({ subject: toInstanceIri("memory", id) }),
  ]);
  if (memory === null || stored.length === 0) throw memoryNotFound(id);
  const triples = withUsageTriples(stored, memory);
  const readTarget = ({ object, datatype }: Triple) =>
    datatype === "" ? parseInstanceId("memory", object) : null;
  const isVisible = await findVisible(
    services,
    triples.flatMap((triple) => readTarget(triple) ?? []),
  );
  return triples.filter((triple) => {
    const target = readTarget(triple);
    return target === null || isVisible(target);
  });
}

/**
 * Erases a memory from triples, read model, text index and vectors, and its text from the sessions that quote it. Returns
 * the number of rows of each.
 */
export async function eraseMemory(services: Services, id: string) {
  const { store, indexing, later } = services;
  const deleted = await store.memories.erase(id);
  if (deleted.memories === 0) throw memoryNotFound(id);
  later(indexing.wake());
  await redactQuotations(services);
  return deleted;
}

export function memoryNotFound(id: string) {
  return failure(
    "not_found",
    `Memory not found: ${id}. Check the id; recall lists the ids of what is remembered.`,
  );
}
