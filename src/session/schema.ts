// The SQLite schema inside a session's object, step by step, as object-schema.ts applies it.

export const SESSION_SCHEMA: readonly string[] = [
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
