// Changes a memory where it stands: its triples and its row in one batch, which aborts when somebody else was quicker.

import { type SQL, sql } from "drizzle-orm";
import { getMemoryStatus } from "../../domain/memory-status";
import { LIMITS } from "../../limits";
import { type Database, retryConflicts, runBatch, writeOptimistically } from "../../platform/d1";
import { splitIntoChunks } from "../../platform/json-chunks";
import type { Memory } from "../../schemas/memory";
import { assertThat } from "../statements";
import { deleteTriples, insertTriples, type Triple } from "../triples/triples";
import { idList, queueVectors } from "../vectors/vector-queue";
import { identityOf } from "./memory-id";
import { indexRows, type NewRow, toRow, toTriples } from "./memory-mapping";
import { findMemories, findMemory } from "./memory-queries";
import { supersedeMemories } from "./retire-memories";
import { addUses } from "./usage-counts";

export type Change = { before: Memory; after: Memory; identity: string };

/**
 * `change` is given the memory as it stands and gives it shall be, or null to leave it. Loses a race when the
 * memory changed meanwhile; changeMemory then begins again. What it was superseded, invalidated or forgotten by is not changed this way. Gives the
 * memory as it then is; null when there is none.
 */
export async function tryChange(
  db: Database,
  tenant: string,
  id: string,
  change: (memory: Memory) => Memory | null,
  { also = [] }: { also?: readonly SQL[] } = {},
): Promise<Memory | null> {
  const before = await findMemory(db, tenant, id);
  const after = before === null ? null : change(before);
  if (before === null || after === null) return before;
  const identity = await identityOf(tenant, after);
  await runBatch(db, [
    ...standsAs(tenant, [before]),
    ...changeStatements(tenant, { before, after, identity }),
    ...also,
  ]);
  return after;
}

export function changeMemory(...given: Parameters<typeof tryChange>): Promise<Memory | null> {
  return retryConflicts(() => tryChange(...given));
}

/** Many at once, a batch for some; gives those that changed. */
export async function changeMemories(
  db: Database,
  tenant: string,
  ids: readonly string[],
  change: (memory: Memory) => Memory | null,
): Promise<Memory[]> {
  const write = async (memories: readonly Memory[]) => {
    const changes = await Promise.all(
      memories.flatMap((before) => {
        const after = change(before);
        if (after === null) return [];
        return identityOf(tenant, after).then((identity) => ({ before, after, identity }));
      }),
    );
    const read = changes.map(({ before }) => before);
    await runBatch(db, [
      ...standsAs(tenant, read),
      ...changes.flatMap((one) => changeStatements(tenant, one)),
    ]);
    return changes.map(({ after }) => after);
  };
  const changed: Memory[] = [];
  for (let at = 0; at < ids.length; at += LIMITS.commitBatch) {
    for (const piece of splitIntoChunks(
      await findMemories(db, tenant, ids.slice(at, at + LIMITS.commitBatch)),
    )) {
      const again = () =>
        findMemories(
          db,
          tenant,
          piece.map(({ id }) => id),
        );
      changed.push(...(await writeOptimistically(piece, again, write)));
    }
  }
  return changed;
}

/** Abort the batch when one of them is no longer as it was read. Being recalled is no change. */
export function standsAs(tenant: string, read: readonly Memory[]): SQL[] {
  const same = (column: keyof NewRow) => `m.${column} IS j.value ->> '$.${column}'`;
  return splitIntoChunks(read.map((memory) => toRow(tenant, "", memory))).map((rows) =>
    assertThat(sql`count(*) = ${rows.length} FROM json_each(${JSON.stringify(rows)}) j
      CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id'
      WHERE ${sql.raw([...CHANGED, "live" as const].map(same).join(" AND "))}`),
  );
}

const CHANGED = [
  "type",
  "content",
  "confidence",
  "importance",
  "rationale",
  "topic_key",
  "evidence",
  "properties",
] as const satisfies readonly (keyof NewRow)[];

/** What differs between the two, as statements. Accesses are added, because a recall may count one at the same time. */
export function changeStatements(tenant: string, { before, after, identity }: Change): SQL[] {
  const was = new Map(toTriples(before).map((triple) => [keyOf(triple), triple]));
  const is = new Map(toTriples(after).map((triple) => [keyOf(triple), triple]));
  const gone = [...was].flatMap(([key, triple]) => (is.has(key) ? [] : [triple]));
  const come = [...is].flatMap(([key, triple]) => (was.has(key) ? [] : [triple]));
  if (gone.length === 0 && come.length === 0) return [];
  const row = toRow(tenant, identity, { ...after, properties: asTriplesTell(before, after) });
  const reads = before.content !== after.content || before.rationale !== after.rationale;
  return [
    ...splitIntoChunks(gone).map((triples) => deleteTriples(tenant, triples)),
    ...splitIntoChunks(come).map((triples) => insertTriples(tenant, triples)),
    sql`UPDATE memories SET identity = ${identity}, type = ${row.type}, content = ${row.content},
        confidence = ${row.confidence}, importance = ${row.importance}, rationale = ${row.rationale},
        topic_key = ${row.topic_key}, evidence = ${row.evidence}, properties = ${row.properties}
      WHERE tenant = ${tenant} AND id = ${row.id}`,
    ...(reads ? [indexRows(tenant, [row])] : []),
    ...(before.content !== after.content || before.type !== after.type
      ? [queueVectors(tenant, "memory", idList([row.id]))]
      : []),
  ];
}

/** In the order in which the triples give them back: what stays where it was, what comes behind it. */
function asTriplesTell(before: Memory, after: Memory): Memory["properties"] {
  const stays = Object.entries(before.properties).flatMap(([name, values]) => {
    const kept = values.filter((value) => after.properties[name]?.includes(value));
    return kept.length === 0 ? [] : [[name, kept] as const];
  });
  const told: Memory["properties"] = Object.fromEntries(stays);
  for (const [name, values] of Object.entries(after.properties))
    told[name] = [...new Set([...(told[name] ?? []), ...values])];
  return told;
}

function keyOf({ predicate, object }: Triple): string {
  return `${predicate} ${object}`;
}

export type Merge = { keep: string; others: readonly string[]; at: string };

/** What the others rest on and how often they were of use goes to the one that stays. Gives those that gave way. */
export function mergeMemories(db: Database, tenant: string, { keep, others, at }: Merge): Promise<string[]> {
  return retryConflicts(async () => {
    const found = await findMemories(db, tenant, [keep, ...others]);
    const before = found.find(({ id }) => id === keep);
    const gone = found.filter((memory) => memory.id !== keep && getMemoryStatus(memory) === "live");
    if (before === undefined || getMemoryStatus(before) !== "live" || gone.length === 0) return [];
    const evidence = [...new Set([before, ...gone].flatMap((memory) => memory.evidence))];
    const after = { ...before, evidence };
    await runBatch(db, [
      ...standsAs(tenant, [before, ...gone]),
      ...changeStatements(tenant, { before, after, identity: await identityOf(tenant, after) }),
      ...gone
        .filter(({ access_count }) => access_count > 0)
        .flatMap(({ access_count: uses, last_accessed: last }) => addUses(tenant, keep, { uses, last })),
      ...supersedeMemories(
        tenant,
        gone.map(({ id }) => ({ id: keep, old: id, valid_from: at })),
      ),
    ]);
    return gone.map(({ id }) => id);
  });
}
