// The past of single memories: one as it was at a time, and a chain of supersession with the versions of its memories.
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { readAll, runBatch } from "../../kernel/databases/d1";
import { parseJson } from "../../kernel/json";
import type { StoreContext } from "../../kernel/store-context";
import { memories } from "../../kernel/tables";
import { isValidAt, type Memory } from "../memory-schemas";
import { fromMemoryRow, type MemoryRow, toStoredMemory } from "../store/memory-mapping";
import { selectMemoryRow } from "../usage/usage-counts";
import { VERSIONED_COLUMNS } from "./record-versions";

// Memories as they were at a time. Two clocks: `as_of` is when the service knew something (transaction time), `valid_at`
// when it was true (valid time).

export type Clocks = {
  as_of?: string | undefined;
  valid_at?: string | undefined;
};

/** The columns that end a memory: they are empty while it is live. */
const ENDING_COLUMNS = ["superseded_by", "invalidated_by", "forgotten_at", "forget_reason", "ended_at"];

/**
 * Returns when a row that is not live ended. A row that was lost and rebuilt has no `ended_at`: a deletion has the time
 * of its tombstone, and a supersession that of the successor, or the end of validity if that is later.
 */
export function selectEnd(r: string): SQL {
  return sql.raw(`coalesce(${r}.ended_at, min(${r}.forgotten_at, ${r}.valid_until), max(${r}.valid_until,
      (SELECT coalesce(s.recorded_at, s.timestamp) FROM memories s WHERE s.tenant = ${r}.tenant AND s.id = ${r}.superseded_by)),
    ${r}.valid_until, ${r}.forgotten_at, ${r}.timestamp)`);
}

/**
 * Returns the tables of memories as they were, for a FROM clause: the rows `r`, and for each `at.value`, an array of whether
 * it was live and its version, null if it has not changed since. A table-valued function computes both once per row.
 */
export function joinVersions(asOf: string, version: SQL): SQL {
  return sql`memories r CROSS JOIN json_each(json_array(json_array(r.live = 1 OR ${selectEnd("r")} > ${asOf}, json((
    SELECT ${version} FROM memory_versions v WHERE v.tenant = r.tenant AND v.memory_id = r.id AND v.until > ${asOf}
    ORDER BY v.until LIMIT 1))))) at`;
}

/** Whether a row `r` was stored by then. */
export function wasKnown(asOf: string): SQL {
  return sql`coalesce(r.recorded_at, r.timestamp) <= ${asOf}`;
}

/** Selects the rows of `memories` as they were: the same columns, without those that were stored later. */
export function selectPastMemories(asOf: string): SQL {
  const columns = Object.keys(getTableColumns(memories)).map(
    (column) => `${readColumn(column)} AS ${column}`,
  );
  return sql`SELECT ${sql.raw(columns.join(", "))} FROM ${joinVersions(asOf, sql`v.state`)} WHERE ${wasKnown(asOf)}`;
}

function readColumn(column: string): string {
  const wasLive = "at.value ->> '$[0]'";
  if (column === "live") return wasLive;
  if (ENDING_COLUMNS.includes(column)) return `iif(${wasLive}, NULL, r.${column})`;
  if (!VERSIONED_COLUMNS.some((name) => name === column)) return `r.${column}`;
  const stored = `iif(at.value ->> '$[1]' IS NULL, r.${column}, at.value ->> '$[1].${column}')`;
  if (column !== "valid_until") return stored;
  // An end sets the end of validity. The one before it, if any, is in a version.
  return `iif(${wasLive} AND NOT coalesce(at.value ->> '$[1].live', r.live), NULL, ${stored})`;
}

/** Returns the table of memories, or what stands for it at a time. It takes an alias. */
export function selectMemoryTable({ as_of }: Clocks): SQL {
  return as_of === undefined ? sql.raw("memories") : sql`(${selectPastMemories(as_of)})`;
}

/**
 * Builds the conditions under which a row of memories holds. At a time of validity, a memory that was superseded since holds
 * as well: its validity ended with the supersession. What was forgotten or invalidated does not.
 */
export function buildClockConditions(
  { include_superseded, valid_at }: Pick<Clocks, "valid_at"> & { include_superseded: boolean },
  row: SQL,
): SQL[] {
  if (valid_at === undefined) return include_superseded ? [] : [sql`${row}.live = 1`];
  return [
    sql`coalesce(${row}.valid_from, ${row}.timestamp) <= ${valid_at}`,
    sql`(${row}.valid_until IS NULL OR ${row}.valid_until > ${valid_at})`,
    ...(include_superseded
      ? []
      : [sql`(${row}.live = 1 OR (${row}.superseded_by IS NOT NULL AND ${row}.invalidated_by IS NULL))`]),
  ];
}

/** A state of a memory that a change in place has replaced, with the time in which the service knew it. */
export type MemoryVersion = Memory & { recorded_at: string; recorded_until: string };

