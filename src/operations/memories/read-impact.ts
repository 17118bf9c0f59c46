// What would lose support if a memory were wrong: the memories that rest on it, through any number of steps.
import { isWithinBinding } from "../../domain/binding";
import { getMemoryStatus } from "../../domain/memory-status";
import { failure } from "../../platform/errors";
import type { MemoryImpact } from "../../schemas/memories/lineage";
import type { Memory } from "../../schemas/memory";
import type { SupportEdge } from "../../store/lineage/lineage-repository";
import { MEMORY_PREFIX } from "../../store/trust/evidence-sources";
import type { Services } from "../services";

/** Affected memories in one answer. */
const MAX_AFFECTED = 500;
/** Steps from the memory: each is a read of the store. */
const MAX_STEPS = 10;

type Affected = { id: string; path: MemoryImpact["data"][number]["path"] };

export async function readImpact(services: Services, id: string): Promise<MemoryImpact> {
  const { store, binding } = services;
  if ((await store.memories.find(id)) === null) throw failure("not_found", `Memory not found: ${id}.`);
  const { affected, edges, truncated } = await follow(services, id);
  const memories = new Map((await store.memories.findMany([...affected.keys()])).map((one) => [one.id, one]));
  const listed = [...affected.values()].flatMap(({ id: one, path }) => {
    const memory = memories.get(one);
    return memory === undefined ? [] : [{ memory, path }];
  });
  const visible = listed.filter(({ memory }) => isWithinBinding(binding, memory));
  const hiddenIds = new Set(listed.filter((one) => !visible.includes(one)).map(({ memory }) => memory.id));
  return {
    memory_id: id,
    data: visible.map(({ memory, path }) => ({
      id: memory.id,
      type: memory.type,
      content: memory.content,
      status: getMemoryStatus(memory),
      source_type: memory.source_type,
      timestamp: memory.timestamp,
      path: path.filter(({ from }) => !hiddenIds.has(from)),
      other_support: countOtherSupport(memory, edges, new Set([id, ...affected.keys()])),
    })),
    hidden: hiddenIds.size,
    truncated,
  };
}

/** Follows the support breadth first, so that each path is a shortest one. */
async function follow({ store }: Services, id: string) {
  const affected = new Map<string, Affected>();
  const edges: SupportEdge[] = [];
  let frontier: Affected[] = [{ id, path: [] }];
  for (let step = 0; step < MAX_STEPS && frontier.length > 0; step += 1) {
    const paths = new Map(frontier.map((one) => [one.id, one.path]));
    const found = await store.lineage.listSupported([...paths.keys()]);
    edges.push(...found);
    frontier = [];
    for (const { from, to, relation } of found) {
      if (to === id || affected.has(to)) continue;
      if (affected.size >= MAX_AFFECTED) return { affected, edges, truncated: true };
      const one = { id: to, path: [...(paths.get(from) ?? []), { from, relation }] };
      affected.set(to, one);
      frontier.push(one);
    }
  }
  return { affected, edges, truncated: frontier.length > 0 };
}

/** Counts the evidence of a memory that is neither affected nor the memory itself. */
function countOtherSupport(
  memory: Memory,
  edges: readonly SupportEdge[],
  affected: ReadonlySet<string>,
): number {
  const lost = new Set(edges.filter(({ to }) => to === memory.id).map(({ from }) => from));
  return memory.evidence.filter((reference) => {
    const id = reference.startsWith(MEMORY_PREFIX) ? reference.slice(MEMORY_PREFIX.length) : reference;
    return !lost.has(id) && !affected.has(id);
  }).length;
}
