// What was given back and was of use: counted, and of more importance by it, memories and episodes in one batch. Nothing
// of it is read first and nothing aborts, so that many at once do not get in each other's way.
import { type SQL, sql } from "drizzle-orm";
import { batch, type Database } from "./database";
import { recordAccess } from "./statements";
import { decimal } from "./triples";

/** What was used, as it was read. */
export type Uses = { memories: readonly Used[]; episodes: readonly Used[]; at: string };
type Used = { id: string; importance: number };

/** `lift` says what a use does to an importance. */
export async function noteUses(
  db: Database,
  tenant: string,
  { memories, episodes, at }: Uses,
  lift: (importance: number) => number,
): Promise<void> {
  await batch(db, [
    ...(memories.length === 0 ? [] : recordAccess(tenant, idsOf(memories), at)),
    ...liftImportance(tenant, "memories", memories, lift),
    ...(episodes.length === 0 ? [] : recordEpisodeUse(tenant, idsOf(episodes), at)),
    ...liftImportance(tenant, "episodes", episodes, lift),
  ]);
}

function idsOf(used: readonly Used[]): string[] {
  return used.map(({ id }) => id);
}

function recordEpisodeUse(tenant: string, ids: readonly string[], at: string): SQL[] {
  const json = JSON.stringify(ids);
  const subjects = sql`(SELECT 'jido:evidence_' || value FROM json_each(${json}))`;
  const mine = sql`FROM json_each(${json}) j CROSS JOIN episodes e ON e.tenant = ${tenant} AND e.id = j.value`;
  return [
    sql`UPDATE episodes SET usage_count = usage_count + 1, last_used = max(coalesce(last_used, ''), ${at})
      WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${json}))`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject IN ${subjects}
      AND predicate IN ('jido:accessCount', 'jido:lastAccessed')`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:evidence_' || e.id, 'jido:accessCount', e.usage_count, 'xsd:integer' ${mine}`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:evidence_' || e.id, 'jido:lastAccessed', e.last_used, 'xsd:dateTime' ${mine}`,
  ];
}

/** How many others may lift the same thing between its being read and its being written. */
const RUNGS = 16;
const SUBJECTS = { memories: "jido:memory_", episodes: "jido:evidence_" } as const;

/**
 * Lifted importance is a short text, which needs no digest. Where others have lifted it meanwhile, it goes on from there: from each of the values that their lifts lead to, it is
 * known what the next is. Where it was changed otherwise, this lift is left out.
 */
function liftImportance(
  tenant: string,
  table: keyof typeof SUBJECTS,
  used: readonly Used[],
  lift: (importance: number) => number,
): SQL[] {
  if (used.length === 0) return [];
  const rungs = used.flatMap(({ id, importance }) => {
    let from = importance;
    return Array.from({ length: RUNGS }, () => {
      const rung = { id, from, to: lift(from), object: decimal(lift(from)) };
      from = rung.to;
      return rung;
    });
  });
  const reached = sql`WITH reached AS MATERIALIZED (
    SELECT m.seq, ${SUBJECTS[table]} || m.id AS subject, j.value ->> '$.to' AS importance, j.value ->> '$.object' AS object
    FROM json_each(${JSON.stringify(rungs)}) j CROSS JOIN ${sql.raw(table)} m
      ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id' AND m.importance = j.value ->> '$.from')`;
  return [
    sql`${reached} UPDATE triples SET object = reached.object, digest = NULL FROM reached
      WHERE triples.subject = reached.subject AND triples.id IN (
        SELECT t.id FROM reached r CROSS JOIN triples t
          ON t.tenant = ${tenant} AND t.subject = r.subject AND t.predicate = 'jido:importanceScore')`,
    sql`${reached} UPDATE ${sql.raw(table)} AS m SET importance = reached.importance FROM reached
      WHERE m.seq = reached.seq AND m.seq IN (SELECT seq FROM reached)`,
  ];
}
