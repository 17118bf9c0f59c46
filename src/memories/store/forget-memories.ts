// Ends the life of memories without deleting them: forgotten with a tombstone, or superseded by another memory. They
// stay readable by id.

import { type SQL, sql } from "drizzle-orm";
import { type Binding, isWithinBinding, OWNER_IDS, type Owner } from "../../kernel/access";
import { SOURCE_TYPES, type SourceType } from "../../kernel/common";
import { readAll, WriteConflict } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { type Failure, fail, ok, type Result } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import { matchOwner } from "../../kernel/match-owner";
import { applyOnce } from "../../kernel/operation-log";
import { queueMemoryEvents, runEventBatch } from "../../kernel/queue-events";
import type { StoreContext } from "../../kernel/store-context";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { insertTriples, type Triple, toInstanceIri } from "../../ontology/triples";
import { outranks } from "../../trust/source-rank";
import { recordPlannedEnds } from "../history/record-versions";
import { getMemoryStatus, type Memory } from "../memory-schemas";
import { MESSAGE_EVIDENCE } from "./memory-entry";
import { findParts, IS_WHOLE } from "./memory-parts";
import { findMemory } from "./memory-queries";
import { queueVectors, selectIds } from "./vector-queue";

export type ForgetRequest = { memory_id: string; reason: string | null; replacement_id: string | null };
export type Forgotten = { already: boolean; memory_type: MemoryType };

/** The memories that a caller may forget. */
export type ForgetLimits = {
  /** The memory belongs to one of these; null for all of the tenant. */
  anyOf: Partial<Owner> | null;
  /** Whether the replacement, too, must belong to one of them. */
  isLimit: boolean;
  /** The source that a model's call speaks for: memories of a higher rank stay. A program acts for its user. */
  actor?: SourceType;
  binding: Binding;
};

type Refusal = { ok: false; failure: Failure };

/**
 * Forgets a live memory in one batch, which checks everything itself. Returns null if it refuses: `forgetMemory` then finds
 * the reason, or forgets a memory in parts.
 */
export async function tryForgetMemory(
  context: StoreContext,
  request: ForgetRequest,
  scope: ForgetLimits,
): Promise<Forgotten | null> {
  const { tenant, now } = context;
  const { memory_id, replacement_id } = request;
  try {
    const [rows] = await runEventBatch(context, [
      sql`SELECT type FROM memories WHERE tenant = ${tenant} AND id = ${memory_id}`,
      assertThat(sql`EXISTS (SELECT 1 FROM memories m WHERE m.tenant = ${tenant} AND m.id = ${memory_id}
        AND ${matchesScope("m", scope)} AND ${IS_WHOLE} AND ${isNoHigher(context, scope)}
        ${replacement_id === null ? sql`` : sql`AND ${hasReplacement(context, replacement_id, scope)}`})`),
      ...buildTombstone(tenant, request, now()),
    ]);
    const [row] = (rows ?? []) as { type: MemoryType }[];
    return row === undefined ? null : { already: false, memory_type: row.type };
  } catch (error) {
    if (error instanceof WriteConflict) return null;
    throw error;
  }
}

/** Whether a row of `memories` is in the scope. */
function matchesScope(row: string, { anyOf, binding }: ForgetLimits): SQL {
  const owned = OWNER_IDS.flatMap((id) => {
    const owner = anyOf?.[id] ?? null;
    return owner === null ? [] : [matchOwner({ [id]: owner }, row)];
  });
  const isOwned = owned.length === 0 ? sql`false` : sql`(${sql.join(owned, sql` OR `)})`;
  return sql`${matchOwner(binding, row)} AND ${anyOf === null ? sql`true` : isOwned}`;
}

