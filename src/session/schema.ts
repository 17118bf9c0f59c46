// The SQLite schema inside a session's object, with its own versions. A released step is never changed: a
// change is a new step at the end.

const STEPS: readonly string[] = [
  `CREATE TABLE session (id INTEGER PRIMARY KEY CHECK (id = 1), record TEXT NOT NULL);
   CREATE TABLE messages (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, role TEXT NOT NULL, name TEXT,
     content TEXT NOT NULL, timestamp TEXT NOT NULL, token_count INTEGER NOT NULL, tool_calls TEXT, metadata TEXT NOT NULL
   );
   CREATE TABLE context (key TEXT PRIMARY KEY, item TEXT NOT NULL);
   CREATE TABLE pending (id TEXT PRIMARY KEY, item TEXT NOT NULL);
   CREATE TABLE access_log (seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, at INTEGER NOT NULL);
   CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, op TEXT NOT NULL UNIQUE, entry TEXT NOT NULL);
   CREATE TABLE idempotency (
     op TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, response TEXT, created_at INTEGER NOT NULL
   );
   CREATE INDEX idempotency_by_time ON idempotency (created_at);`,
];

/** Whether this object has ever stored anything: reading an unknown session must not create one. */
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
