// What would lose support if a memory were wrong: the memories that rest on it, through any number of steps.

import { isWithinBinding } from "../../kernel/access";
import { failure } from "../../kernel/errors";
import type { Services } from "../../services/services";
import { getMemoryStatus } from "../memory-schemas";
import type { MemoryImpact } from "./lineage-schemas";

/** Affected memories in one answer. */
const MAX_AFFECTED = 500;
/** Relations that one step reads. */
const MAX_EDGES = 2_000;
/** Steps from the memory: each is a read of the store. */
const MAX_STEPS = 10;

type Affected = { id: string; path: MemoryImpact["data"][number]["path"] };

export function readImpact(services: Services, id: string): Promise<MemoryImpact> {
  return services.limitReads(() => collectImpact(services, id));
}

async function collectImpact(services: Services, id: string): Promise<MemoryImpact> {
  const { store, binding } = services;
  if ((await store.memories.find(id)) === null) throw failure("not_found", `Memory not found: ${id}.`);
  const { affected, truncated } = await follow(services, id);
  const memories = new Map((await store.memories.findMany([...affected.keys()])).map((one) => [one.id, one]));
  const listed = [...affected.values()].flatMap(({ id: one, path }) => {
    const memory = memories.get(one);
    return memory === undefined ? [] : [{ memory, path }];
  });
  const lost = new Set([id, ...affected.keys()]);
  const remaining = new Map<string, Set<string>>();
  for (const { id: one, support } of await store.lineage.listSupport([...memories.keys()]))
    if (!lost.has(support)) remaining.set(one, (remaining.get(one) ?? new Set()).add(support));
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
      other_support: remaining.get(memory.id)?.size ?? 0,
    })),
    hidden: hiddenIds.size,
    truncated,
  };
}

/** Follows the support breadth first, so that each path is a shortest one. */
async function follow({ store }: Services, id: string) {
  const affected = new Map<string, Affected>();
  let isCut = false;
  let frontier: Affected[] = [{ id, path: [] }];
  for (let step = 0; step < MAX_STEPS && frontier.length > 0; step += 1) {
    const paths = new Map(frontier.map((one) => [one.id, one.path]));
    const found = await store.lineage.listSupported([...paths.keys()], MAX_EDGES);
    if (found.length === MAX_EDGES) isCut = true;
    frontier = [];
    for (const { from, to, relation } of found) {
      if (to === id || affected.has(to)) continue;
      if (affected.size >= MAX_AFFECTED) return { affected, truncated: true };
      const one = { id: to, path: [...(paths.get(from) ?? []), { from, relation }] };
      affected.set(to, one);
      frontier.push(one);
    }
  }
  return { affected, truncated: isCut || frontier.length > 0 };
}
