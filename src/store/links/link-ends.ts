// What a link can lead from and to: memories and episodes, as compact IRIs.
import { type SQL, sql } from "drizzle-orm";
import { toPatternTopicKey } from "../../domain/experience/pattern-memory";
import { type Database, readAll } from "../../platform/d1";
import { objectKey } from "../memories/memory-rows";
import { assertThat } from "../memories/memory-statements";
import { evidenceReference, idOf } from "../triples/iri";

/** What each id stands for: a memory, else the live pattern of that name, else an episode; null for nothing. */
export async function findEnds(
  db: Database,
  tenant: string,
  ids: readonly string[],
): Promise<(string | null)[]> {
  // A name is looked up among the triples: they have an index of topics that does not begin with a scope.
  const asked = ids.map((id) => ({ id, name: toPatternTopicKey(id), key: objectKey(toPatternTopicKey(id)) }));
  const rows = await readAll<{ iri: string | null }>(
    db,
    sql`SELECT coalesce(
        (SELECT 'jido:memory_' || id FROM memories WHERE tenant = ${tenant} AND id = j.value ->> '$.id'),
        (SELECT t.subject FROM triples t CROSS JOIN memories m
            ON m.tenant = ${tenant} AND m.id = replace(t.subject, 'jido:memory_', '')
          WHERE t.tenant = ${tenant} AND t.object_key = j.value ->> '$.key' AND t.predicate = 'jido:topicKey'
            AND t.object = j.value ->> '$.name' AND m.live = 1
          ORDER BY m.timestamp DESC, m.id DESC LIMIT 1),
        (SELECT 'jido:evidence_' || id FROM episodes WHERE tenant = ${tenant} AND id = j.value ->> '$.id')
      ) AS iri FROM json_each(${JSON.stringify(asked)}) j ORDER BY j.key`,
  );
  return rows.map(({ iri }) => iri);
}

/** Whether a memory or an episode that meets a condition is at an IRI (an expression). No id has a colon in it. */
export function endWhere(tenant: string, iri: SQL, condition: SQL): SQL {
  return sql`(EXISTS (SELECT 1 FROM memories WHERE tenant = ${tenant}
      AND id = replace(${iri}, 'jido:memory_', '') AND ${condition})
    OR EXISTS (SELECT 1 FROM episodes WHERE tenant = ${tenant}
      AND id = replace(${iri}, 'jido:evidence_', '') AND ${condition}))`;
}

/** Aborts the batch when one of them has gone. */
export function assertEnds(tenant: string, iris: readonly string[]): SQL[] {
  return iris.map((iri) => assertThat(endWhere(tenant, sql`${iri}`, sql`true`)));
}

export function isMemory(iri: string): boolean {
  return idOf("memory", iri) !== null;
}

/** The id of a memory or an episode, or the reference of other evidence. */
export function endId(iri: string): string {
  return idOf("memory", iri) ?? evidenceReference(iri) ?? iri;
}
