// What was given back and was of use: counted, and of more importance by it, memories and episodes together. Nothing of
// it is read first and nothing aborts, so that many at once do not get in each other's way.
import { type SQL, sql } from "drizzle-orm";
import { type Database, runBatch } from "../../platform/d1";
import type { StoreContext } from "../store-context";
import { decimal, instance } from "../triples/triples";

type Used = { id: string; importance: number };
type Things = { memories: readonly Used[]; episodes: readonly Used[] };
/** What was used, as it was read. */
export type Uses = Things & { at: string };
/** What a use does to an importance. */
type Lift = (importance: number) => number;

/** How many others may have lifted the same thing since it was read. */
const RUNGS = 16;

export async function noteUses(
  db: Database,
  tenant: string,
  { memories, episodes, at }: Uses,
  lift: Lift,
): Promise<void> {
  const uses = [
    ...recordAccess(tenant, idsOf(memories), at),
    ...recordEpisodeUse(tenant, idsOf(episodes), at),
  ];
  const missed = await liftAll(db, tenant, { memories, episodes }, { lift, rungs: 1, also: uses });
  await liftAll(db, tenant, missed, { lift, rungs: RUNGS, also: [] });
}

function idsOf(used: readonly Used[]): string[] {
  return used.map(({ id }) => id);
}

function recordEpisodeUse(tenant: string, ids: readonly string[], at: string): SQL[] {
  const json = JSON.stringify(ids);
  const mine = sql`FROM json_each(${json}) j CROSS JOIN episodes e ON e.tenant = ${tenant} AND e.id = j.value`;
  return [
    sql`UPDATE episodes SET usage_count = usage_count + 1, last_used = max(coalesce(last_used, ''), ${at})
      WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${json}))`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND predicate IN ('jido:accessCount', 'jido:lastAccessed')
      AND subject IN (SELECT 'jido:evidence_' || value FROM json_each(${json}))`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:evidence_' || e.id, 'jido:accessCount', e.usage_count, 'xsd:integer' ${mine}`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:evidence_' || e.id, 'jido:lastAccessed', e.last_used, 'xsd:dateTime' ${mine}`,
  ];
}

/** Gives those that were no longer as they were read, or as so many lifts less one had made them. */
async function liftAll(
  db: Database,
  tenant: string,
  { memories, episodes }: Things,
  { lift, rungs, also }: { lift: Lift; rungs: number; also: readonly SQL[] },
): Promise<Things> {
  if (memories.length === 0 && episodes.length === 0) return { memories, episodes };
  const results = await runBatch(db, [
    ...also,
    ...liftStatements(tenant, "memories", laddersOf(memories, lift, rungs)),
    ...liftStatements(tenant, "episodes", laddersOf(episodes, lift, rungs)),
  ]);
  const lifted = new Set((results.flat() as { id: string }[]).map(({ id }) => id));
  const missed = ({ id }: Used) => !lifted.has(id);
  return { memories: memories.filter(missed), episodes: episodes.filter(missed) };
}

type Rung = { id: string; from: number; to: number; object: string };

/** From each value that the lifts of others lead to, the next. */
function laddersOf(used: readonly Used[], lift: Lift, rungs: number): Rung[] {
  return used.flatMap(({ id, importance }) => {
    let from = importance;
    return Array.from({ length: rungs }, () => {
      const rung = { id, from, to: lift(from), object: decimal(lift(from)) };
      from = rung.to;
      return rung;
    });
  });
}

const SUBJECTS = { memories: "jido:memory_", episodes: "jido:evidence_" } as const;

/** The triple, and the row, which gives its id. A lifted importance is a short text: it has no digest. */
function liftStatements(tenant: string, table: keyof typeof SUBJECTS, rungs: readonly Rung[]): SQL[] {
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
      WHERE m.seq = reached.seq AND m.seq IN (SELECT seq FROM reached) RETURNING id`,
  ];
}

export function createUsageRepository({ db, tenant }: StoreContext) {
  return {
    /** Counts one use of each memory and episode, and raises its importance with `lift`. */
    record: (used: Uses, lift: Lift) => noteUses(db, tenant, used, lift),
  };
}
/** One more access for each memory, in the read model and in its triples. */

export function recordAccess(tenant: string, ids: readonly string[], at: string): SQL[] {
  const json = JSON.stringify(ids);
  // The subjects are looked up one by one in their index: a join could begin with all the tenant's triples.
  const follow = (property: string, column: string) => sql`UPDATE triples
    SET object = (SELECT m.${sql.raw(column)} FROM memories m
      WHERE m.tenant = ${tenant} AND m.id = substr(triples.subject, ${"jido:memory_".length + 1}))
    WHERE tenant = ${tenant} AND predicate = ${property}
      AND subject IN (SELECT 'jido:memory_' || value FROM json_each(${json}))`;
  return [
    sql`UPDATE memories SET access_count = access_count + 1, last_accessed = max(last_accessed, ${at})
      WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${json}))`,
    follow("jido:accessCount", "access_count"),
    follow("jido:lastAccessed", "last_accessed"),
  ];
}
/** More uses of a memory, the last of them at a time: in its row and in its triples. */

export function addUses(tenant: string, id: string, { uses, last }: { uses: number; last: string }): SQL[] {
  const follow = (property: string, column: string) => sql`UPDATE triples
    SET object = (SELECT m.${sql.raw(column)} FROM memories m WHERE m.tenant = ${tenant} AND m.id = ${id})
    WHERE tenant = ${tenant} AND subject = ${instance("memory", id)} AND predicate = ${property}`;
  return [
    sql`UPDATE memories SET access_count = access_count + ${uses}, last_accessed = max(last_accessed, ${last})
      WHERE tenant = ${tenant} AND id = ${id}`,
    follow("jido:accessCount", "access_count"),
    follow("jido:lastAccessed", "last_accessed"),
  ];
}
