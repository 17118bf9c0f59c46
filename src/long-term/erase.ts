// Erasure: memories leave the triples, the read model and the text index, and the receipt counts what left. Their
// vectors are erased first, by erase-vectors.ts.
import { type SQL, sql } from "drizzle-orm";
import { batch, type Database } from "./database";
import { queueVectors } from "./vector-queue";

export type ErasedMemories = { memories: number; triples: number; links: number };

/**
 * Erases the memories that `which` selects (a SELECT of ids). What an erased memory had superseded is never
 * live again: it loses the link to what is gone and is marked forgotten instead.
 */
export async function eraseMemories(
  db: Database,
  tenant: string,
  which: SQL,
  { at, also = [] }: { at: string; also?: readonly SQL[] },
): Promise<ErasedMemories> {
  const ids = sql`(${which})`;
  const subjects = sql`(SELECT 'jido:memory_' || id FROM ${ids})`;
  const orphans = sql`FROM memories WHERE tenant = ${tenant} AND superseded_by IN ${ids} AND id NOT IN ${ids} AND forgotten_at IS NULL`;

  const [rows] = await batch(db, [
    sql`SELECT
      (SELECT count(*) FROM ${ids}) AS memories,
      (SELECT count(*) FROM triples WHERE tenant = ${tenant} AND subject IN ${subjects}) AS triples,
      (SELECT count(*) FROM triples WHERE tenant = ${tenant} AND object_key IN ${subjects} AND datatype = '' AND subject NOT IN ${subjects}) AS links`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
        SELECT ${tenant}, 'jido:memory_' || id, 'jido:forgottenAt', ${at}, 'xsd:dateTime' ${orphans}`,
    sql`UPDATE memories SET forgotten_at = coalesce(forgotten_at, ${at}), superseded_by = NULL
        WHERE tenant = ${tenant} AND superseded_by IN ${ids} AND id NOT IN ${ids}`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND object_key IN ${subjects} AND datatype = ''`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject IN ${subjects}`,
    sql`DELETE FROM memories_fts WHERE rowid IN (SELECT seq FROM memories WHERE tenant = ${tenant} AND id IN ${ids})`,
    // Their vectors are gone by now; should one have come back in between, the indexer finds no memory to it.
    queueVectors(tenant, "memory", which),
    sql`DELETE FROM memories WHERE tenant = ${tenant} AND id IN ${ids}`,
    sql`DELETE FROM operations WHERE tenant = ${tenant} AND quotes = 1`,
    ...also,
  ]);
  const [counts] = (rows ?? []) as ErasedMemories[];
  return counts ?? { memories: 0, triples: 0, links: 0 };
}