/** Whether the source of a row `m` has no higher rank than the actor. */
function isNoHigher({ ranks }: StoreContext, { actor }: ForgetLimits): SQL {
  if (actor === undefined) return sql`true`;
  const higher = SOURCE_TYPES.filter((source) => outranks(ranks, source, actor));
  return sql`m.source_type NOT IN (SELECT value FROM json_each(${JSON.stringify(higher)}))`;
}

/** Whether the replacement is another memory in the scope, of no lower rank than the row `m`. */
function hasReplacement({ tenant, ranks }: StoreContext, id: string, scope: ForgetLimits): SQL {
  const refused = SOURCE_TYPES.flatMap((old) =>
    SOURCE_TYPES.filter((by) => outranks(ranks, old, by)).map((by) => `${old} ${by}`),
  );
  return sql`m.id <> ${id} AND EXISTS (SELECT 1 FROM memories r WHERE r.tenant = ${tenant} AND r.id = ${id}
    AND ${matchesScope("r", scope.isLimit ? scope : { ...scope, anyOf: null })}
    AND m.source_type || ' ' || r.source_type NOT IN (SELECT value FROM json_each(${JSON.stringify(refused)})))`;
}

export async function forgetMemory(
  context: StoreContext,
  request: ForgetRequest,
  { scope, operation }: { scope: ForgetLimits; operation: Idempotency },
): Promise<Result<Forgotten>> {
  const { tenant } = context;
  const { memory_id, replacement_id } = request;
  return applyOnce(context, operation, async (at) => {
    const memory = await findMemory(context, memory_id);
    if (memory === null || !isInScope(memory, scope)) {
      return fail(
        "not_found",
        `Memory not found: ${memory_id}. Check the id; recall lists the ids of what is remembered.`,
      );
    }
    if (replacement_id !== null) {
      const refusal = await refuseReplacement(context, { memory, replacement_id }, scope);
      if (refusal !== null) return refusal;
    }
    const refusal = refuseLowerActor(context, memory, scope);
    if (refusal !== null) return refusal;
    const forgotten: Forgotten = {
      already: getMemoryStatus(memory) !== "live",
      memory_type: memory.type,
    };
    // The parts of a turn are forgotten together.
    const parts = (await findParts(context, [memory])).get(memory_id) ?? [memory];
    const statements = forgotten.already
      ? []
      : parts.flatMap(({ id }) => buildTombstone(tenant, { ...request, memory_id: id }, at));
    return ok({ response: forgotten, statements });
  });
}

function isInScope(memory: Memory, { anyOf, binding }: ForgetLimits): boolean {
  if (!isWithinBinding(binding, memory)) return false;
  return anyOf === null || OWNER_IDS.some((id) => memory[id] !== null && memory[id] === anyOf[id]);
}

async function refuseReplacement(
  context: StoreContext,
  { memory, replacement_id: replacementId }: { memory: Memory; replacement_id: string },
  scope: ForgetLimits,
): Promise<Refusal | null> {
  const { id: memoryId } = memory;
  if (replacementId === memoryId) {
    return fail(
      "conflict",
      `Memory ${memoryId} cannot replace itself. Give the id of another memory, or none.`,
    );
  }
  const replacement = await findMemory(context, replacementId);
  if (replacement === null || !isInScope(replacement, scope.isLimit ? scope : { ...scope, anyOf: null })) {
    return fail(
      "not_found",
      `Replacement memory not found: ${replacementId}. Remember the replacement first.`,
    );
  }
  return (
    refuseLowerRank(context, { old: memory, by: replacement }) ??
    refuseSupersessionCycle(context, { old: memoryId, by: replacementId })
  );
}

/** Returns a failure if the caller's own source has a lower rank than the memory. */
function refuseLowerActor(
  { ranks }: StoreContext,
  { id, source_type }: Memory,
  { actor }: ForgetLimits,
): Refusal | null {
  if (actor === undefined || !outranks(ranks, source_type, actor)) return null;
  return fail(
    "forbidden",
    `Memory ${id} comes from the source "${source_type}", which outranks "${actor}", the source of this call. Ask the user to forget it.`,
  );
}

