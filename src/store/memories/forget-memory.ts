// Forgetting is soft: a replacement or a tombstone, with its reason; the memory stays readable by id.
import { sql } from "drizzle-orm";
import { getMemoryStatus } from "../../domain/memory-status";
import { type Database, retryConflicts, runBatch } from "../../platform/d1";
import { type FailureError, fail, ok, type Result } from "../../platform/errors";
import type { MemoryType } from "../../schemas/session";
import { readOperation } from "../applied-operations";
import { instance } from "../triples/iri";
import type { Triple } from "../triples/memory-triples";
import { idList, queueVectors } from "../vectors/vector-queue";
import { findMemory } from "./memory-queries";
import { insertTriples, recordOperations } from "./memory-statements";
import { assertLive, assertReplaceable, refuseCycle } from "./supersession";

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
