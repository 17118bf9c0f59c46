// Compaction after erasures. The segments of a text index keep the words of deleted rows until they are merged, and a
// SQLite file keeps deleted text in its pages. An erasure requests compaction in its own batch, so that it survives a
// crash. What is done is noted apart for text indexes and for files, which only a local service can compact.
import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "./d1";

export type CompactionState = {
  requested: number;
  done: number;
  database_done: number;
  objects_done: number;
  sessions_requested: number;
  sessions_done: number;
};

const TEXT_INDEXES = ["memories_fts", "messages_fts", "episodes_fts", "items_fts"] as const;

/** The steps in which one call merges an index. Each writes a fifteenth of it, and at least so many pages. */
const MERGE_STEPS = 20;
const MIN_MERGED_PAGES = 1_000;

/** Requests compaction, within the batch of an erasure. */
export const requestCompaction: SQL = sql`UPDATE compaction SET requested = requested + 1`;

/** Requests compaction of the files of sessions, after a deletion that the database has no part in. */
export async function requestSessionCompaction(db: Database): Promise<void> {
  await runBatch(db, [sql`UPDATE compaction SET sessions_requested = sessions_requested + 1`]);
}

export async function readCompaction(db: Database): Promise<CompactionState> {
  const [state] = await readAll<CompactionState>(
    db,
    sql`SELECT requested, done, database_done, objects_done, sessions_requested, sessions_done FROM compaction`,
  );
  if (state === undefined) throw new Error("The table compaction has no row.");
  return state;
}

/** Notes that the text indexes are compacted as far as it was requested before. */
export async function finishTextIndexes(db: Database, { requested }: CompactionState): Promise<void> {
  await runBatch(db, [sql`UPDATE compaction SET done = max(done, ${requested})`]);
}

/** Notes the same for the file of the database. */
export async function finishDatabaseFile(db: Database, { requested }: CompactionState): Promise<void> {
  await runBatch(db, [sql`UPDATE compaction SET database_done = max(database_done, ${requested})`]);
}

/** Notes the same for the files of all objects, or of sessions alone. */
export async function finishObjectFiles(
  db: Database,
  { requested, sessions_requested }: CompactionState,
  { sessionsOnly }: { sessionsOnly: boolean },
): Promise<void> {
  await runBatch(db, [
    sql`UPDATE compaction SET sessions_done = max(sessions_done, ${sessions_requested})`,
    ...(sessionsOnly ? [] : [sql`UPDATE compaction SET objects_done = max(objects_done, ${requested})`]),
  ]);
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
