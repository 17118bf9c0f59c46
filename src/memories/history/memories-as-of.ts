// Memories as they were at a time. Two clocks: `as_of` is when the service knew something (transaction time), `valid_at`
// when it was true (valid time).
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { memories } from "../../kernel/tables";
import { VERSIONED_COLUMNS } from "./record-versions";

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
