// The SQLite schema of a session's object, as migrations that src/platform/object-migrations.ts applies in order.

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

  // Adds tool_call_id and the tables of cognition. Each space is a row of its own, so that a change touches only that row.
  `ALTER TABLE messages ADD COLUMN tool_call_id TEXT;
   CREATE TABLE memory (id INTEGER PRIMARY KEY CHECK (id = 1), head TEXT NOT NULL);
   CREATE TABLE spaces (
     name TEXT PRIMARY KEY, kind TEXT NOT NULL, rev INTEGER NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL,
     bytes INTEGER NOT NULL
   );
   CREATE TABLE thread (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, at TEXT NOT NULL,
     -- What it says, or the message that does: a message's text is stored once.
     payload TEXT, message INTEGER,
     -- What it tells of, where that has an id of its own: the same thing is told once.
     ref TEXT
   );
   CREATE UNIQUE INDEX thread_by_ref ON thread (kind, ref) WHERE ref IS NOT NULL;
   CREATE TABLE thread_segments (
     first_seq INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, kinds TEXT NOT NULL, entries BLOB NOT NULL
   );
   CREATE TABLE projectors (name TEXT PRIMARY KEY, state TEXT NOT NULL);
   CREATE TABLE items (
     store TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (store, key)
   ) WITHOUT ROWID;
   CREATE TABLE directives (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, request_id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL,
     provider TEXT NOT NULL,
     -- What is to be done; NULL once it is.
     work TEXT,
     attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL DEFAULT 0
   );
   CREATE INDEX directives_waiting ON directives (seq) WHERE work IS NOT NULL;
   CREATE TABLE signals (seq INTEGER PRIMARY KEY AUTOINCREMENT, bytes INTEGER NOT NULL, event TEXT NOT NULL);
   INSERT INTO thread (kind, at, message)
     SELECT CASE role WHEN 'tool' THEN 'tool_result' ELSE 'message' END, timestamp, seq FROM messages ORDER BY seq;`,

  // Adds the expiry of keys and items: `expires` is JSON by key or item id, `expires_at` the earliest of them.
  `ALTER TABLE spaces ADD COLUMN expires TEXT;
   ALTER TABLE spaces ADD COLUMN expires_at INTEGER;
   CREATE INDEX spaces_expiring ON spaces (expires_at) WHERE expires_at IS NOT NULL;
   CREATE TABLE ephemeral_items (
     store TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (store, key)
   ) WITHOUT ROWID;
   CREATE INDEX ephemeral_items_expiring ON ephemeral_items (expires_at);`,
];
