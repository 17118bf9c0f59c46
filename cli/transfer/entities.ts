// Imports resources, and declared projects and agents, of the earlier format.
import { isKiokuError, type Kioku } from "../../client/index";
import type { RecordByKind } from "./format";
import type { ImportLine, ImportRecords } from "./read";
import type { ImportReport } from "./report";

/** Imports resources, and then the projects that have them. */
export async function importProjects(
  api: Kioku,
  { resource, project }: ImportRecords,
  report: ImportReport,
): Promise<void> {
  const toKey = (record: RecordByKind["resource"]) => `${record.class}/${record.id}`;
  const put = ({ class: name, id, properties }: RecordByKind["resource"]) =>
    api.resources.put(name, id, { properties });
  const known = new Set<string>();
  if (resource.length > 0) for await (const there of api.resources.list()) known.add(toKey(there));
  const isKnown = ({ record }: ImportLine<"resource">) => known.has(toKey(record));
  const waiting = await putInOrder(
    resource.filter((one) => !isKnown(one)),
    put,
  );
  for (const one of resource)
    await report.note("resource", one.line, async () => {
      if (isKnown(one)) return "known";
      // It refers to what neither the service nor the file has: the service tells what.
      if (waiting.includes(one)) await put(one.record);
      return "added";
    });
  const declared = new Set<string>();
  if (project.length > 0) for await (const one of api.projects.list()) if (one.declared) declared.add(one.id);
  for (const { line, record } of project)
    await report.note("project", line, async () => {
      if (declared.has(record.id)) return "known";
      await api.projects.put(record.id, { properties: record.properties });
      return "added";
    });
}

/** Puts resources, each after those that it refers to. Returns those that are refused in the end. */
async function putInOrder(
  lines: readonly ImportLine<"resource">[],
  put: (record: RecordByKind["resource"]) => Promise<unknown>,
): Promise<readonly ImportLine<"resource">[]> {
  const refused: ImportLine<"resource">[] = [];
  for (const one of lines)
    try {
      await put(one.record);
    } catch (error) {
      if (!isKiokuError(error, "invalid_request")) throw error;
      refused.push(one);
    }
  return refused.length === 0 || refused.length === lines.length ? refused : putInOrder(refused, put);
}

/** Imports agents after everything else: their capabilities could forbid the rest. */
export async function importAgents(
  api: Kioku,
  { agent }: ImportRecords,
  report: ImportReport,
): Promise<void> {
  const declared = new Set<string>();
  if (agent.length > 0) for await (const one of api.agents.list()) if (one.declared) declared.add(one.id);
  for (const { line, record } of agent)
    await report.note("agent", line, async () => {
      if (declared.has(record.id)) return "known";
      await api.agents(record.id).put({ class: record.class, properties: record.properties });
      return "added";
    });
}
