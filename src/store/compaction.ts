// Compaction of the database after erasures. The segments of a text index keep the words of deleted rows until they are
// merged, and a SQLite file keeps deleted text in its pages. An erasure requests compaction in its own batch, so that it
// survives a crash.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch, sanitiseErrors } from "../platform/d1";
import {
  buildCopies,
  buildFiller,
  buildRestorations,
  buildRootTables,
  DELETE_FILLER,
  SELECT_TABLES,
  type TableRow,
  toRewritableTable,
} from "../platform/overwrite-pages";

export type CompactionState = { requested: number; done: number; peak_bytes: number };

const TEXT_INDEXES = ["memories_fts", "messages_fts", "episodes_fts", "items_fts"] as const;

/** The steps in which one call merges an index. Each writes a fifteenth of it, and at least so many pages. */
const MERGE_STEPS = 20;
const MIN_MERGED_PAGES = 1_000;

/** Requests compaction, within the batch of an erasure. */
export const requestCompaction: SQL = sql`UPDATE compaction SET requested = requested + 1`;

/** Returns whether compaction is requested, after noting the size of the database. */
export async function readCompaction(db: Database): Promise<CompactionState> {
  const { results, meta } = await sanitiseErrors(() =>
    db.d1.prepare("SELECT requested, done, peak_bytes FROM compaction").all<CompactionState>(),
  );
  const [state = { requested: 0, done: 0, peak_bytes: 0 }] = results;
  if (meta.size_after <= state.peak_bytes) return state;
  await savePeak(db, meta.size_after);
  return { ...state, peak_bytes: meta.size_after };
}

async function savePeak(db: Database, bytes: number): Promise<void> {
  await runBatch(db, [sql`UPDATE compaction SET peak_bytes = max(peak_bytes, ${bytes})`]);
}

/** Notes that everything is compacted that was requested before. */
export async function finishCompaction(db: Database, { requested }: CompactionState): Promise<void> {
  await runBatch(db, [sql`UPDATE compaction SET done = max(done, ${requested})`]);
}

/**
 * Merges the segments of all text indexes, which drops the words of deleted rows. Returns false if more is left than one
 * call merges.
 */
export async function mergeTextIndexes(db: Database): Promise<boolean> {
  let isMerged = true;
  for (const index of TEXT_INDEXES) if (!(await mergeTextIndex(db, index))) isMerged = false;
  return isMerged;
}

type IndexStructure = { structure: string };

async function mergeTextIndex(db: Database, index: string): Promise<boolean> {
  const [size] = await readAll<{ pages: number }>(
    db,
    sql`SELECT count(*) AS pages FROM ${sql.raw(index)}_data`,
  );
  const pages = Math.max(MIN_MERGED_PAGES, Math.ceil((size?.pages ?? 0) / 15));
  const structure = sql`SELECT hex(block) AS structure FROM ${sql.raw(index)}_data WHERE id = 10`;
  for (let step = 0; step < MERGE_STEPS; step += 1) {
    // A negative number starts or continues a merge of all segments into one. Without any left, nothing changes.
    const [before, , after] = (await runBatch(db, [
      structure,
      sql`INSERT INTO ${sql.raw(index)} (${sql.raw(index)}, rank) VALUES ('merge', ${-pages})`,
      structure,
    ])) as IndexStructure[][];
    if (before?.[0]?.structure === after?.[0]?.structure) return true;
  }
  return false;
}

/** More than the write-ahead log of a local database usually holds. */
const MIN_FILLED_BYTES = 16_000_000;

/** Rows that no tenant has, with words of no meaning: enough to fill the root pages of an index, and two more levels. */
const INDEX_FILLER_ROWS = 400;
const INDEX_FILLER_WORDS = 300;

/**
 * Removes deleted text from the file of a local database: from free pages, from the unused part of pages, and from the
 * write-ahead log. Takes time in proportion to the size of the database.
 */
export async function overwriteDeletedText(db: Database, { peak_bytes }: CompactionState): Promise<void> {
  const { d1 } = db;
  const run = (statements: readonly string[]) =>
    sanitiseErrors(() => d1.batch(statements.map((statement) => d1.prepare(statement))));
  let peak = peak_bytes;
  const fill = async () => {
    const bytes = await computeFreeBytes(db, peak);
    const [filled] = await run([buildFiller(bytes), DELETE_FILLER]);
    peak = Math.max(peak, filled?.meta.size_after ?? 0);
    await savePeak(db, peak);
  };
  await fill();
  // The root pages of an index stay: other words take the place of the deleted ones, and are deleted again.
  await run(TEXT_INDEXES.flatMap((index) => [buildIndexFiller(index), buildOptimisation(index)]));
  await fill();
  await run(
    TEXT_INDEXES.flatMap((index) => [
      `DELETE FROM ${index} WHERE rowid <= ${INDEX_FILLER_ROWS}`,
      buildOptimisation(index),
    ]),
  );
  await fill();
  const { results } = await sanitiseErrors(() => d1.prepare(SELECT_TABLES).all<TableRow>());
  // A table with AUTOINCREMENT would lose its counter. It holds no text.
  const tables = results.map(toRewritableTable).filter((table) => !/\bAUTOINCREMENT\b/i.test(table.sql));
  const { meta } = await sanitiseErrors(() => d1.prepare("SELECT 1").run());
  // SQLite takes the page that was freed last: fillers take those of the dropped tables, new tables get clean ones.
  const roots = buildRootTables(tables);
  const rewritten = await run([
    ...buildCopies(tables),
    ...roots.create,
    buildFiller(meta.size_after),
    ...buildRestorations(tables),
    DELETE_FILLER,
    ...roots.drop,
  ]);
  peak = Math.max(peak, ...rewritten.map((result) => result.meta.size_after));
  // The first starts the write-ahead log again, the second overwrites it from its beginning.
  await fill();
  await fill();
}

/** Returns how much is free if the file has this size, and no less than the write-ahead log. */
async function computeFreeBytes({ d1 }: Database, fileBytes: number): Promise<number> {
  const { meta } = await sanitiseErrors(() => d1.prepare("SELECT 1").run());
  return Math.max(MIN_FILLED_BYTES, fileBytes - meta.size_after);
}

function buildIndexFiller(index: string): string {
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${INDEX_FILLER_ROWS}),
      w (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM w WHERE i < ${INDEX_FILLER_WORDS})
    INSERT INTO ${index} (rowid, scope) SELECT n.i, (SELECT group_concat(hex(randomblob(6)), ' ') FROM w WHERE n.i > 0) FROM n`;
}

function buildOptimisation(index: string): string {
  return `INSERT INTO ${index} (${index}) VALUES ('optimize')`;
}
