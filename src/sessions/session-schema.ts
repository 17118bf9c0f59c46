// The SQLite schema of a session's object, as steps that src/kernel/object-migrations.ts applies in order.

// Writes are cheap: a row of an index and of sqlite_sequence is billed as any other. No sequence number is used again
// without AUTOINCREMENT, since the newest row of these tables stays, but for the outbox, where it only gives the order. The
// outbox is short, and expired answers are looked for once a day: neither needs an index for that.
export const SESSION_SCHEMA: readonly string[] = [
  `CREATE TABLE session (id INTEGER PRIMARY KEY CHECK (id = 1), record TEXT NOT NULL);
   CREATE TABLE messages (
     seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, role TEXT NOT NULL, name TEXT, content TEXT NOT NULL,
     timestamp TEXT NOT NULL, token_count INTEGER NOT NULL, tool_calls TEXT, metadata TEXT NOT NULL, tool_call_id TEXT
   );
   CREATE TABLE context (key TEXT PRIMARY KEY, item TEXT NOT NULL);
   CREATE TABLE pending (id TEXT PRIMARY KEY, item TEXT NOT NULL);
   CREATE TABLE access_log (seq INTEGER PRIMARY KEY, key TEXT NOT NULL, at INTEGER NOT NULL);
   CREATE TABLE outbox (seq INTEGER PRIMARY KEY, op TEXT NOT NULL, entry TEXT NOT NULL);
   CREATE TABLE idempotency (
     op TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, response TEXT NOT NULL, created_at INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE memory (id INTEGER PRIMARY KEY CHECK (id = 1), head TEXT NOT NULL);
   -- Each space is a row of its own, so that a change touches only that row. expires is JSON by key or item id,
   -- expires_at the earliest of them.
   CREATE TABLE spaces (
     name TEXT PRIMARY KEY, kind TEXT NOT NULL, rev INTEGER NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL,
     bytes INTEGER NOT NULL, expires TEXT, expires_at INTEGER
   ) WITHOUT ROWID;
   CREATE INDEX spaces_expiring ON spaces (expires_at) WHERE expires_at IS NOT NULL;
   CREATE TABLE thread (
     seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, at TEXT NOT NULL,
     -- The content, or the message that has it: the text of a message is stored once.
     payload TEXT, message INTEGER,
     -- The id of what it is about, if that has one: the same is recorded once.
     ref TEXT
   );
   CREATE UNIQUE INDEX thread_by_ref ON thread (kind, ref) WHERE ref IS NOT NULL;
   CREATE TABLE thread_segments (
     first_seq INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, kinds TEXT NOT NULL, entries BLOB NOT NULL
   );
   CREATE TABLE projectors (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE items (
     store TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (store, key)
   ) WITHOUT ROWID;
   CREATE TABLE ephemeral_items (
     store TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (store, key)
   ) WITHOUT ROWID;
   CREATE INDEX ephemeral_items_expiring ON ephemeral_items (expires_at);
   CREATE TABLE directives (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, request_id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL,
     provider TEXT NOT NULL,
     -- What is to be done; NULL once it is done.
     work TEXT,
     attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL DEFAULT 0
   );
   CREATE INDEX directives_waiting ON directives (seq) WHERE work IS NOT NULL;
   CREATE TABLE signals (seq INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, event TEXT NOT NULL);`,
];
