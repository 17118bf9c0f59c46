// Changes and merges memories in place: triples, row, text index and embedding backlog in one batch, which aborts if
// another writer was faster.
import { type SQL, sql } from "drizzle-orm";
import { retryConflicts, runBatch, splitIntoChunks, writeOptimistically } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { FailureError } from "../../kernel/errors";
import { runEventBatch } from "../../kernel/queue-events";
import type { StoreContext } from "../../kernel/store-context";
import { isMemoryRelation } from "../../ontology/property-values";
import {
  deleteTriples,
  insertTriples,
  parseInstanceId,
  type Triple,
  toInstanceIri,
} from "../../ontology/triples";
import { outranks } from "../../trust/source-rank";
import { recordVersions } from "../history/record-versions";
import { toRelationLinkId } from "../links/link-triples";
import { getMemoryStatus, type Memory } from "../memory-schemas";
import { addUsage, settleImportance } from "../usage/usage-counts";
import { checkShapes } from "./check-memory";
import { supersedeMemories } from "./forget-memories";
import { computeIdentity } from "./memory-id";
import {
  indexMemoryRows,
  type NewMemoryRow,
  toMemoryRow,
  toMemoryTriples,
  toPropertyName,
  toStoredMemory,
} from "./memory-mapping";
import { findMemories, findMemory } from "./memory-queries";
import {
  assertTargets,
  filterTargets,
  listNewTargets,
  readRelationState,
  refuseCycle,
} from "./memory-relations";
import { queueVectors, selectIds } from "./vector-queue";

export type MemoryChange = { before: Memory; after: Memory; identity: string };

/**
 * Maps a memory to its new state; null leaves it as it is. Only content, ratings, validity and labels change this way:
 * supersession, invalidation and tombstones have statements of their own.
 */
export type MemoryUpdate = (memory: Memory) => Memory | null;

/** Memories read and changed together. */
const CHANGE_BATCH_SIZE = 50;

/** Changes a memory, with further statements in the same batch. Throws WriteConflict if it changed meanwhile. */
export async function tryChangeMemory(
  context: StoreContext,
  id: string,
  update: MemoryUpdate,
  also: readonly SQL[] = [],
): Promise<Memory | null> {
  const { db, tenant, now } = context;
  const before = await findMemory(context, id);
  const updated = before === null ? null : update(before);
  if (before === null || updated === null) return before;
  const after = await settleRelations(context, before, updated);
  await requireShapes(context, before, after);
  const identity = await computeIdentity(tenant, after);
  await runBatch(db, [
    ...assertUnchanged(tenant, [before]),
    ...assertTargets(tenant, [{ ids: [id], targets: listNewTargets(before.properties, after.properties) }]),
    ...buildChangeStatements(tenant, { before, after, identity }, now()),
    ...also,
  ]);
  return after;
}

/** Throws a failure if a change of type, content or properties violates a shape. */
export async function requireShapes(
  { ontology }: StoreContext,
  before: Memory,
  after: Memory,
): Promise<void> {
  if (SHAPED_FIELDS.every((field) => before[field] === after[field])) return;
  const { failure } = await checkShapes(ontology, after, "violation");
  if (failure !== null) throw new FailureError(failure);
}

const SHAPED_FIELDS = ["type", "content", "rationale", "properties"] as const;

/** Leaves out new relations to memories that were erased. Throws a failure if one closes a cycle. */
async function settleRelations(context: StoreContext, before: Memory, after: Memory): Promise<Memory> {
  const targets = listNewTargets(before.properties, after.properties);
  const state = await readRelationState(context, targets);
  const refusal = refuseCycle([before.id], targets, state);
  if (refusal !== null) throw new FailureError(refusal);
  return filterTargets(after, (to) => !state.missingTargets.has(to));
}

export function changeMemory(
  context: StoreContext,
  id: string,
  update: MemoryUpdate,
): Promise<Memory | null> {
  return retryConflicts(() => tryChangeMemory(context, id, update));
}

