// A plan as the statements of one batch.
import type { SQL } from "drizzle-orm";
import { splitIntoChunks } from "../../platform/json-chunks";
import { toTriples } from "../triples/memory-triples";
import { idList, queueVectors } from "../vectors/vector-queue";
import type { Plan } from "./commit-plan";
import { toRow } from "./memory-rows";
import {
  insertRows,
  insertTriples,
  recordAccess,
  recordOperations,
  supersedeMemories,
  supersedeTopics,
} from "./memory-statements";
import { changeStatements, standsAs } from "./update-memory";

export function statementsOf(tenant: string, plan: Plan, now: string): SQL[] {
  if (plan.operations.length === 0) return [];
  const statements = [recordOperations(tenant, plan.operations, now)];
  if (plan.created.length > 0) {
    statements.push(
      ...splitIntoChunks(plan.created.flatMap(({ memory }) => toTriples(memory))).map((triples) =>
        insertTriples(tenant, triples),
      ),
      ...insertRows(
        tenant,
        plan.created.map(({ memory, identity }) => toRow(tenant, identity, memory)),
      ),
      queueVectors(tenant, "memory", idList(plan.created.map(({ memory }) => memory.id))),
    );
  }
  if (plan.merged.length > 0) statements.push(...mergeStatements(tenant, plan.merged, now));
  if (plan.takers.length > 0) statements.push(...supersedeTopics(tenant, plan.takers));
  if (plan.successors.length > 0) statements.push(...supersedeMemories(tenant, plan.successors));
  return statements;
}

/** Aborts when one of them changed since it was read: then its merge must be made again, or be a new life. */
function mergeStatements(tenant: string, merged: Plan["merged"], now: string): SQL[] {
  const ids = merged.map(({ after }) => after.id);
  return [
    ...standsAs(
      tenant,
      merged.map(({ before }) => before),
    ),
    ...recordAccess(tenant, ids, now),
    ...merged.flatMap((change) => changeStatements(tenant, change)),
  ];
}
