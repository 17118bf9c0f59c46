// Usage counts of memories and episodes: packed rows beside the read model, outside of the triples. A row of a memory or
// an episode has the usage of earlier versions and of its import; the counts here are added to it on reading.
import { type SQL, sql } from "drizzle-orm";
import { retryConflicts, runBatch, splitIntoChunks } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { parseJson } from "../../kernel/json";
import type { StoreContext } from "../../kernel/store-context";
import { applyUse, groupUses, type RecordUse, type UsageTotals, type Use, type UsedKind } from "./apply-use";
import { addRecalls } from "./recall-counts";

/** Uses, the time of the last one, and the importance if use has raised it. */
type PackedUsage = [uses: number, last: string, importance: number | null];

/** A use with its number in the log of its object. */
export type NumberedUse = Use & { number: number };

/** A tenant has 2^33 row numbers in each table. Records with the same number divided by 256 share a row. */
const TENANT_ROWS = 2 ** 33;
const BUCKET_SHIFT = 8;

const USED_KINDS = ["memory", "episode"] as const satisfies readonly UsedKind[];

const TABLES = {
  memory: { table: "memories", count: "access_count", last: "last_accessed" },
  episode: { table: "episodes", count: "usage_count", last: "last_used" },
} as const satisfies Record<UsedKind, object>;

/** Returns an expression for the bucket of a row of `memories` or `episodes`. */
function toBucket(alias: string): string {
  return `((${alias}.seq & ${TENANT_ROWS - 1}) >> ${BUCKET_SHIFT})`;
}

/** Returns an expression for the packed usage of a row of `memories` or `episodes`: a JSON text, or NULL. */
export function selectUsage(kind: UsedKind, alias: string): SQL {
  return sql.raw(`(SELECT u.counts -> ('$."' || ${alias}.id || '"') FROM usage_counts u
    WHERE u.tenant = ${alias}.tenant AND u.kind = '${kind}' AND u.bucket = ${toBucket(alias)})`);
}

/** Returns the columns of a row of `memories` with its usage. */
export function selectMemoryRow(alias: string): SQL {
  return sql`${sql.raw(alias)}.*, ${selectUsage("memory", alias)} AS usage`;
}

/** Returns the columns of a row of `episodes` with its usage. */
export function selectEpisodeRow(alias: string): SQL {
  return sql`${sql.raw(alias)}.*, ${selectUsage("episode", alias)} AS usage`;
}

/** Adds the packed usage, as `selectUsage` returns it, to that of the row. */
export function addPackedUsage<Last extends string | null>(
  base: UsageTotals<Last>,
  packed: string | null | undefined,
): UsageTotals<Last | string> {
  if (packed === null || packed === undefined) return base;
  const [uses, last, importance] = parseJson<PackedUsage>(packed);
  return {
    count: base.count + uses,
    last: base.count > 0 && base.last !== null && base.last > last ? base.last : last,
    importance: importance ?? base.importance,
  };
}

type UsageContext = Pick<StoreContext, "db" | "tenant">;

/** Ids of uses that belong to no record. */
type UnknownRecords = { memories: string[]; episodes: string[] };

export function createUsageRepository(context: UsageContext) {
  return {
    /** Adds the uses of a log to the counts. Those that were added before are left out. */
    apply: (log: string, uses: readonly NumberedUse[]) => applyUses(context, log, uses),
  };
}

type UsedRow = {
  id: string;
  bucket: number;
  count: number;
  last: string | null;
  importance: number;
  usage: string | null;
};

/**
 * Adds uses to the counts and notes the number of the last one, in one batch. It aborts if the counts changed since they
 * were read. Uses up to the noted number are left out: a flush may be repeated because its answer was lost.
 */