/** Returns a failure if a memory would be superseded by one of a lower rank. */
export function refuseLowerRank(
  { ranks }: StoreContext,
  { old, by }: Record<"old" | "by", Pick<Memory, "id" | "source_type">>,
): Refusal | null {
  if (!outranks(ranks, old.source_type, by.source_type)) return null;
  return fail(
    "conflict",
    `Memory ${by.id} comes from the source "${by.source_type}" and cannot replace memory ${old.id}, whose source "${old.source_type}" ranks higher. ` +
      "Link the two with contradicts and settle that, forget the memory without a replacement, or remember the new statement as your own.",
  );
}

function buildTombstone(
  tenant: string,
  { memory_id, reason, replacement_id }: ForgetRequest,
  at: string,
): SQL[] {
  const subject = toInstanceIri("memory", memory_id);
  const triples: Triple[] = [
    { subject, predicate: "jido:validUntil", object: at, datatype: "xsd:dateTime" },
    { subject, predicate: "jido:forgottenAt", object: at, datatype: "xsd:dateTime" },
  ];
  if (reason !== null)
    triples.push({ subject, predicate: "jido:forgetReason", object: reason, datatype: "xsd:string" });
  if (replacement_id !== null) {
    triples.push({
      subject,
      predicate: "jido:supersededBy",
      object: toInstanceIri("memory", replacement_id),
      datatype: "",
    });
  }
  return [
    ...(replacement_id === null
      ? [assertLive(tenant, memory_id)]
      : assertCanSupersede(tenant, { old: memory_id, by: replacement_id })),
    recordPlannedEnds(tenant, selectIds([memory_id]), at),
    endValidity(tenant, sql`${subject}`),
    insertTriples(tenant, triples),
    queueVectors(tenant, "memory", selectIds([memory_id])),
    queueMemoryEvents(tenant, "memory.forgotten", selectIds([memory_id]), { at }),
    sql`UPDATE memories SET live = 0, forgotten_at = ${at}, valid_until = ${at}, ended_at = ${at}, forget_reason = ${reason}, superseded_by = ${replacement_id}
      WHERE tenant = ${tenant} AND id = ${memory_id}`,
    markOutdated(tenant, selectIds([memory_id])),
  ];
}

/** `old` is superseded by `by`. */
type Supersession = { old: string; by: string };

/** Returns a failure if `by` is itself superseded by `old`, directly or through others. */
export async function refuseSupersessionCycle(
  { db, tenant }: StoreContext,
  { old, by }: Supersession,
): Promise<Refusal | null> {
  const successors = await readAll<{ id: string }>(db, selectSuccessors(tenant, by));
  if (!successors.some(({ id }) => id === old)) return null;
  return fail(
    "conflict",
    `Memory ${by} is itself superseded by ${old}: that would be a cycle of replacements. Give a memory that does not lead back.`,
  );
}

/** Aborts the batch unless the memory is live. */
export function assertLive(tenant: string, id: string): SQL {
  return assertThat(sql`count(*) = 1 FROM memories WHERE tenant = ${tenant} AND id = ${id} AND live`);
}

/** Aborts the batch unless all of these memories are live and still of the same source, whose rank was compared. */
export function assertSupersedable(
  tenant: string,
  memories: readonly Pick<Memory, "id" | "source_type">[],
): SQL {
  const unique = [...new Map(memories.map((memory) => [memory.id, memory])).values()];
  return assertThat(sql`count(*) = ${unique.length} FROM json_each(${JSON.stringify(unique)}) j CROSS JOIN memories m
    ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id' WHERE m.live = 1 AND m.source_type = j.value ->> '$.source_type'`);
}

