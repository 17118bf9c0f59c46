// Reads a long-term memory by id, with its provenance, its triples or its history, and erases it.
import { failure } from "../../platform/errors";
import type { Memory, MemoryDetail } from "../../schemas/memory";
import { toMemoryView } from "../../store/memories/memory-mapping";
import { parseInstanceId, type Triple, toInstanceIri } from "../../store/triples/triples";
import type { Services } from "../services";

/** Returns a memory with the memories it supersedes and its links in both directions. */
export async function readMemoryDetail({ store }: Services, id: string): Promise<MemoryDetail> {
  const iri = toInstanceIri("memory", id);
  const [memory, incoming, outgoing] = await Promise.all([
    store.memories.find(id),
    store.triples.match({ object: iri }).then((triples) => triples.filter(({ datatype }) => datatype === "")),
    store.triples.match({ subject: iri }),
  ]);
  if (memory === null) throw memoryNotFound(id);
  const toLink = (predicate: string, direction: "out" | "in", other: string) => {
    const otherId = parseInstanceId("memory", other);
    return otherId === null ? [] : [{ relation: predicate.replace("jido:", ""), direction, id: otherId }];
  };
  return {
    ...toMemoryView(memory),
    supersedes: incoming.flatMap(({ predicate, subject }) =>
      predicate === "jido:supersededBy" ? (parseInstanceId("memory", subject) ?? []) : [],
    ),
    links: [
      ...outgoing.flatMap(({ predicate, object, datatype }) =>
        datatype === "" ? toLink(predicate, "out", object) : [],
      ),
      ...incoming.flatMap(({ predicate, subject }) => toLink(predicate, "in", subject)),
    ],
  };
}

export async function readMemoryTriples({ store }: Services, id: string): Promise<Triple[]> {
  const triples = await store.triples.match({ subject: toInstanceIri("memory", id) });
  if (triples.length === 0) throw memoryNotFound(id);
  return triples;
}

/** Returns the chain of supersession that a memory is part of, oldest first. */
export async function readMemoryHistory({ store }: Services, id: string): Promise<Memory[]> {
  const chain = await store.memories.listHistory(id);
  if (chain.length === 0) throw memoryNotFound(id);
  return chain;
}

/** Erases a memory from triples, read model, text index and vectors. Returns the number of rows of each. */
export async function eraseMemory({ store, indexing, later }: Services, id: string) {
  const deleted = await store.memories.erase(id);
  if (deleted.memories === 0) throw memoryNotFound(id);
  later(indexing.wake());
  return deleted;
}

export function memoryNotFound(id: string) {
  return failure(
    "not_found",
    `Memory not found: ${id}. Check the id; recall lists the ids of what is remembered.`,
  );
}
