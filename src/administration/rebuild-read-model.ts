// Rebuilds the read models from the triples, one page of subjects at a time, while the service runs.

import { type SQL, sql } from "drizzle-orm";
import {
  insertEpisodeRows,
  type NewEpisodeRow,
  parseEpisodeTriples,
  toEpisodeRow,
} from "../experience/episodes/episode-mapping";
import { type Database, readAll, retryConflicts, runBatch, splitIntoChunks } from "../kernel/databases/d1";
import { assertThat, getSeqRange } from "../kernel/databases/statements";
import { describeDefect } from "../kernel/errors";
import type { VectorKind } from "../kernel/tables";
import { buildMemoryEntry, indexMemoryEntries, selectFollowers } from "../memories/store/memory-entry";
import { computeIdentity } from "../memories/store/memory-id";
import {
  fromMemoryRow,
  insertMemoryRows,
  type MemoryRow,
  type NewMemoryRow,
  parseMemoryTriples,
  toMemoryRow,
} from "../memories/store/memory-mapping";
import { nextQueueSeq, queueVectors, selectIds } from "../memories/store/vector-queue";
import { moveUsage } from "../memories/usage/usage-counts";
import { computeLiteralKey, type Triple } from "../ontology/triples";

/** `skipped` counts subjects whose triples are incomplete: their rows stay as they are, and the subject is logged. */
type RebuildPage = { rebuilt: number; skipped: number; next: RebuildCursor | null };
/** The last subject of the page before. */
export type RebuildCursor = { tenant: string; subject: string };

type TripleRow = Triple & { position: number; tenant: string };

/** A table with its text index, and the prefix of the subjects that it is built from. */
type ReadModel = { table: "memories" | "episodes"; vectorKind: VectorKind; vectorId: string; prefix: string };
const MEMORIES: ReadModel = {
  table: "memories",
  vectorKind: "memory",
  vectorId: "id",
  prefix: "jido:memory_",
};
const EPISODES: ReadModel = {
  table: "episodes",
  vectorKind: "episode",
  vectorId: "vector_id",
  prefix: "jido:evidence_",
};
const READ_MODELS = [MEMORIES, EPISODES];

type RebuiltRow = { tenant: string; model: ReadModel; row: NewMemoryRow | NewEpisodeRow };

/** Rebuilds a page of a tenant, or of all tenants if it is null. The first page also deletes rows without triples. */
export async function rebuildPage(
  db: Database,
  { tenant, after, limit }: { tenant: string | null; after: RebuildCursor | null; limit: number },
): Promise<RebuildPage> {
  // Kept over attempts: a row that the first one inserts is not missing in the second.
  const missing = new Map<string, RebuiltRow>();
  return retryConflicts(async () => {
    if (after === null) for (const model of READ_MODELS) await deleteRowsWithoutTriples(db, tenant, model);
    const rows = await readAll<TripleRow>(db, selectPage(tenant, after, limit));
    const subjects = [...Map.groupBy(rows, (row) => `${row.tenant} ${row.subject}`).values()];
    const read = await Promise.all(subjects.map(readSubject));
    const rebuilt = read.filter((row) => row !== null);
    const numbers = await readRowNumbers(db, rebuilt);
    for (const one of rebuilt) {
      const name = toRowName(one);
      if (!numbers.has(name)) missing.set(name, one);
    }
    for (const group of Map.groupBy(
      rebuilt,
      ({ tenant: owner, model }) => `${model.table} ${owner}`,
    ).values())
      for (const chunk of splitIntoChunks(group)) await replaceRows(db, chunk, rows, numbers);
    // Memories after one that was missing were indexed without it.
    for (const [owner, group] of Map.groupBy(missing.values(), (one) => one.tenant)) {
      const listIds = (wanted: ReadModel) =>
        group.flatMap(({ model, row }) => (model === wanted ? row.id : []));
      await indexFollowers(db, owner, listIds(MEMORIES));
      await runBatch(db, [
        ...moveUsage(owner, "memory", listIds(MEMORIES)),
        ...moveUsage(owner, "episode", listIds(EPISODES)),
      ]);
    }
    const last = subjects.length < limit ? undefined : subjects.at(-1)?.[0];
    return {
      rebuilt: rebuilt.length,
      skipped: subjects.length - rebuilt.length,
      next: last === undefined ? null : { tenant: last.tenant, subject: last.subject },
    };
  });
}