export async function changeMemories(
  context: StoreContext,
  ids: readonly string[],
  update: MemoryUpdate,
): Promise<Memory[]> {
  const { db, tenant, now } = context;
  const write = async (memories: readonly Memory[]) => {
    const changes = await Promise.all(
      memories.flatMap((before) => {
        const after = update(before);
        if (after === null) return [];
        return computeIdentity(tenant, after).then((identity) => ({ before, after, identity }));
      }),
    );
    const at = now();
    await runBatch(db, [
      ...assertUnchanged(
        tenant,
        changes.map(({ before }) => before),
      ),
      ...changes.flatMap((change) => buildChangeStatements(tenant, change, at)),
    ]);
    return changes.map(({ after }) => after);
  };
  const changed: Memory[] = [];
  for (let start = 0; start < ids.length; start += CHANGE_BATCH_SIZE) {
    const memories = await findMemories(context, ids.slice(start, start + CHANGE_BATCH_SIZE));
    for (const chunk of splitIntoChunks(memories)) {
      const chunkIds = chunk.map(({ id }) => id);
      const readAgain = () => findMemories(context, chunkIds);
      changed.push(...(await writeOptimistically(chunk, readAgain, write)));
    }
  }
  return changed;
}

const CHANGED_COLUMNS = [
  "type",
  "content",
  "confidence",
  "importance",
  "source_type",
  "rationale",
  "topic_key",
  "valid_from",
  "valid_until",
  "evidence",
  "properties",
  "metadata",
  "tags",
] as const satisfies readonly (keyof NewMemoryRow)[];

/** Aborts the batch if a memory differs from its state as read. Usage is ignored: a recall is not a change. */
export function assertUnchanged(tenant: string, read: readonly Memory[]): SQL[] {
  const isSame = (column: keyof NewMemoryRow) => `m.${column} IS j.value ->> '$.${column}'`;
  return splitIntoChunks(read.map((memory) => toMemoryRow(tenant, "", toStoredMemory(memory)))).map((rows) =>
    assertThat(sql`count(*) = ${rows.length} FROM json_each(${JSON.stringify(rows)}) j
      CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id'
      WHERE ${sql.raw([...CHANGED_COLUMNS, "live" as const].map(isSame).join(" AND "))}`),
  );
}

/**
 * Builds the statements that change one state to the other and record the first as a version; none if they are the same.
 * Uses are added, never set, and make no version.
 */
export function buildChangeStatements(
  tenant: string,
  { before, after: changed, identity }: MemoryChange,
  at: string,
): SQL[] {
  const uses = changed.access_count - before.access_count;
  const used = uses > 0 ? addUsage(tenant, before.id, { uses, last: changed.last_accessed }) : [];
  const { access_count, last_accessed } = before;
  const stored = toStoredMemory(before);
  const hasNewImportance = changed.importance !== before.importance;
  const importance = hasNewImportance ? changed.importance : stored.importance;
  const after = { ...changed, access_count, last_accessed, importance };
  const rewritten = findPropertiesLosingValues(before, after);
  const oldTriples = new Map(toMemoryTriples(stored).map((triple) => [getTripleKey(triple), triple]));
  const newTriples = new Map(toMemoryTriples(after).map((triple) => [getTripleKey(triple), triple]));
  const isKept = (key: string, { predicate }: Triple) =>
    oldTriples.has(key) && newTriples.has(key) && !rewritten.has(toPropertyName(predicate));
  const removed = [...oldTriples].flatMap(([key, triple]) => (isKept(key, triple) ? [] : [triple]));
  const added = [...newTriples].flatMap(([key, triple]) => (isKept(key, triple) ? [] : [triple]));
  if (removed.length === 0 && added.length === 0 && !hasNewImportance) return used;
  const row = toMemoryRow(tenant, identity, {
    ...after,
    properties: orderProperties(before, after, rewritten),
  });
  const hasNewText = (["content", "rationale", "valid_from"] as const).some(
    (field) => before[field] !== after[field],
  );
  // A relation that ends takes its Link along.
  const unlinked = removed.flatMap((triple) =>
    newTriples.has(getTripleKey(triple)) ? [] : toLinkIri(triple),
  );
  const hasNewVector = before.content !== after.content || before.type !== after.type;
  // Importance decays every week: its past is not kept.
  const endsState = [...removed, ...added].some(({ predicate }) => predicate !== IMPORTANCE);
  return [
    ...(endsState ? [recordVersions(tenant, selectIds([row.id]), { at })] : []),
    ...splitIntoChunks(removed).map((triples) => deleteTriples(tenant, triples)),
    ...(unlinked.length === 0
      ? []
      : [
          sql`DELETE FROM triples WHERE tenant = ${tenant}
          AND subject IN (SELECT value FROM json_each(${JSON.stringify(unlinked)}))`,
        ]),
    ...splitIntoChunks(added).map((triples) => insertTriples(tenant, triples)),
    sql`UPDATE memories SET identity = ${identity}, type = ${row.type}, content = ${row.content},
        confidence = ${row.confidence}, importance = ${row.importance}, source_type = ${row.source_type},
        rationale = ${row.rationale}, topic_key = ${row.topic_key}, topic_scope = ${row.topic_scope}, valid_from = ${row.valid_from},
        valid_until = ${row.valid_until}, evidence = ${row.evidence}, properties = ${row.properties},
        metadata = ${row.metadata}, tags = ${row.tags}
      WHERE tenant = ${tenant} AND id = ${row.id}`,
    ...(hasNewText ? [indexMemoryRows(tenant, [row])] : []),
    ...(hasNewVector ? [queueVectors(tenant, "memory", selectIds([row.id]))] : []),
    ...(hasNewImportance ? [settleImportance(tenant, "memory", [row.id])] : []),
    ...used,
  ];
}