async function applyUses(
  { db, tenant }: UsageContext,
  log: string,
  uses: readonly NumberedUse[],
): Promise<UnknownRecords> {
  const groups = { memory: groupUses(uses, "memory"), episode: groupUses(uses, "episode") };
  return retryConflicts(async () => {
    const [noted, ...read] = (await runBatch(db, [
      sql`SELECT number FROM usage_flushes WHERE tenant = ${tenant} AND log = ${log}`,
      ...USED_KINDS.map((kind) => selectUsedRows(tenant, kind, [...groups[kind].keys()])),
    ])) as [{ number: number }[], ...UsedRow[][]];
    const before = noted[0]?.number ?? 0;
    const missing = uses.filter(({ number }) => number > before);
    const last = missing.at(-1);
    const statements = USED_KINDS.flatMap((kind, i) => {
      const added = groupUses(missing, kind);
      const rows = (read[i] ?? []).flatMap((row) => {
        const own = added.get(row.id);
        return own === undefined ? [] : [{ ...row, packed: packUsage(row, own) }];
      });
      return splitIntoChunks(rows.toSorted((a, b) => a.bucket - b.bucket)).flatMap((chunk) => [
        assertUsageUnchanged(tenant, kind, chunk),
        writePacked(tenant, kind, chunk),
      ]);
    });
    // Uses of erased records alone leave no trace.
    if (last !== undefined && statements.length > 0)
      await runBatch(db, [
        ...noteFlush(tenant, log, { before, after: last.number }),
        ...statements,
        ...addRecalls(tenant, missing),
      ]);
    const [memories = [], episodes = []] = USED_KINDS.map((kind, i) => {
      const known = new Set(read[i]?.map(({ id }) => id));
      return [...groups[kind].keys()].filter((id) => !known.has(id));
    });
    return { memories, episodes };
  });
}

/** Aborts if another flush of the same log was noted meanwhile. */
function noteFlush(tenant: string, log: string, { before, after }: { before: number; after: number }): SQL[] {
  return [
    assertThat(
      sql`coalesce((SELECT number FROM usage_flushes WHERE tenant = ${tenant} AND log = ${log}), 0) = ${before}`,
    ),
    sql`INSERT INTO usage_flushes (tenant, log, number) VALUES (${tenant}, ${log}, ${after})
      ON CONFLICT DO UPDATE SET log = excluded.log, number = excluded.number`,
  ];
}

function selectUsedRows(tenant: string, kind: UsedKind, ids: readonly string[]): SQL {
  const { table, count, last } = TABLES[kind];
  return sql`SELECT m.id, ${sql.raw(toBucket("m"))} AS bucket, m.${sql.raw(count)} AS count, m.${sql.raw(last)} AS last,
      m.importance, ${selectUsage(kind, "m")} AS usage
    FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN ${sql.raw(table)} m ON m.tenant = ${tenant} AND m.id = j.value`;
}

function packUsage({ count, last, importance, usage }: UsedRow, uses: readonly RecordUse[]): PackedUsage {
  const base: UsageTotals = { count, last, importance };
  const after = uses.reduce<UsageTotals>(applyUse, addPackedUsage(base, usage));
  return [after.count - count, after.last ?? "", after.importance === importance ? null : after.importance];
}

function assertUsageUnchanged(tenant: string, kind: UsedKind, rows: readonly UsedRow[]): SQL {
  const read = rows.map(({ id, importance, usage }) => ({ id, importance, usage }));
  return assertThat(sql`count(*) = ${rows.length} FROM json_each(${JSON.stringify(read)}) j
    CROSS JOIN ${sql.raw(TABLES[kind].table)} m ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id'
    WHERE m.importance = j.value ->> '$.importance' AND ${selectUsage(kind, "m")} IS j.value ->> '$.usage'`);
}

function writePacked(
  tenant: string,
  kind: UsedKind,
  rows: readonly { id: string; bucket: number; packed: PackedUsage }[],
): SQL {
  const values = rows.map(({ id, bucket, packed }) => ({ id, bucket, packed }));
  return mergeBuckets(sql`SELECT ${tenant}, ${kind}, value ->> '$.bucket',
      jsonb_group_object(value ->> '$.id', jsonb(value -> '$.packed'))
    FROM json_each(${JSON.stringify(values)}) WHERE true GROUP BY 3`);
}

