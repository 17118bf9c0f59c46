// Forgetting is soft: a replacement or a tombstone, with its reason; the memory stays readable by id.
import { type SQL, sql } from "drizzle-orm";
import { getMemoryStatus } from "../../domain/memory-status";
import { type Database, readAll, retryConflicts, runBatch } from "../../platform/d1";
import { type FailureError, fail, ok, type Result } from "../../platform/errors";
import type { MemoryType } from "../../schemas/session";
import { readOperation, recordOperations } from "../operation-log";
import { assertThat } from "../statements";
import type { Triple } from "../triples/triples";
import { insertTriples, instance } from "../triples/triples";
import { idList, queueVectors } from "../vectors/vector-queue";
import { findMemory } from "./memory-queries";

export type ForgetRequest = { memory_id: string; reason: string | null; replacement_id: string | null };
export type Forgotten = { already: boolean; memory_type: MemoryType };

/** Which memories a caller may forget: all of the tenant's, or those its session can see. */
export type Reach = { session_id: string; agent_id: string | null; project_id: string | null } | "tenant";

export async function forgetMemory(
  db: Database,
  tenant: string,
  request: ForgetRequest,
  options: { reach: Reach; now: () => string; operation: { op: string; fingerprint: string } | null },
): Promise<Result<Forgotten>> {
  return retryConflicts(async () => {
    const { memory_id, replacement_id } = request;
    if (options.operation !== null) {
      const earlier = await readOperation<Forgotten>(db, tenant, options.operation);
      if (earlier !== null) return earlier;
    }
    const memory = await findMemory(db, tenant, memory_id);
    if (memory === null || !within(options.reach, memory)) {
      return fail(
        "not_found",
        `Memory not found: ${memory_id}. Check the id; recall lists the ids of what is remembered.`,
      );
    }
    if (replacement_id !== null) {
      const refused = await refuseReplacement(db, tenant, memory_id, replacement_id);
      if (refused !== null) return refused;
    }
    const answer: Forgotten = {
      already: getMemoryStatus(memory) !== "live",
      memory_type: memory.type,
    };
    const at = options.now();
    const statements = answer.already ? [] : retire(tenant, request, at);
    if (options.operation !== null) {
      statements.push(
        recordOperations(tenant, [{ ...options.operation, response: JSON.stringify(answer) }], at),
      );
    }
    await runBatch(db, statements);
    return ok(answer);
  });
}

function within(
  reach: Reach,
  memory: { session_id: string | null; agent_id: string | null; project_id: string | null },
): boolean {
  if (reach === "tenant") return true;
  return (
    memory.session_id === reach.session_id ||
    (reach.agent_id !== null && memory.agent_id === reach.agent_id) ||
    (reach.project_id !== null && memory.project_id === reach.project_id)
  );
}

async function refuseReplacement(
  db: Database,
  tenant: string,
  memoryId: string,
  replacementId: string,
): Promise<{ ok: false; failure: FailureError["failure"] } | null> {
  if (replacementId === memoryId) {
    return fail(
      "conflict",
      `Memory ${memoryId} cannot replace itself. Give the id of another memory, or none.`,
    );
  }
  const replacement = await findMemory(db, tenant, replacementId);
  if (replacement === null) {
    return fail(
      "not_found",
      `Replacement memory not found: ${replacementId}. Remember the replacement first.`,
    );
  }
  return refuseCycle(db, tenant, { old: memoryId, by: replacementId });
}

function retire(tenant: string, { memory_id, reason, replacement_id }: ForgetRequest, at: string) {
  const subject = instance("memory", memory_id);
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
      object: instance("memory", replacement_id),
      datatype: "",
    });
  }
  return [
    ...(replacement_id === null
      ? [assertLive(tenant, memory_id)]
      : assertReplaceable(tenant, { old: memory_id, by: replacement_id })),
    insertTriples(tenant, triples),
    queueVectors(tenant, "memory", idList([memory_id])),
    sql`UPDATE memories SET live = 0, forgotten_at = ${at}, valid_until = ${at}, forget_reason = ${reason}, superseded_by = ${replacement_id}
      WHERE tenant = ${tenant} AND id = ${memory_id}`,
  ];
}

/** `by` takes the place of `old`. */
type Replacement = { old: string; by: string };

export async function refuseCycle(db: Database, tenant: string, { old, by }: Replacement) {
  const successors = await readAll<{ id: string }>(db, successorsOf(tenant, by));
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

/** Two calls at once could each look acyclic and together close a cycle: the batch itself looks again. */
export function assertReplaceable(tenant: string, { old, by }: Replacement): SQL[] {
  return [
    assertLive(tenant, old),
    assertThat(sql`EXISTS (SELECT 1 FROM memories WHERE tenant = ${tenant} AND id = ${by})`),
    assertThat(sql`${old} NOT IN (${successorsOf(tenant, by)})`),
  ];
}

/** Everything that a chain of replacements leads to from here. UNION stops at a repeated id. */
function successorsOf(tenant: string, id: string): SQL {
  return sql`WITH RECURSIVE chain (id) AS (
      SELECT superseded_by FROM memories WHERE tenant = ${tenant} AND id = ${id}
      UNION SELECT m.superseded_by FROM chain CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = chain.id
    ) SELECT id FROM chain WHERE id IS NOT NULL`;
}
/** A memory that takes a topic over: the live ones with the same key in the same scope are superseded by it. */

export type TopicTaker = { id: string; scope: string; key: string; valid_from: string };
export function supersedeTopics(tenant: string, takers: readonly TopicTaker[]): SQL[] {
  return supersede(
    tenant,
    takers,
    sql`m.scope = j.value ->> '$.scope' AND m.topic_key = j.value ->> '$.key'`,
    sql`m.id <> j.value ->> '$.id'`,
  );
}
/** A memory that takes another's place. */

export type Successor = { id: string; old: string; valid_from: string };
export function supersedeMemories(tenant: string, successors: readonly Successor[]): SQL[] {
  return supersede(tenant, successors, sql`m.id = j.value ->> '$.old'`, sql`true`);
}
/** Whatever is live and matches gives way to `id`: in its triples, in its row, and soon in the vector index. */

export function supersede(
  tenant: string,
  by: readonly { id: string; valid_from: string }[],
  matches: SQL,
  unless: SQL,
): SQL[] {
  const json = JSON.stringify(by);
  const superseded = sql`FROM json_each(${json}) j CROSS JOIN memories m
    ON m.tenant = ${tenant} AND ${matches} WHERE m.live AND ${unless}`;
  return [
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:memory_' || m.id, 'jido:validUntil', j.value ->> '$.valid_from', 'xsd:dateTime' ${superseded}`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:memory_' || m.id, 'jido:supersededBy', 'jido:memory_' || (j.value ->> '$.id'), '' ${superseded}`,
    queueVectors(tenant, "memory", sql`SELECT m.id ${superseded}`),
    sql`UPDATE memories AS m SET live = 0, (superseded_by, valid_until) = (
        SELECT j.value ->> '$.id', j.value ->> '$.valid_from' FROM json_each(${json}) j WHERE ${matches})
      WHERE seq IN (SELECT m.seq ${superseded})`,
  ];
}