/** What a rebuild keeps of each row that exists, by table, tenant and id: no triple states it. */
type KeptColumns = {
  seq: number;
  op?: string | null;
  activity?: string | null;
  recorded_at?: string | null;
  ended_at?: string | null;
};
type RowNumbers = ReadonlyMap<string, KeptColumns>;

const toRowName = ({ model, tenant, row }: Pick<RebuiltRow, "model" | "tenant"> & { row: { id: string } }) =>
  `${model.table} ${tenant} ${row.id}`;

/** Reads the numbers of existing rows: a row that is rebuilt keeps its place among those of the same time. */
async function readRowNumbers(db: Database, rebuilt: readonly RebuiltRow[]): Promise<RowNumbers> {
  const results = await runBatch(
    db,
    READ_MODELS.map((model) => {
      const wanted = rebuilt
        .filter((one) => one.model === model)
        .map(({ tenant, row }) => ({ tenant, id: row.id }));
      const kept = sql.raw(
        model === MEMORIES ? "m.seq, m.op, m.activity, m.recorded_at, m.ended_at" : "m.seq",
      );
      return sql`SELECT m.tenant, m.id, ${kept} FROM json_each(${JSON.stringify(wanted)}) j
        CROSS JOIN ${toTableNames(model).table} m ON m.tenant = j.value ->> '$.tenant' AND m.id = j.value ->> '$.id'`;
    }),
  );
  return new Map(
    READ_MODELS.flatMap((model, i) =>
      ((results[i] ?? []) as ({ tenant: string; id: string } & KeptColumns)[]).map(
        ({ tenant, id, ...kept }) => [toRowName({ model, tenant, row: { id } }), kept] as const,
      ),
    ),
  );
}

