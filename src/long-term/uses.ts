// What was given back and was of use: counted, and of more importance by it, memories and episodes in one batch. Nothing
// of it is read first and nothing aborts, so that many at once do not get in each other's way.
import { type SQL, sql } from "drizzle-orm";
import { batch, type Database } from "./database";
import { toTripleRow } from "./rows";
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
const RUNGS = 1;
const SUBJECTS = { memories: "jido:memory_", episodes: "jido:evidence_" } as const;
const IMPORTANCE = { predicate: "jido:importanceScore", datatype: "xsd:decimal" };

/**
 * Where others have lifted it meanwhile, it goes on from there: from each of the values that their lifts lead to, it is
 * known what the next is. Where it was changed otherwise, this lift is left out.
 */
function liftImportance(
  tenant: string,
  table: keyof typeof SUBJECTS,
  used: readonly Used[],
  lift: (importance: number) => number,
): SQL[] {
  if (used.length === 0) return [];
  const things = used.map(({ id, importance }) => {
    const subject = SUBJECTS[table] + id;
    let from = importance;
    const rungs = Array.from({ length: RUNGS }, () => {
      const rung = { from, to: lift(from) };
      from = rung.to;
      return { ...rung, ...toTripleRow({ subject, ...IMPORTANCE, object: decimal(rung.to) }) };
    });
    return { id, subject, rungs };
  });
  const reached = sql`FROM json_each(${JSON.stringify(things)}) j
    CROSS JOIN ${sql.raw(table)} m ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id'
    CROSS JOIN json_each(j.value, '$.rungs') r ON r.value ->> '$.from' = m.importance`;
  return [
    sql`UPDATE triples SET (object, digest) = (
        SELECT r.value ->> '$.object', r.value ->> '$.digest' ${reached} WHERE j.value ->> '$.subject' = triples.subject)
      WHERE tenant = ${tenant} AND predicate = ${IMPORTANCE.predicate} AND subject IN (SELECT j.value ->> '$.subject' ${reached})`,
    sql`UPDATE ${sql.raw(table)} AS n SET importance = (
        SELECT r.value ->> '$.to' ${reached} WHERE j.value ->> '$.id' = n.id)
      WHERE tenant = ${tenant} AND id IN (SELECT j.value ->> '$.id' ${reached})`,
  ];
}
