// Knowledge graphs, of an export or of a file of server-memory: each goes to whom it belongs.

import { importGraph } from "../../client/import-graph";
import type { Kioku } from "../../client/index";
import type { Owner } from "./format";
import type { Records } from "./read";
import type { Report } from "./report";

/** `owner` is for records that do not say whose they are. */
export async function importGraphs(
  api: Kioku,
  { entity, relation }: Records,
  owner: Owner,
  report: Report,
): Promise<void> {
  const placed = [
    ...entity.map((one) => ({ ...one, type: "entity" })),
    ...relation.map((one) => ({ ...one, type: "relation" })),
  ];
  const owned = ({ record }: { record: Owner }) => ({
    agent_id: record.agent_id ?? owner.agent_id ?? undefined,
    project_id: record.project_id ?? owner.project_id ?? undefined,
  });
  for (const graph of groupsOf(placed, (one) => JSON.stringify(owned(one)))) {
    const [first] = graph;
    const lines = graph.map(({ type, record }) => JSON.stringify({ ...record, type }));
    const { entities, relations, bad } = await importGraph(api, lines, first && owned(first));
    if (entity.length > 0) report.count("entity", entities);
    if (relation.length > 0) report.count("relation", relations);
    for (const { line, message } of bad) report.refuse(graph[line - 1]?.line ?? 0, message);
  }
}

function groupsOf<T>(items: readonly T[], nameOf: (item: T) => string): Iterable<T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups.values();
}
