// Erases memories from the vector index, the triples, the read model and the text index, and counts the deletions.

import { type SQL, sql } from "drizzle-orm";
import { requestCompaction } from "../../kernel/databases/compaction";
import { readAll, retryConflicts, runBatch, splitIntoChunks } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { describeDefect, unavailable } from "../../kernel/errors";
import { queueMemoryEvents, runEventBatch } from "../../kernel/queue-events";
import type { StoreContext } from "../../kernel/store-context";
import type { VectorKind } from "../../kernel/tables";
import { MINUTE_MS } from "../../kernel/time";
import { selectEnd } from "../history/memory-history";
import { deleteVersions, eraseFromVersions } from "../history/record-versions";
import { PROPERTY_PREDICATES } from "../links/link-triples";
import { deleteUsage } from "../usage/usage-counts";
import { assertUnchanged } from "./change-memories";
import { buildMemoryEntry, indexMemoryEntries, selectFollowers } from "./memory-entry";
import { fromMemoryRow, type MemoryRow } from "./memory-mapping";
import { removeTargets } from "./memory-relations";
import { queueRedactions } from "./quotation-repository";
import { queueVectors, selectIds } from "./vector-queue";

export type ErasedMemories = { memories: number; triples: number; links: number; vectors: number };

/** `also` ends the batch. `outdated` selects the ids of further memories whose index entries have erased text. */
type EraseOptions = { also?: readonly SQL[]; outdated?: SQL };

/**
 * Erases the memories that `which` selects (a SELECT of ids) with their links and vectors. A memory that an erased one
 * had superseded or invalidated does not become live again: it is marked forgotten instead. Memories that are indexed
 * with an erased one as their context are indexed again.
 */
export async function eraseMemories(
  context: StoreContext,
  which: SQL,
  options: EraseOptions = {},
): Promise<ErasedMemories> {
  return retryConflicts(() => tryEraseMemories(context, which, options));
}

/** As `eraseMemories`. Throws WriteConflict if another write comes between, or if an assertion in `also` fails. */
export async function tryEraseMemories(
  context: StoreContext,
  which: SQL,
  options: EraseOptions = {},
): Promise<ErasedMemories> {
  const vectors = await eraseVectors(context, "memory", which, (ids) => context.forgetUsage("memory", ids));
  return { ...(await eraseRows(context, which, options)), vectors };
}

