// A plan as the statements of one batch.
import { type SQL, sql } from "drizzle-orm";
import type { Plan } from "./commit-plan";
import { type NewRow, toRow } from "./rows";
import {
  assertThat,
  indexRows,
  insertRows,
  insertTriples,
  recordAccess,
  recordOperations,
  supersedeMemories,
  supersedeTopics,
} from "./statements";
import { type Triple, toTriples } from "./triples";
import { idList, queueVectors } from "./vector-queue";

export function statementsOf(tenant: string, plan: Plan, now: string): SQL[] {
  if (plan.operations.length === 0) return [];
  const statements = [recordOperations(tenant, plan.operations, now)];
  if (plan.created.length > 0) {
    statements.push(
      insertTriples(
        tenant,
        plan.created.flatMap(({ memory }) => toTriples(memory)),
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
  const read = JSON.stringify(merged.map(({ before, identity }) => toRow(tenant, identity, before)));
  const statements: SQL[] = [
    assertThat(sql`count(*) = ${ids.length} FROM json_each(${read}) j CROSS JOIN memories m
      ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id'
      WHERE m.live AND m.confidence = j.value ->> '$.confidence' AND m.importance = j.value ->> '$.importance'
        AND m.rationale IS j.value ->> '$.rationale' AND m.topic_key IS j.value ->> '$.topic_key'
        AND m.evidence = j.value ->> '$.evidence' AND m.properties = j.value ->> '$.properties'`),
    ...recordAccess(tenant, ids, now),
  ];
  const changed = merged.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  for (const { before, after, identity } of changed) {
    const had = toTriples(before).map(key);
    const has = toTriples(after).map(key);
    const gone = toTriples(before).filter((triple) => !has.includes(key(triple)));
    const come = toTriples(after).filter((triple) => !had.includes(key(triple)));
    for (const { subject, predicate } of gone) {
      statements.push(
        sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${subject} AND predicate = ${predicate}`,
      );
    }
    statements.push(insertTriples(tenant, come), updateRow(tenant, toRow(tenant, identity, after)));
    if (before.rationale !== after.rationale)
      statements.push(indexRows(tenant, [toRow(tenant, identity, after)]));
  }
  return statements;
}

function key({ predicate, object }: Triple): string {
  return `${predicate} ${object}`;
}

function updateRow(tenant: string, row: NewRow): SQL {
  return sql`UPDATE memories SET confidence = ${row.confidence}, importance = ${row.importance}, rationale = ${row.rationale},
      topic_key = ${row.topic_key}, evidence = ${row.evidence}, properties = ${row.properties}
    WHERE tenant = ${tenant} AND id = ${row.id}`;
}
