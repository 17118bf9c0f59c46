// Imports the knowledge graphs of an export or of a server-memory file, one per owner.
import { importGraph } from "../../client/import-graph";
import type { Kioku } from "../../client/index";
import { groupBy } from "../group-by";
import type { Owner } from "./format";
import type { ImportRecords } from "./read";
import type { ImportReport } from "./report";

/** `owner` applies to records without an owner of their own. */
export async function importGraphs(
  api: Kioku,
  { entity, relation }: ImportRecords,
  owner: Owner,
  report: ImportReport,
): Promise<void> {
  const placed = [
    ...entity.map((one) => ({ ...one, type: "entity" })),
    ...relation.map((one) => ({ ...one, type: "relation" })),
  ];
  const resolveOwner = ({ record }: { record: Owner }) => ({
    agent_id: record.agent_id ?? owner.agent_id ?? undefined,
    project_id: record.project_id ?? owner.project_id ?? undefined,
  });
  for (const graph of groupBy(placed, (one) => JSON.stringify(resolveOwner(one))).values()) {
    const [first] = graph;
    const lines = graph.map(({ type, record }) => JSON.stringify({ ...record, type }));
    const { entities, relations, bad } = await importGraph(api, lines, first && resolveOwner(first));
    if (entity.length > 0) report.count("entity", entities);
    if (relation.length > 0) report.count("relation", relations);
    for (const { line, message } of bad) report.refuse(graph[line - 1]?.line ?? 0, message);
  }
}
