// Access and usage counts of memories and episodes, and the importance that a recall or a use adds. The statements read
// nothing first and never abort, so that concurrent uses do not conflict.
import { type SQL, sql } from "drizzle-orm";
import { FULL_IMPORTANCE, IMPORTANCE_DECIMALS, USE_GAIN } from "../../domain/experience/retention/retention";
import { runBatch } from "../../platform/d1";
import type { StoreContext } from "../store-context";
import { formatDecimal } from "../triples/triples";

/** A memory or an episode with its importance as read. */
type UsedRecord = { id: string; importance: number };
type UsedRecords = { memories: readonly UsedRecord[]; episodes: readonly UsedRecord[] };
/** Maps an importance to the importance after one more use. */
type RaiseImportance = (importance: number) => number;

const MEMORY_PREFIX = "jido:memory_";

/** Concurrent uses of one record that a second attempt accounts for. */
const MAX_CONCURRENT_USES = 16;

export function createUsageRepository(context: StoreContext) {
  const { tenant } = context;
  return {
    /** Counts one use of each memory and episode, and raises its importance. */
    async record({ at, ...used }: UsedRecords & { at: string }, raise: RaiseImportance): Promise<void> {
      const counts = [
        ...recordAccess(tenant, listIds(used.memories), at),
        ...recordEpisodeUse(tenant, listIds(used.episodes), at),
      ];
      const outdated = await raiseImportance(context, used, { raise, steps: 1, also: counts });
      await raiseImportance(context, outdated, { raise, steps: MAX_CONCURRENT_USES, also: [] });
    },
  };
}

function listIds(used: readonly UsedRecord[]): string[] {
  return used.map(({ id }) => id);
}

/**
 * Counts one recall of each memory, and raises its importance: by the first recall, and after that at most once per hour
 * of the clock, so that a loop does not inflate it. Row and triples get the same value, as computed here.
 */
export function recordRecall(tenant: string, ids: readonly string[], at: string): SQL[] {
  const json = JSON.stringify(ids);
  const raised = sql`round(importance + ${USE_GAIN} * (1 - importance), ${IMPORTANCE_DECIMALS})`;
  const isDue = sql`importance < ${FULL_IMPORTANCE} AND (access_count = 0 OR substr(last_accessed, 1, ${HOUR_CHARS}) < substr(${at}, 1, ${HOUR_CHARS}))`;
  return [
    // Before the row, which then no longer shows whether it was due.
    sql`UPDATE triples SET digest = NULL, object = (SELECT ${raised} FROM memories m
        WHERE m.tenant = ${tenant} AND m.id = substr(triples.subject, ${MEMORY_PREFIX.length + 1}))
      WHERE tenant = ${tenant} AND predicate = 'jido:importanceScore' AND subject IN (
        SELECT ${MEMORY_PREFIX} || m.id FROM json_each(${json}) j CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value
        WHERE ${isDue})`,
    ...addAccesses(tenant, ids, {
      uses: 1,
      last: at,
      also: sql`, importance = iif(${isDue}, ${raised}, importance)`,
    }),
  ];
}

/** The length of an ISO timestamp up to its hour. */
const HOUR_CHARS = "2026-01-01T00".length;

/** Counts one access of each memory, in its row and in its triples. */
export function recordAccess(tenant: string, ids: readonly string[], at: string): SQL[] {
  return addAccesses(tenant, ids, { uses: 1, last: at });
}

/** Adds uses of a memory, the last of them at `last`, in its row and in its triples. */
export function addUsage(tenant: string, id: string, more: { uses: number; last: string }): SQL[] {
  return addAccesses(tenant, [id], more);
}

/** `also` sets more columns of the row, from their values before. */
function addAccesses(
  tenant: string,
  ids: readonly string[],
  { uses, last, also = sql`` }: { uses: number; last: string; also?: SQL },
): SQL[] {
  const json = JSON.stringify(ids);
  // Subjects are looked up one by one in their index: a join could begin with all triples of the tenant.
  const copyToTriples = (predicate: string, column: string) => sql`UPDATE triples
    SET object = (SELECT m.${sql.raw(column)} FROM memories m
      WHERE m.tenant = ${tenant} AND m.id = substr(triples.subject, ${MEMORY_PREFIX.length + 1}))
    WHERE tenant = ${tenant} AND predicate = ${predicate}
      AND subject IN (SELECT ${MEMORY_PREFIX} || value FROM json_each(${json}))`;
  return [
    // Until its first use, a memory has the time at which it was stored.
    sql`UPDATE memories SET access_count = access_count + ${uses},
        last_accessed = CASE access_count WHEN 0 THEN ${last} ELSE max(last_accessed, ${last}) END${also}
      WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${json}))`,
    copyToTriples("jido:accessCount", "access_count"),
    copyToTriples("jido:lastAccessed", "last_accessed"),
  ];
}