/** Checks for a cycle again within the batch: two concurrent calls could each pass the check and together close one. */
export function assertCanSupersede(tenant: string, { old, by }: Supersession): SQL[] {
  return [
    assertLive(tenant, old),
    assertThat(sql`EXISTS (SELECT 1 FROM memories WHERE tenant = ${tenant} AND id = ${by})`),
    assertThat(sql`${old} NOT IN (${selectSuccessors(tenant, by)})`),
  ];
}

/** Selects all direct and indirect successors of a memory. UNION stops at a repeated id. */
function selectSuccessors(tenant: string, id: string): SQL {
  return sql`WITH RECURSIVE chain (id) AS (
      SELECT superseded_by FROM memories WHERE tenant = ${tenant} AND id = ${id}
      UNION SELECT m.superseded_by FROM chain CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = chain.id
    ) SELECT id FROM chain WHERE id IS NOT NULL`;
}

/** A memory that supersedes one other, and since when the service knows that, if not since the time of the write. */
export type Successor = { id: string; old: string; valid_from: string; ended_at?: string };

/** Marks the old memories that are live as superseded, in their triples, their rows and the backlog. */
export function supersedeMemories(tenant: string, successors: readonly Successor[], at: string): SQL[] {
  const json = JSON.stringify(successors);
  const superseded = sql`FROM json_each(${json}) j CROSS JOIN memories m
    ON m.tenant = ${tenant} AND m.id = j.value ->> '$.old' WHERE m.live`;
  return [
    recordPlannedEnds(tenant, sql`SELECT value ->> '$.old' AS id FROM json_each(${json})`, at),
    endValidity(tenant, sql`SELECT 'jido:memory_' || m.id ${superseded}`),
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:memory_' || m.id, 'jido:validUntil', j.value ->> '$.valid_from', 'xsd:dateTime' ${superseded}`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:memory_' || m.id, 'jido:supersededBy', 'jido:memory_' || (j.value ->> '$.id'), '' ${superseded}`,
    queueVectors(tenant, "memory", sql`SELECT m.id ${superseded}`),
    queueMemoryEvents(
      tenant,
      "memory.superseded",
      sql`SELECT m.id AS id, j.value ->> '$.id' AS by ${superseded}`,
      { at, hasSuccessor: true },
    ),
    sql`UPDATE memories AS m SET live = 0, (superseded_by, valid_until, ended_at) = (
        SELECT j.value ->> '$.id', j.value ->> '$.valid_from', coalesce(j.value ->> '$.ended_at', ${at})
        FROM json_each(${json}) j WHERE m.id = j.value ->> '$.old')
      WHERE seq IN (SELECT m.seq ${superseded})`,
    markOutdated(tenant, sql`SELECT value ->> '$.old' FROM json_each(${json})`),
  ];
}

/** Deletes the planned end of validity of memories whose life ends now. */
export function endValidity(tenant: string, subjects: SQL): SQL {
  return sql`DELETE FROM triples WHERE tenant = ${tenant} AND predicate = 'jido:validUntil' AND subject IN (${subjects})`;
}

/**
 * Marks the messages from which an ended memory was extracted, unless a live one rests on them, too. `ended` selects the
 * ids of memories that are no longer live.
 */
export function markOutdated(tenant: string, ended: SQL): SQL {
  return sql`UPDATE messages SET outdated = 1 WHERE seq IN (
    SELECT s.seq FROM memories m CROSS JOIN json_each(m.evidence) e
      CROSS JOIN messages s ON s.tenant = ${tenant} AND s.session_id = m.session_id AND s.id = substr(e.value, ${MESSAGE_EVIDENCE.length + 1})
    WHERE m.tenant = ${tenant} AND m.id IN (${ended}) AND substr(e.value, 1, ${MESSAGE_EVIDENCE.length}) = ${MESSAGE_EVIDENCE}
      AND NOT EXISTS (SELECT 1 FROM memories l CROSS JOIN json_each(l.evidence) f
        WHERE l.tenant = ${tenant} AND l.session_id = m.session_id AND l.live = 1 AND f.value = e.value))`;
}
