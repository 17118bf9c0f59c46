// Relations of a memory to others, which it has as properties. A target that is erased before the relation is written is
// left out, as its erasure would have removed it; and acyclic relations never lead back to the memory.
import { type SQL, sql } from "drizzle-orm";
import { readAll } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { type Failure, fail } from "../../kernel/errors";
import type { StoreContext } from "../../kernel/store-context";
import {
  ACYCLIC_RELATIONS,
  isMemoryRelation,
  MEMORY_RELATIONS,
  type MemoryRelation,
} from "../../ontology/property-values";
import type { Memory } from "../memory-schemas";

type Properties = Memory["properties"];

export type MemoryTarget = { relation: MemoryRelation; to: string };

export function listTargets(properties: Properties): MemoryTarget[] {
  return Object.entries(properties).flatMap(([name, ids]) =>
    isMemoryRelation(name) ? ids.map((to) => ({ relation: name, to })) : [],
  );
}

/** Lists the relations of a memory that it did not have before. */
export function listNewTargets(before: Properties, after: Properties): MemoryTarget[] {
  return listTargets(after).filter(({ relation, to }) => before[relation]?.includes(to) !== true);
}

export function isAcyclic({ relation }: MemoryTarget): boolean {
  return ACYCLIC_RELATIONS.includes(relation);
}

export type RelationState = {
  /** The targets that do not exist. */
  missingTargets: ReadonlySet<string>;
  /** The memories that acyclic relations lead to from each target, itself included. */
  leadsTo: ReadonlyMap<string, ReadonlySet<string>>;
};

export const NO_RELATIONS: RelationState = { missingTargets: new Set(), leadsTo: new Map() };

export async function readRelationState(
  { db, tenant }: StoreContext,
  targets: readonly MemoryTarget[],
): Promise<RelationState> {
  if (targets.length === 0) return NO_RELATIONS;
  const ids = JSON.stringify([...new Set(targets.map(({ to }) => to))]);
  const missing = await readAll<{ id: string }>(
    db,
    sql`SELECT value AS id FROM json_each(${ids})
      WHERE NOT EXISTS (SELECT 1 FROM memories WHERE tenant = ${tenant} AND id = value)`,
  );
  const acyclic = targets.filter(isAcyclic).map(({ to }) => to);
  const reached =
    acyclic.length === 0
      ? []
      : await readAll<{ root: string; id: string }>(db, selectReached(tenant, acyclic));
  return {
    missingTargets: new Set(missing.map(({ id }) => id)),
    leadsTo: new Map(
      [...Map.groupBy(reached, ({ root }) => root)].map(([root, rows]) => [
        root,
        new Set(rows.map(({ id }) => id)),
      ]),
    ),
  };
}

/**
 * Selects the memories that acyclic relations lead to from each root, itself included. The relations of a live memory
 * count; a superseded one leads to its successor. UNION stops at a repeated id.
 */
function selectReached(tenant: string, roots: readonly string[]): SQL {
  return sql`WITH RECURSIVE reached (root, id) AS (
      SELECT value, value FROM json_each(${JSON.stringify(roots)})
      UNION SELECT reached.root, substr(t.object, ${"jido:memory_".length + 1}) FROM reached
        CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = reached.id
        CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = 'jido:memory_' || reached.id
      WHERE iif(m.live, t.predicate IN (SELECT value FROM json_each(${ACYCLIC_PREDICATES})), t.predicate = 'jido:supersededBy')
    ) SELECT root, id FROM reached`;
}

const ACYCLIC_PREDICATES = JSON.stringify(ACYCLIC_RELATIONS.map((name) => `jido:${name}`));

/** Leaves out the relations to memories whose ids do not pass. */
export function filterTargets<T extends { properties: Properties }>(
  memory: T,
  passes: (id: string) => boolean,
): T {
  if (listTargets(memory.properties).every(({ to }) => passes(to))) return memory;
  const kept = Object.entries(memory.properties).flatMap(([name, values]) => {
    const ids = isMemoryRelation(name) ? values.filter(passes) : values;
    return ids.length === 0 ? [] : [[name, ids] as const];
  });
  return { ...memory, properties: Object.fromEntries(kept) };
}

/** Returns a failure if a relation leads to one of `ids`: the memory itself, or those that it supersedes. */
export function refuseCycle(
  ids: readonly string[],
  targets: readonly MemoryTarget[],
  { leadsTo }: RelationState,
  toPath: (relation: MemoryRelation) => string = (relation) => `properties.${relation}`,
): Failure | null {
  for (const { relation, to } of targets) {
    const path = toPath(relation);
    if (ids.includes(to))
      return fail("conflict", `${path}: memory ${to} cannot relate to itself. Give another memory.`, {
        errors: [{ path, message: "must not be the memory itself" }],
      }).failure;
    const met = ACYCLIC_RELATIONS.includes(relation) ? ids.find((id) => leadsTo.get(to)?.has(id)) : undefined;
    if (met !== undefined)
      return fail(
        "conflict",
        `${path}: memory ${to} leads back to ${met}, which would be a cycle. Remove a relation of the cycle first.`,
        { errors: [{ path, message: `must not lead back to the memory: ${to} does` }] },
      ).failure;
  }
  return null;
}

/** Relations that are new to a memory. `ids` are its own and those of the memories that it supersedes. */
export type NewRelations = { ids: readonly string[]; targets: readonly MemoryTarget[] };

/** Aborts the batch if a target does not exist any more, or leads back to its memory by now. */
export function assertTargets(tenant: string, relations: readonly NewRelations[]): SQL[] {
  const all = relations.flatMap(({ ids, targets }) => targets.map((target) => ({ ids, ...target })));
  if (all.length === 0) return [];
  const exists = assertThat(sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(all)}) j
    WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.tenant = ${tenant} AND m.id = j.value ->> '$.to'))`);
  const acyclic = all.filter(isAcyclic);
  if (acyclic.length === 0) return [exists];
  const reached = selectReached(
    tenant,
    acyclic.map(({ to }) => to),
  );
  return [
    exists,
    assertThat(sql`NOT EXISTS (SELECT 1 FROM (${reached}) r
      CROSS JOIN json_each(${JSON.stringify(acyclic)}) j ON j.value ->> '$.to' = r.root
      WHERE r.id IN (SELECT value FROM json_each(j.value, '$.ids')))`),
  ];
}

/** Removes erased memories (a list of ids in SQL) from the properties of those that relate to them. */
export function removeTargets(tenant: string, erased: SQL, relating: SQL): SQL {
  const names = sql`(SELECT value FROM json_each(${JSON.stringify(MEMORY_RELATIONS)}))`;
  return sql`UPDATE memories SET properties = (
      SELECT json_group_object(key, json(kept)) FROM (
        SELECT p.key, iif(p.key IN ${names},
          (SELECT json_group_array(id.value) FROM json_each(p.value) id WHERE id.value NOT IN ${erased}), p.value) AS kept
        FROM json_each(memories.properties) p
      ) WHERE kept <> '[]')
    WHERE tenant = ${tenant} AND id IN (${relating})`;
}
