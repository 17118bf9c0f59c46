// Imports the memories of an export. Superseded and forgotten memories are remembered and then forgotten in their
// original order; the others need no order. Relations follow when all memories have their ids.
import { MAX_BATCH_CHARS, MAX_BATCH_ITEMS } from "../../client/batches";
import { type Kioku, KiokuError, type Memory, type RememberInput } from "../../client/index";
import type { MemoryRelation } from "../../src/ontology/property-values";
import type { ExistingMemories, ExistingMemory } from "./existing";
import { mapConcurrently } from "./pool";
import type { ImportLine } from "./read";
import type { ImportReport } from "./report";

/** Set by the service itself as memories age. */
const OMITTED_PROPERTIES: readonly string[] = ["decayedAt"];
/** Their values are agents, which the service returns with a prefix and accepts without. */
const AGENT_PROPERTIES: readonly string[] = ["assignedTo", "createdBy", "governsAgent"];
/** Listed here, because the ontology would be a third of the package. The type keeps the list complete. */
const MEMORY_RELATIONS: Readonly<Record<MemoryRelation, true>> = {
  refines: true,
  confirms: true,
  hasAlternative: true,
  selectedAlternative: true,
  hasTradeOff: true,
  dependsOn: true,
  blockedBy: true,
  partOfMilestone: true,
  partOfPlan: true,
  hasRootCause: true,
  producedLesson: true,
  relatedError: true,
};

export async function importMemories(
  api: Kioku,
  placed: readonly ImportLine<"memory">[],
  existing: ExistingMemories,
  report: ImportReport,
): Promise<void> {
  const inOrder = [...placed].sort(
    (a, b) => compare(a.record.timestamp, b.record.timestamp) || b.line - a.line,
  );
  const replacing = new Set(inOrder.map(({ record }) => record.superseded_by));
  const isHistory = ({ record }: ImportLine<"memory">) =>
    record.status !== "live" || replacing.has(record.id);
  const imported: ImportedMemories = new Map();
  await importHistory(api, inOrder.filter(isHistory), existing, imported, report);
  const rest = inOrder.filter((one) => !isHistory(one));
  const fresh = rest.filter(({ record }) => {
    const known = existing.take(record);
    if (known !== null) imported.set(record.id, known);
    return known === null;
  });
  report.count("memory", { added: 0, known: rest.length - fresh.length });
  for await (const _ of mapConcurrently(splitIntoBatches(fresh), (batch) =>
    importBatch(api, batch, imported, report),
  ));
  const live = inOrder.filter(({ record }) => record.status === "live");
  for await (const _ of mapConcurrently(live, (one) => importRelations(api, one, imported, report)));
}

/** The memories in the service, by their ids in the file. */
type ImportedMemories = Map<string, Pick<ExistingMemory, "id" | "properties">>;

/** Sets the relations of a memory to others of the file. Those that it has already are left as they are. */
async function importRelations(
  api: Kioku,
  { line, record }: ImportLine<"memory">,
  imported: ImportedMemories,
  report: ImportReport,
): Promise<void> {
  const memory = imported.get(record.id);
  if (memory === undefined) return;
  const missing = Object.entries(record.properties ?? {}).flatMap(([name, targets]) => {
    if (!Object.hasOwn(MEMORY_RELATIONS, name) || memory.properties[name] !== undefined) return [];
    const ids = targets.flatMap((target) => imported.get(target)?.id ?? []);
    return ids.length === 0 ? [] : [[name, ids] as const];
  });
  if (missing.length === 0) return;
  await report.attempt(line, async () => {
    await api.memories.update(memory.id, { properties: Object.fromEntries(missing) });
  });
}

/** Splits lines into batches below the service's limits of a call. */
function splitIntoBatches(lines: readonly ImportLine<"memory">[]): ImportLine<"memory">[][] {
  const batches: ImportLine<"memory">[][] = [];
  let chars = 0;
  for (const line of lines) {
    const size = JSON.stringify(line.record).length;
    const last = batches.at(-1);
    if (last !== undefined && last.length < MAX_BATCH_ITEMS && chars + size <= MAX_BATCH_CHARS) {
      last.push(line);
      chars += size;
    } else {
      batches.push([line]);
      chars = size;
    }
  }
  return batches;
}

async function importBatch(
  api: Kioku,
  batch: readonly ImportLine<"memory">[],
  imported: ImportedMemories,
  report: ImportReport,
): Promise<void> {
  const { results } = await api.rememberMany({ memories: batch.map(({ record }) => toInput(record)) });
  for (const [i, { line, record }] of batch.entries()) {
    await report.note("memory", line, async () => {
      const result = results[i];
      if (result === undefined) throw new KiokuError("internal", "The service returned too few results.");
      if ("error" in result) throw new KiokuError(result.error.code, result.error.detail, result.error);
      imported.set(record.id, { id: result.memory_id, properties: {} });
      return result.deduplicated ? "known" : "added";
    });
  }
}

async function importHistory(
  api: Kioku,
  placed: readonly ImportLine<"memory">[],
  existing: ExistingMemories,
  imported: ImportedMemories,
  report: ImportReport,
): Promise<void> {
  const inFile = new Set(placed.map(({ record }) => record.id));
  const waiting = new Map<string, Memory[]>();
  const forget = async ({ id, superseded_by, forget_reason }: Memory) => {
    await api.forget({
      memory_id: imported.get(id)?.id ?? "",
      reason: forget_reason ?? undefined,
      replacement_id: imported.get(superseded_by ?? "")?.id,
    });
  };
  for (const { line, record } of placed) {
    await report.note("memory", line, async () => {
      const known = existing.take(record);
      const id = known?.id ?? (await api.remember(toInput(record))).memory_id;
      imported.set(record.id, { id, properties: known?.properties ?? {} });
      const successor = record.superseded_by ?? "";
      const mustWait = inFile.has(successor) && !imported.has(successor);
      if (record.status !== "live" && known?.live !== false) {
        if (mustWait) waiting.set(successor, [...(waiting.get(successor) ?? []), record]);
        else await forget(record);
      }
      for (const replaced of waiting.get(record.id) ?? []) await forget(replaced);
      waiting.delete(record.id);
      return known === null ? "added" : "known";
    });
  }
  // A superseded memory is forgotten even if its successor was rejected.
  for (const left of waiting.values()) for (const replaced of left) await forget(replaced);
}

function toInput(memory: Memory): RememberInput {
  const { content, type, confidence, evidence, source_type, valid_from } = memory;
  return {
    content,
    type,
    confidence,
    evidence,
    source_type,
    // The service sets the time of storing itself; the start of validity is imported.
    valid_from,
    rationale: memory.rationale ?? undefined,
    key: memory.key ?? undefined,
    // The export knows which memories hold: an import supersedes none of them by their wording.
    supersede: memory.key !== null,
    metadata: memory.metadata,
    tags: memory.tags,
    user_id: memory.user_id ?? undefined,
    session_id: memory.session_id ?? undefined,
    agent_id: memory.agent_id ?? undefined,
    project_id: memory.project_id ?? undefined,
    properties: selectProperties(memory.properties ?? {}),
  };
}

function selectProperties(properties: Memory["properties"]): Memory["properties"] | undefined {
  const selected = Object.entries(properties).flatMap(([name, values]) => {
    if (OMITTED_PROPERTIES.includes(name) || Object.hasOwn(MEMORY_RELATIONS, name)) return [];
    return [
      [name, AGENT_PROPERTIES.includes(name) ? values.map((value) => value.replace(/^agent_/, "")) : values],
    ];
  });
  return selected.length === 0 ? undefined : Object.fromEntries(selected);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