/** Writes the text-index entries of the memories after the given ones again: these are their context. */
async function indexFollowers(db: Database, tenant: string, ids: readonly string[]): Promise<void> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT * FROM memories WHERE tenant = ${tenant} AND id IN (${selectFollowers(tenant, selectIds(ids))})`,
  );
  const entries = rows.map((row) => ({ id: row.id, ...buildMemoryEntry(tenant, fromMemoryRow(row)) }));
  for (const chunk of splitIntoChunks(entries)) await runBatch(db, [indexMemoryEntries(tenant, chunk)]);
}

async function readSubject(triples: readonly TripleRow[]): Promise<RebuiltRow | null> {
  const [{ tenant, subject } = { tenant: "", subject: "" }] = triples;
  try {
    if (subject.startsWith(MEMORIES.prefix)) {
      const memory = parseMemoryTriples(triples);
      return {
        tenant,
        model: MEMORIES,
        row: toMemoryRow(tenant, await computeIdentity(tenant, memory), memory),
      };
    }
    const episode = parseEpisodeTriples(triples);
    return { tenant, model: EPISODES, row: await toEpisodeRow(tenant, episode) };
  } catch (error) {
    console.error(JSON.stringify({ event: "rebuild.skipped", subject, ...describeDefect(error) }));
    return null;
  }
}

function selectPage(tenant: string | null, after: RebuildCursor | null, limit: number) {
  const start = after ?? { tenant: tenant ?? "", subject: "" };
  // The backtick follows the underscore in ASCII, so it ends the range of subjects with the prefix.
  const ranges = READ_MODELS.map(
    ({ prefix }) => sql`(subject >= ${prefix} AND subject < ${prefix.replace(/_$/, "`")})`,
  );
  return sql`SELECT t.position, t.tenant, t.subject, t.predicate, t.object, t.datatype FROM (
      SELECT DISTINCT tenant, subject FROM triples
      WHERE (tenant, subject) > (${start.tenant}, ${start.subject}) ${tenant === null ? sql`` : sql`AND tenant = ${tenant}`}
        AND (${sql.join(ranges, sql` OR `)})
      ORDER BY tenant, subject LIMIT ${limit}
    ) s CROSS JOIN triples t ON t.tenant = s.tenant AND t.subject = s.subject
    ORDER BY t.tenant, t.subject, t.position`;
}

/** Replaces rows of one tenant and table in one batch, which aborts if their triples changed since they were read. */
async function replaceRows(
  db: Database,
  rebuilt: readonly RebuiltRow[],
  read: readonly TripleRow[],
  numbers: RowNumbers,
): Promise<void> {
  const [first] = rebuilt;
  if (first === undefined) return;
  const { tenant, model } = first;
  const replaced = new Set(rebuilt.map(({ row }) => model.prefix + row.id));
  const triples = read.filter((triple) => triple.tenant === tenant && replaced.has(triple.subject));
  const { table, index } = toTableNames(model);
  const which = sql`FROM ${table} WHERE tenant = ${tenant} AND id IN (
    SELECT value FROM json_each(${JSON.stringify(rebuilt.map(({ row }) => row.id))}))`;
  const rows = rebuilt.map((one) => {
    const kept = numbers.get(toRowName(one));
    return kept === undefined ? one.row : { ...one.row, ...kept };
  });
  const memories = model === MEMORIES ? (rows as NewMemoryRow[]) : [];
  const episodes = model === EPISODES ? (rows as NewEpisodeRow[]) : [];
  await runBatch(db, [
    assertThat(sql`count(*) = ${triples.length}
      FROM triples WHERE tenant = ${tenant} AND subject IN (SELECT value FROM json_each(${JSON.stringify([...replaced])}))`),
    ...splitIntoChunks(triples.map(toAssertedTriple)).map((chunk) =>
      assertThat(sql`count(*) = ${chunk.length} FROM json_each(${JSON.stringify(chunk)}) j CROSS JOIN triples t
        ON t.tenant = ${tenant} AND t.subject = j.value ->> '$.subject' AND t.predicate = j.value ->> '$.predicate'
          AND t.object_key = j.value ->> '$.key' AND t.datatype = j.value ->> '$.datatype'
          AND t.position = j.value ->> '$.position'`),
    ),
    queueMissingRows(tenant, model, rebuilt),
    sql`DELETE FROM ${index} WHERE rowid IN (SELECT seq ${which})`,
    sql`DELETE ${which}`,
    ...(memories.length === 0 ? [] : insertMemoryRows(tenant, memories)),
    ...(episodes.length === 0 ? [] : insertEpisodeRows(tenant, episodes)),
  ]);
}

/** Leaves out the text of a long literal, whose key tells it apart. */
function toAssertedTriple({ subject, predicate, object, datatype, position }: TripleRow) {
  const key = datatype === "" ? object : computeLiteralKey(object);
  return { subject, predicate, key, datatype, position };
}

/** Queues the vectors of rows that were missing: the indexer may have removed them together with their rows. */
function queueMissingRows(tenant: string, model: ReadModel, rebuilt: readonly RebuiltRow[]): SQL {
  const ids = rebuilt.map(({ row }) => ("vector_id" in row ? row.vector_id : row.id));
  const { table } = toTableNames(model);
  return queueVectors(
    tenant,
    model.vectorKind,
    sql`SELECT j.value AS id FROM json_each(${JSON.stringify(ids)}) j WHERE NOT EXISTS (
      SELECT 1 FROM ${table} m WHERE m.tenant = ${tenant} AND m.${sql.raw(model.vectorId)} = j.value)`,
  );
}

function toTableNames({ table }: ReadModel) {
  return { table: sql.raw(table), index: sql.raw(`${table}_fts`) };
}

async function deleteRowsWithoutTriples(
  db: Database,
  tenant: string | null,
  model: ReadModel,
): Promise<void> {
  const { table, index } = toTableNames(model);
  const range = tenant === null ? null : getSeqRange(tenant);
  const isInRange = range === null ? sql`true` : sql`rowid > ${range.from} AND rowid < ${range.to}`;
  const orphans = sql`FROM ${table} m WHERE ${tenant === null ? sql`true` : sql`m.tenant = ${tenant}`}
    AND NOT EXISTS (SELECT 1 FROM triples t WHERE t.tenant = m.tenant AND t.subject = ${model.prefix} || m.id)`;
  await runBatch(db, [
    sql`INSERT INTO vector_queue (tenant, kind, seq, id)
      SELECT m.tenant, ${model.vectorKind}, ${nextQueueSeq(sql`m.tenant`, model.vectorKind)} + row_number() OVER (), m.${sql.raw(model.vectorId)} ${orphans}`,
    sql`DELETE FROM ${index} WHERE rowid IN (SELECT m.seq ${orphans})`,
    sql`DELETE FROM ${table} WHERE seq IN (SELECT m.seq ${orphans})`,
    sql`DELETE FROM ${index} WHERE ${isInRange} AND rowid NOT IN (SELECT seq FROM ${table})`,
  ]);
}