/** A memory with its transaction times and its earlier states, oldest first. */
export type RecordedMemory = Memory & {
  /** When it was stored. */
  recorded_at: string;
  /** When it was superseded, forgotten or invalidated; null if it is live. */
  ended_at: string | null;
  versions: MemoryVersion[];
};

/** Returns memories as they were, without those that were stored later. */
export async function findMemoriesAt(
  { db, tenant }: StoreContext,
  ids: readonly string[],
  clocks: Clocks,
): Promise<Memory[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT ${selectMemoryRow("m")} FROM json_each(${JSON.stringify(ids)}) j
      CROSS JOIN ${selectMemoryTable(clocks)} m ON m.tenant = ${tenant} AND m.id = j.value`,
  );
  return rows.map((row) => toMemory(row, clocks));
}

/** Without the importance that use has added since. */
function toMemory(row: MemoryRow, { as_of }: Clocks): Memory {
  const memory = fromMemoryRow(row);
  return as_of === undefined ? memory : toStoredMemory(memory);
}

type ChainRow = MemoryRow & { stored: string; ended: string };
type VersionRow = { memory_id: string; until: string; state: string };

/** Returns the chain of supersession that a memory is part of as it was, oldest first. */
export async function listHistory(
  { db, tenant }: StoreContext,
  id: string,
  clocks: Clocks,
): Promise<RecordedMemory[]> {
  const { as_of, valid_at } = clocks;
  const [rows, versions] = await runBatch(db, [
    sql`${describeChain(tenant, id)}
      SELECT ${selectMemoryRow("m")}, coalesce(m.recorded_at, m.timestamp) AS stored, ${selectEnd("m")} AS ended
      FROM chain CROSS JOIN ${selectMemoryTable(clocks)} m ON m.tenant = ${tenant} AND m.id = chain.id
      ORDER BY steps DESC, m.timestamp, m.id`,
    sql`${describeChain(tenant, id)}
      SELECT v.memory_id, v.until, v.state FROM chain
      CROSS JOIN memory_versions v ON v.tenant = ${tenant} AND v.memory_id = chain.id
      WHERE ${as_of === undefined ? sql`true` : sql`v.until <= ${as_of}`} ORDER BY v.memory_id, v.until`,
  ]);
  const versionsById = Map.groupBy((versions ?? []) as VersionRow[], ({ memory_id }) => memory_id);
  const chain = ((rows ?? []) as ChainRow[]).map(({ stored, ended, ...row }) => ({
    ...toMemory(row, clocks),
    recorded_at: stored,
    ended_at: row.live === 1 ? null : ended,
    versions: readVersions(row, stored, versionsById.get(row.id) ?? []),
  }));
  const connected = keepConnected(chain, id);
  return valid_at === undefined ? connected : connected.filter((memory) => isValidAt(memory, valid_at));
}

/**
 * Builds the CTE `chain (id, steps)`: follows supersession to the newest memory, then collects everything that leads to it,
 * with the number of steps.
 */
function describeChain(tenant: string, id: string): SQL {
  return sql`WITH RECURSIVE
      later (id) AS (
        SELECT ${id}
        UNION SELECT m.superseded_by FROM later CROSS JOIN memories m
          ON m.tenant = ${tenant} AND m.id = later.id WHERE m.superseded_by IS NOT NULL
      ),
      chain (id, steps) AS (
        SELECT m.id, 0 FROM later CROSS JOIN memories m
          ON m.tenant = ${tenant} AND m.id = later.id WHERE m.superseded_by IS NULL
        UNION ALL SELECT m.id, steps + 1 FROM chain CROSS JOIN memories m
          ON m.tenant = ${tenant} AND m.superseded_by = chain.id
      )`;
}

/** The columns that end a memory, as a live one has them. */
export const NOT_ENDED = {
  superseded_by: null,
  invalidated_by: null,
  forgotten_at: null,
  forget_reason: null,
};

function readVersions(row: MemoryRow, stored: string, versions: readonly VersionRow[]): MemoryVersion[] {
  return versions.map(({ until, state }, i) => {
    const columns = parseJson<Partial<MemoryRow>>(state);
    const ended = columns.live === 1 ? NOT_ENDED : {};
    return {
      ...toStoredMemory(fromMemoryRow({ ...row, ...ended, ...columns })),
      recorded_at: versions[i - 1]?.until ?? stored,
      recorded_until: until,
    };
  });
}

/** Leaves out the memories that were not part of the chain yet: a later supersession connects them. */
function keepConnected(chain: readonly RecordedMemory[], id: string): RecordedMemory[] {
  const connected = new Set([id]);
  for (let size = 0; size < connected.size; ) {
    size = connected.size;
    for (const memory of chain) {
      if (connected.has(memory.id) && memory.superseded_by !== null) connected.add(memory.superseded_by);
      if (memory.superseded_by !== null && connected.has(memory.superseded_by)) connected.add(memory.id);
    }
  }
  return chain.filter(({ id: member }) => connected.has(member));
}
