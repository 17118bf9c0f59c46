// Reads a long-term memory by id, with its provenance, its triples or its history, and erases it.
import { isBound, isWithinBinding } from "../../domain/binding";
import { isSymmetricProperty } from "../../ontology/property-values";
import { failure } from "../../platform/errors";
import type { Memory, MemoryDetail } from "../../schemas/memory";
import { isGenericPredicate } from "../../store/links/link-triples";
import { toMemoryView, withUsageTriples } from "../../store/memories/memory-mapping";
import { filterTargets } from "../../store/memories/memory-relations";
import { parseInstanceId, type Triple, toInstanceIri } from "../../store/triples/triples";
import { redactQuotations } from "../erasure/redact-quotations";
import type { Services } from "../services";
import { hideRelations } from "./check-relations";
import { findWithPendingUsage, withPendingUsage } from "./pending-usage";

/** Returns a memory with the memories it supersedes and its links in both directions. */
export async function readMemoryDetail(services: Services, id: string): Promise<MemoryDetail> {
  const { store } = services;
  const iri = toInstanceIri("memory", id);
  const [memory, incoming, outgoing] = await Promise.all([
    findWithPendingUsage(services, store.memories.find(id)),
    store.triples.match({ object: iri }).then((triples) => triples.filter(({ datatype }) => datatype === "")),
    store.triples.match({ subject: iri }),
  ]);
  if (memory === null) throw memoryNotFound(id);
  const toLink = (predicate: string, direction: "out" | "in", other: string) => {
    const otherId = parseInstanceId("memory", other);
    return otherId === null ? [] : [{ relation: predicate.replace("jido:", ""), direction, id: otherId }];
  };
  const supersedes = incoming.flatMap(({ predicate, subject }) =>
    predicate === "jido:supersededBy" ? (parseInstanceId("memory", subject) ?? []) : [],
  );
  const links = [
    ...outgoing.flatMap(({ predicate, object, datatype }) =>
      datatype === "" ? toLink(predicate, "out", object) : [],
    ),
    ...incoming.flatMap(({ predicate, subject }) => toLink(predicate, "in", subject)),
  ];
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

/** Returns the chain of supersession that a memory is part of, oldest first, as far as the key of the call sees it. */
export async function readMemoryHistory(services: Services, id: string): Promise<Memory[]> {
  const { store, binding } = services;
  const history = await withPendingUsage(services, store.memories.listHistory(id));
  const chain = history.filter((memory) => isWithinBinding(binding, memory));
  if (chain.length === 0) throw memoryNotFound(id);
  return hideRelations(services, chain);
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