/** Merges buckets (tenant, kind, bucket, counts) into those that are stored; a null removes an id. */
function mergeBuckets(select: SQL): SQL {
  return sql`INSERT INTO usage_counts (tenant, kind, bucket, counts) ${select}
    ON CONFLICT (tenant, kind, bucket) DO UPDATE SET counts = jsonb_patch(counts, excluded.counts)`;
}

/** Counts one access of each memory. It raises no importance. */
export function recordAccess(tenant: string, ids: readonly string[], at: string): SQL[] {
  return ids.length === 0 ? [] : [addUses(tenant, ids, { uses: 1, last: at })];
}

/** Adds uses of a memory, the last of them at `last`. */
export function addUsage(tenant: string, id: string, more: { uses: number; last: string }): SQL[] {
  return [addUses(tenant, [id], more)];
}

/** Reads nothing first and never aborts, so that concurrent uses do not conflict. */
function addUses(
  tenant: string,
  ids: readonly string[],
  { uses, last }: { uses: number; last: string },
): SQL {
  return mergeBuckets(sql`SELECT ${tenant}, 'memory', bucket, jsonb_group_object(id, jsonb_array(
      coalesce(usage ->> 0, 0) + ${uses}, max(coalesce(usage ->> 1, ''), ${last}), usage ->> 2))
    FROM (SELECT m.id, ${sql.raw(toBucket("m"))} AS bucket, ${selectUsage("memory", "m")} AS usage
      FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN memories m ON m.tenant = ${tenant} AND m.id = j.value)
    WHERE true GROUP BY bucket`);
}

/** Drops the importance that use added to a record: its importance was set, with that in it. */
export function settleImportance(tenant: string, kind: UsedKind, ids: readonly string[]): SQL {
  return mergeBuckets(sql`SELECT ${tenant}, ${kind}, bucket, jsonb_group_object(id, jsonb_array(usage ->> 0, usage ->> 1, NULL))
    FROM (SELECT m.id, ${sql.raw(toBucket("m"))} AS bucket, ${selectUsage(kind, "m")} AS usage
      FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN ${sql.raw(TABLES[kind].table)} m ON m.tenant = ${tenant} AND m.id = j.value)
    WHERE usage ->> 2 IS NOT NULL GROUP BY bucket`);
}

/** Deletes the counts of records that are about to be deleted: `which` selects their ids. */
export function deleteUsage(tenant: string, kind: UsedKind, which: SQL): SQL {
  return mergeBuckets(sql`SELECT ${tenant}, ${kind}, bucket, jsonb_group_object(id, NULL)
    FROM (SELECT m.id, ${sql.raw(toBucket("m"))} AS bucket, ${selectUsage(kind, "m")} AS usage
      FROM ${sql.raw(TABLES[kind].table)} m WHERE m.tenant = ${tenant} AND m.id IN (${which}))
    WHERE usage IS NOT NULL GROUP BY bucket`);
}

/**
 * Moves the counts of records whose rows got other numbers to their buckets. Reads all counts of the tenant, because a
 * number that is lost does not tell the bucket.
 */
export function moveUsage(tenant: string, kind: UsedKind, ids: readonly string[]): SQL[] {
  const table = sql.raw(TABLES[kind].table);
  const entries = sql`usage_counts u CROSS JOIN json_each(json(u.counts)) e
    CROSS JOIN ${table} m ON m.tenant = ${tenant} AND m.id = e.key
    WHERE u.tenant = ${tenant} AND u.kind = ${kind} AND u.bucket <> ${sql.raw(toBucket("m"))}
      AND e.key IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return [
    mergeBuckets(sql`SELECT ${tenant}, ${kind}, ${sql.raw(toBucket("m"))}, jsonb_group_object(e.key, jsonb(e.value))
      FROM ${entries} GROUP BY 3`),
    sql`UPDATE usage_counts AS o SET counts = jsonb_patch(o.counts, (
        SELECT jsonb_group_object(e.key, NULL) FROM ${entries} AND u.seq = o.seq))
      WHERE o.seq IN (SELECT u.seq FROM ${entries})`,
  ];
}
