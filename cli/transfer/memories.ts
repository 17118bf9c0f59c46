// Memories of an export, remembered again. What no longer holds is remembered first and then taken back, in the order
// in which it happened; what simply holds needs no order.
import type { Kioku, Memory, RememberInput } from "../../client/index";
import type { ExistingMemories } from "./existing";
import { pooled } from "./pool";
import type { Placed } from "./read";
import type { Report } from "./report";

/** Set by the service itself, as it ages. */
const NOT_CARRIED: readonly string[] = ["decayedAt"];
/** Their values are agents, which the service shows with a prefix and takes without. */
const AGENTS: readonly string[] = ["assignedTo", "createdBy", "governsAgent"];

export async function importMemories(
  api: Kioku,
  placed: readonly Placed<"memory">[],
  existing: ExistingMemories,
  report: Report,
): Promise<void> {
  const inOrder = [...placed].sort(
    (a, b) => compare(a.record.timestamp, b.record.timestamp) || b.line - a.line,
  );
  const replacing = new Set(inOrder.map(({ record }) => record.superseded_by));
  const isHistory = ({ record }: Placed<"memory">) => record.status !== "live" || replacing.has(record.id);
  await importHistory(api, inOrder.filter(isHistory), existing, report);
  const rest = inOrder.filter((one) => !isHistory(one));
  const noted = pooled(rest, ({ line, record }) =>
    report.note("memory", line, async () => {
      if (existing.take(record) !== null) return "known";
      const { deduplicated } = await api.remember(toInput(record));
      return deduplicated ? "known" : "added";
    }),
  );
  for await (const _ of noted);
}

async function importHistory(
  api: Kioku,
  placed: readonly Placed<"memory">[],
  existing: ExistingMemories,
  report: Report,
): Promise<void> {
  const inFile = new Set(placed.map(({ record }) => record.id));
  /** The ids that they have here, by the ids that they have in the file. */
  const here = new Map<string, string>();
  const waiting = new Map<string, Memory[]>();
  const takeBack = async ({ id, superseded_by, forget_reason }: Memory) => {
    await api.forget({
      memory_id: here.get(id) ?? "",
      reason: forget_reason ?? undefined,
      replacement_id: here.get(superseded_by ?? ""),
    });
  };
  for (const { line, record } of placed) {
    await report.note("memory", line, async () => {
      const known = existing.take(record);
      const id = known?.id ?? (await api.remember(toInput(record))).memory_id;
      here.set(record.id, id);
      const successor = record.superseded_by ?? "";
      const mustWait = inFile.has(successor) && !here.has(successor);
      if (record.status !== "live" && known?.live !== false) {
        if (mustWait) waiting.set(successor, [...(waiting.get(successor) ?? []), record]);
        else await takeBack(record);
      }
      for (const replaced of waiting.get(record.id) ?? []) await takeBack(replaced);
      waiting.delete(record.id);
      return known === null ? "added" : "known";
    });
  }
  // What was replaced does not hold, even if what replaced it was refused.
  for (const left of waiting.values()) for (const replaced of left) await takeBack(replaced);
}

function toInput(memory: Memory): RememberInput {
  const { content, type, confidence, evidence, source_type, valid_from } = memory;
  return {
    content,
    type,
    confidence,
    evidence,
    source_type,
    // When it was remembered is the service's own word; when it became true is carried.
    valid_from,
    rationale: memory.rationale ?? undefined,
    key: memory.key ?? undefined,
    session_id: memory.session_id ?? undefined,
    agent_id: memory.agent_id ?? undefined,
    project_id: memory.project_id ?? undefined,
    properties: propertiesOf(memory.properties ?? {}),
  };
}

function propertiesOf(properties: Memory["properties"]): Memory["properties"] | undefined {
  const carried = Object.entries(properties).flatMap(([name, values]) => {
    if (NOT_CARRIED.includes(name)) return [];
    return [[name, AGENTS.includes(name) ? values.map((value) => value.replace(/^agent_/, "")) : values]];
  });
  return carried.length === 0 ? undefined : Object.fromEntries(carried);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
