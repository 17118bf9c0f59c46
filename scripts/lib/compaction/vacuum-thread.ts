// The thread in which SQLite files are compacted: node:sqlite blocks, and the process must go on reading the Worker's log.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort } from "node:worker_threads";

/** A call of one of the operations below on a file, and its answer. */
export type VacuumCall = { number: number; operation: keyof typeof OPERATIONS; path: string };
export type VacuumAnswer = { number: number; value?: unknown; error?: string };

/** How long an operation waits for statements of the service. */
const BUSY_TIMEOUT_MS = 5_000;

const OPERATIONS = {
  /** Writes the whole file anew, without free pages, and empties its write-ahead log. */
  vacuum(db: DatabaseSync): void {
    db.exec("VACUUM");
    const checkpoint = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (checkpoint?.busy !== 0) throw new Error("The write-ahead log is in use.");
  },

  /** Merges all segments of each text index into one, without the words of deleted rows. */
  mergeTextIndexes(db: DatabaseSync): void {
    const indexes = db
      .prepare("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'")
      .all();
    for (const { name } of indexes) db.exec(`INSERT INTO "${name}" ("${name}") VALUES ('optimize')`);
  },

  /** Returns whether an erasure has requested compaction. A database of another program has no such table. */
  isRequested(db: DatabaseSync): boolean {
    const table = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'compaction'").get();
    if (table === undefined) return false;
    return (
      db
        .prepare(
          `SELECT 1 FROM compaction
            WHERE requested > min(database_done, objects_done) OR sessions_requested > sessions_done`,
        )
        .get() !== undefined
    );
  },

  /** Returns the names of the migrations that wrangler, or this service, has applied. */
  listMigrations(db: DatabaseSync): unknown[] {
    const rows = db.prepare("SELECT name FROM d1_migrations").all();
    return rows.map(({ name }) => name);
  },

  noteFinished(db: DatabaseSync): void {
    db.exec(`UPDATE compaction SET done = requested, database_done = requested, objects_done = requested,
      sessions_done = sessions_requested`);
  },
};

parentPort?.on("message", ({ number, operation, path }: VacuumCall) => {
  parentPort?.postMessage({ number, ...run(operation, path) } satisfies VacuumAnswer);
});

function run(operation: VacuumCall["operation"], path: string): Omit<VacuumAnswer, "number"> {
  try {
    // Opening it would create it.
    if (!existsSync(path)) throw new Error("The file is gone.");
    const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      return { value: OPERATIONS[operation](db) };
    } finally {
      db.close();
    }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
