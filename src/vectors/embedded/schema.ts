// The SQLite schema inside a shard of the embedded index, with its own versions. A released step is never
// changed: a change is a new step at the end.

const STEPS: readonly string[] = [
  `CREATE TABLE shard (
     id INTEGER PRIMARY KEY CHECK (id = 1), dimensions INTEGER NOT NULL, is_full INTEGER NOT NULL
   );
   CREATE TABLE tokens (number INTEGER PRIMARY KEY, token TEXT NOT NULL);
   CREATE TABLE blocks (block INTEGER PRIMARY KEY, ids TEXT NOT NULL, rows BLOB NOT NULL);`,
];

/** Whether this object has ever stored anything: asking an empty index must not create one. */
export function isInitialised({ sql }: DurableObjectStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").toArray().length > 0;
}

/** Brings an object's storage to the newest version. */
export function migrate(storage: DurableObjectStorage): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    sql.exec(
      "CREATE TABLE IF NOT EXISTS schema_version (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)",
    );
    const version =
      sql.exec<{ version: number }>("SELECT version FROM schema_version").toArray()[0]?.version ?? 0;
    if (version >= STEPS.length) return;
    for (const step of STEPS.slice(version)) sql.exec(step);
    sql.exec("INSERT OR REPLACE INTO schema_version (id, version) VALUES (1, ?)", STEPS.length);
  });
}
