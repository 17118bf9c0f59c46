// The order of memories that lead to each other, and the circles that none of them may form.

import type { Memory } from "../../../schemas/memory";
import { isAcyclic, listTargets } from "../../../store/memories/memory-relations";
import type { ImportProblems } from "./import-problems";

/** A memory to be remembered. Its relations and links lead to `targets`, memories of the document or stored ones. */
export type NewStatement = {
  node: string;
  memory: Memory;
  /** By predicate: nodes of the document, or IRIs of memories. */
  targets: { predicate: string; node: string }[];
};

/** Orders new memories so that each leads to earlier ones alone: its relations need their ids. */
export function orderNew(added: readonly NewStatement[], problems: ImportProblems): NewStatement[][] {
  const byNode = new Map(added.map((one) => [one.node, one]));
  const { steps, rest } = sortBySteps(
    new Map([...byNode].map(([node, { targets }]) => [node, targets.map((target) => target.node)])),
  );
  for (const node of rest)
    problems.report(
      node,
      null,
      "is one of new memories that lead to each other in a circle: leave one relation out",
    );
  return rest.length > 0 ? [] : steps.map((step) => step.flatMap((node) => byNode.get(node) ?? []));
}

/** Reports restored memories that lead back to themselves by a relation that must not. */
export function reportCycles(
  restored: readonly { node: string; memory: Memory }[],
  problems: ImportProblems,
): void {
  const next = new Map(
    restored.map(({ memory: { id, properties } }) => [
      id,
      listTargets(properties).flatMap((target) => (isAcyclic(target) ? [target.to] : [])),
    ]),
  );
  // What is left leads to a cycle, but need not be on it.
  const suspects = new Set(sortBySteps(next).rest);
  for (const { node, memory } of restored) {
    if (!suspects.has(memory.id)) continue;
    const reached = new Set<string>();
    const open = [...(next.get(memory.id) ?? [])];
    for (let id = open.pop(); id !== undefined; id = open.pop())
      if (suspects.has(id) && !reached.has(id)) {
        reached.add(id);
        open.push(...(next.get(id) ?? []));
      }
    if (reached.has(memory.id)) problems.report(node, null, "leads back to itself, which would be a cycle");
  }
}

/**
 * Sorts nodes into steps, each of which leads to earlier ones alone, in time linear in the relations (Kahn). `rest` has the
 * nodes that lead to a cycle. Targets that are no nodes do not count.
 */
function sortBySteps(next: ReadonlyMap<string, readonly string[]>): { steps: string[][]; rest: string[] } {
  const waitingFor = new Map<string, number>();
  const sources = new Map<string, string[]>();
  for (const [node, targets] of next) {
    const own = new Set(targets.filter((target) => next.has(target)));
    waitingFor.set(node, own.size);
    for (const target of own) {
      const list = sources.get(target);
      if (list === undefined) sources.set(target, [node]);
      else list.push(node);
    }
  }
  const steps: string[][] = [];
  let step = [...next.keys()].filter((node) => waitingFor.get(node) === 0);
  while (step.length > 0) {
    steps.push(step);
    for (const node of step) waitingFor.delete(node);
    const following: string[] = [];
    for (const node of step)
      for (const source of sources.get(node) ?? []) {
        const left = (waitingFor.get(source) ?? 0) - 1;
        waitingFor.set(source, left);
        if (left === 0) following.push(source);
      }
    step = following;
  }
  return { steps, rest: [...waitingFor.keys()] };
}