const IMPORTANCE = "jido:importanceScore";

/** Returns the IRI of the Link that a relation may have; none for any other triple. */
function toLinkIri({ subject, predicate, object }: Triple): string[] {
  const relation = predicate.replace("jido:", "");
  const [from, to] = [parseInstanceId("memory", subject), parseInstanceId("memory", object)];
  if (!isMemoryRelation(relation) || from === null || to === null) return [];
  return [toInstanceIri("link", toRelationLinkId({ from, to, relation }))];
}

function getTripleKey({ predicate, object }: Triple): string {
  return `${predicate} ${object}`;
}

/**
 * Returns the properties that lose a value. All their values are rewritten: a property's position among the others is
 * that of its oldest triple, so deleting that triple alone would leave row and triples in different orders.
 */
function findPropertiesLosingValues(before: Memory, after: Memory): ReadonlySet<string> {
  const losing = Object.entries(before.properties).filter(([name, values]) =>
    values.some((value) => !after.properties[name]?.includes(value)),
  );
  return new Set(losing.map(([name]) => name));
}

/** Orders properties as a rebuild from the triples would: unchanged ones first, rewritten and new ones after them. */
function orderProperties(
  before: Memory,
  after: Memory,
  rewritten: ReadonlySet<string>,
): Memory["properties"] {
  const ordered: Memory["properties"] = Object.fromEntries(
    Object.entries(before.properties).filter(([name]) => !rewritten.has(name)),
  );
  for (const [name, values] of Object.entries(after.properties))
    ordered[name] = [...new Set([...(ordered[name] ?? []), ...values])];
  return ordered;
}

/**
 * Supersedes the other memories by `keep`, which inherits their evidence and usage. Those of a higher rank stay. Returns
 * the superseded ids.
 */
export function mergeMemories(
  context: StoreContext,
  keep: string,
  others: readonly string[],
): Promise<string[]> {
  const { tenant, now, ranks } = context;
  const valid_from = now();
  return retryConflicts(async () => {
    const found = await findMemories(context, [keep, ...others]);
    const before = found.find(({ id }) => id === keep);
    if (before === undefined || getMemoryStatus(before) !== "live") return [];
    const superseded = found.filter(
      (memory) =>
        memory.id !== keep &&
        getMemoryStatus(memory) === "live" &&
        !outranks(ranks, memory.source_type, before.source_type),
    );
    if (superseded.length === 0) return [];
    // Lower-ranked duplicates are superseded; their evidence and usage are not merged.
    const peers = superseded.filter(({ source_type }) => !outranks(ranks, before.source_type, source_type));
    const evidence = [...new Set([before, ...peers].flatMap((memory) => memory.evidence))];
    const after = { ...before, evidence };
    await runEventBatch(context, [
      ...assertUnchanged(tenant, [before, ...superseded]),
      ...buildChangeStatements(
        tenant,
        { before, after, identity: await computeIdentity(tenant, after) },
        valid_from,
      ),
      ...peers
        .filter(({ access_count }) => access_count > 0)
        .flatMap(({ access_count: uses, last_accessed: last }) => addUsage(tenant, keep, { uses, last })),
      ...supersedeMemories(
        tenant,
        superseded.map(({ id: old }) => ({ id: keep, old, valid_from })),
        valid_from,
      ),
    ]);
    return superseded.map(({ id }) => id);
  });
}