function recordEpisodeUse(tenant: string, ids: readonly string[], at: string): SQL[] {
  const json = JSON.stringify(ids);
  const used = sql`FROM json_each(${json}) j CROSS JOIN episodes e ON e.tenant = ${tenant} AND e.id = j.value`;
  return [
    sql`UPDATE episodes SET usage_count = usage_count + 1, last_used = max(coalesce(last_used, ''), ${at})
      WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${json}))`,
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND predicate IN ('jido:accessCount', 'jido:lastAccessed')
      AND subject IN (SELECT 'jido:evidence_' || value FROM json_each(${json}))`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:evidence_' || e.id, 'jido:accessCount', e.usage_count, 'xsd:integer' ${used}`,
    sql`INSERT INTO triples (tenant, subject, predicate, object, datatype)
      SELECT ${tenant}, 'jido:evidence_' || e.id, 'jido:lastAccessed', e.last_used, 'xsd:dateTime' ${used}`,
  ];
}

/**
 * Raises the importance of each record from its value as read, or from the value after up to `steps - 1` concurrent
 * uses. Returns the records that had none of these values.
 */
async function raiseImportance(
  { db, tenant }: StoreContext,
  { memories, episodes }: UsedRecords,
  { raise, steps, also }: { raise: RaiseImportance; steps: number; also: readonly SQL[] },
): Promise<UsedRecords> {
  if (memories.length === 0 && episodes.length === 0) return { memories, episodes };
  const results = await runBatch(db, [
    ...also,
    ...buildRaises(tenant, "memories", listRaises(memories, raise, steps)),
    ...buildRaises(tenant, "episodes", listRaises(episodes, raise, steps)),
  ]);
  const raised = new Set((results.flat() as { id: string }[]).map(({ id }) => id));
  const isOutdated = ({ id }: UsedRecord) => !raised.has(id);
  return { memories: memories.filter(isOutdated), episodes: episodes.filter(isOutdated) };
}

type Raise = { id: string; from: number; to: number; object: string };

function listRaises(used: readonly UsedRecord[], raise: RaiseImportance, steps: number): Raise[] {
  return used.flatMap(({ id, importance }) => {
    let from = importance;
    return Array.from({ length: steps }, () => {
      const to = raise(from);
      const step = { id, from, to, object: formatDecimal(to) };
      from = to;
      return step;
    });
  });
}

const SUBJECT_PREFIXES = { memories: MEMORY_PREFIX, episodes: "jido:evidence_" } as const;

/** Updates the triple, then the row, and returns its id. An importance is a short text and so has no digest. */
function buildRaises(tenant: string, table: keyof typeof SUBJECT_PREFIXES, raises: readonly Raise[]): SQL[] {
  const reached = sql`WITH reached AS MATERIALIZED (
    SELECT m.seq, ${SUBJECT_PREFIXES[table]} || m.id AS subject, j.value ->> '$.to' AS importance, j.value ->> '$.object' AS object
    FROM json_each(${JSON.stringify(raises)}) j CROSS JOIN ${sql.raw(table)} m
      ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id' AND m.importance = j.value ->> '$.from')`;
  return [
    sql`${reached} UPDATE triples SET object = reached.object, digest = NULL FROM reached
      WHERE triples.tenant = ${tenant} AND triples.subject IN (SELECT subject FROM reached)
        AND triples.subject = reached.subject AND triples.predicate = 'jido:importanceScore'`,
    sql`${reached} UPDATE ${sql.raw(table)} AS m SET importance = reached.importance FROM reached
      WHERE m.seq = reached.seq AND m.seq IN (SELECT seq FROM reached) RETURNING id`,
  ];
}
