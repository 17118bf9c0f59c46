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
  const steps: NewStatement[][] = [];
  let waiting = new Map(added.map((one) => [one.node, one]));
  while (waiting.size > 0) {
    const step = [...waiting.values()].filter(({ targets }) =>
      targets.every(({ node }) => !waiting.has(node)),
    );
    if (step.length === 0) {
      for (const node of waiting.keys())
        problems.report(
          node,
          null,
          "is one of new memories that lead to each other in a circle: leave one relation out",
        );
      return [];
    }
    steps.push(step);
    const written = new Set(step.map(({ node }) => node));
    waiting = new Map([...waiting].filter(([node]) => !written.has(node)));
  }
  return steps;
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
  for (const { node, memory } of restored) {
    const reached = new Set<string>();
    const open = [...(next.get(memory.id) ?? [])];
    for (let id = open.pop(); id !== undefined; id = open.pop())
      if (!reached.has(id)) {
        reached.add(id);
        open.push(...(next.get(id) ?? []));
      }
    if (reached.has(memory.id)) problems.report(node, null, "leads back to itself, which would be a cycle");
  }
}