async function eraseRows(
  context: StoreContext,
  which: SQL,
  { also = [], outdated }: EraseOptions,
): Promise<Omit<ErasedMemories, "vectors">> {
  const { db, tenant, now } = context;
  const at = now();
  const followers = sql`SELECT id FROM (${selectFollowers(tenant, which)}${outdated === undefined ? sql`` : sql` UNION ${outdated}`})`;
  const reindexed = await readAll<MemoryRow>(
    db,
    sql`SELECT * FROM memories WHERE tenant = ${tenant} AND id IN (${followers}) AND id NOT IN (${which})`,
  );
  const kept = reindexed.map(fromMemoryRow);
  const entries = kept.map((memory) => ({ id: memory.id, ...buildMemoryEntry(tenant, memory) }));
  const keptIds = JSON.stringify(kept.map(({ id }) => id));
  const ids = sql`(${which})`;
  const subjects = sql`(SELECT 'jido:memory_' || id FROM ${ids})`;
  const pointing = sql`FROM triples WHERE tenant = ${tenant} AND object_key IN ${subjects} AND datatype = ''`;
  // The ends of a Link describe a linking triple: they are deleted with it and not counted as further links.
  const isEnd = sql`predicate IN ('jido:linkFrom', 'jido:linkTo')`;
  const isRelation = sql`predicate IN (SELECT value FROM json_each(${JSON.stringify(PROPERTY_PREDICATES)}))`;
  const orphans = sql`memories WHERE tenant = ${tenant} AND id NOT IN ${ids} AND id IN (
    SELECT substr(subject, ${"jido:memory_".length + 1}) ${pointing} AND predicate IN ('jido:supersededBy', 'jido:invalidatedBy'))`;

  const [rows] = await runEventBatch(context, [
    sql`SELECT
      (SELECT count(*) FROM ${ids}) AS memories,
      (SELECT count(*) FROM triples WHERE tenant = ${tenant} AND subject IN ${subjects}) AS triples,
      (SELECT count(*) ${pointing} AND subject NOT IN ${subjects} AND NOT ${isEnd}) AS links`,
    assertThat(sql`NOT EXISTS (SELECT 1 FROM (${followers})
      WHERE id NOT IN (${which}) AND id NOT IN (SELECT value FROM json_each(${keptIds})))`),
    ...assertUnchanged(tenant, kept),
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
        SELECT ${tenant}, 'jido:memory_' || id, 'jido:forgottenAt', ${at}, 'xsd:dateTime' FROM ${orphans} AND forgotten_at IS NULL`,
    // The estimate of an end that is not recorded reads the memory that is erased.
    sql`UPDATE memories SET ended_at = ${selectEnd("memories")}, forgotten_at = coalesce(forgotten_at, ${at}),
          superseded_by = iif(superseded_by IN ${ids}, NULL, superseded_by),
          invalidated_by = iif(invalidated_by IN ${ids}, NULL, invalidated_by)
        WHERE seq IN (SELECT seq FROM ${orphans})`,
    removeTargets(
      tenant,
      ids,
      sql`SELECT substr(subject, ${"jido:memory_".length + 1}) ${pointing} AND ${isRelation}`,
    ),
    eraseFromVersions(tenant, ids),
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject IN (SELECT subject ${pointing} AND ${isEnd})`,
    sql`DELETE ${pointing}`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject IN ${subjects}`,
    sql`DELETE FROM memories_fts WHERE rowid IN (SELECT seq FROM memories WHERE tenant = ${tenant} AND id IN ${ids})`,
    // A vector that was written again meanwhile has no memory any more: the indexer removes it.
    queueVectors(tenant, "memory", which),
    ...queueRedactions(tenant, ids),
    deleteVersions(tenant, ids),
    requestCompaction,
    sql`DELETE FROM skill_proposals WHERE tenant = ${tenant} AND pattern_id IN ${ids}`,
    queueMemoryEvents(tenant, "memory.erased", which, { at }),
    deleteUsage(tenant, "memory", which),
    recordCreators(tenant, ids, at),
    sql`DELETE FROM memories WHERE tenant = ${tenant} AND id IN ${ids}`,
    sql`DELETE FROM operations WHERE tenant = ${tenant} AND quotes = 1`,
    ...also,
    ...splitIntoChunks(entries).map((chunk) => indexMemoryEntries(tenant, chunk)),
    queueVectors(tenant, "memory", selectIds(entries.map(({ id }) => id))),
  ]);
  const [counts] = (rows ?? []) as Omit<ErasedMemories, "vectors">[];
  return counts ?? { memories: 0, triples: 0, links: 0 };
}

/** Keeps the operations that the rows of memories record: a repeated one must not create an erased memory again. */
function recordCreators(tenant: string, ids: SQL, at: string): SQL {
  return sql`INSERT OR IGNORE INTO operations (tenant, op, fingerprint, response, created_at)
    SELECT tenant, op, '', json_object('memory_id', id, 'deduplicated', json('false')), ${at}
    FROM memories WHERE tenant = ${tenant} AND id IN ${ids} AND op IS NOT NULL`;
}

/** The time after which the indexer restores the vectors of an erasure that was not completed. */
const ERASURE_GRACE_MS = MINUTE_MS;

/**
 * Removes the vectors that `which` selects (a SELECT of ids in the vector index) and returns how many there were. They
 * are queued first: if a later step fails, the indexer restores the index to the state of the store. An earlier entry of
 * the backlog may have a vector written again before its row is erased; the entry of that batch removes it. `also` removes
 * them from another object at the same time.
 */
export async function eraseVectors(
  { db, tenant, now, removeVectors }: StoreContext,
  kind: VectorKind,
  which: SQL,
  also: (ids: string[]) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const dueAt = Date.parse(now()) + ERASURE_GRACE_MS;
  const results = await runBatch(db, [queueVectors(tenant, kind, which, dueAt), which]);
  const ids = ((results.at(-1) ?? []) as { id: string }[]).map(({ id }) => id);
  if (ids.length === 0) return 0;
  try {
    const [removed] = await Promise.all([removeVectors(kind, ids), also(ids)]);
    return removed;
  } catch (error) {
    console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
    throw unavailable("The vector index did not answer.", "Nothing was erased; send the same call again.");
  }
}
