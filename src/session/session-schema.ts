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

  // Makes writes cheaper: a row of an index and of sqlite_sequence is billed as any other. No sequence number is used
  // again without AUTOINCREMENT, since the newest row of these tables stays, but for the outbox, where it only gives the
  // order. The outbox is short, and expired answers are looked for once a day: neither needs an index for that.
  `CREATE TABLE messages_4 (
     seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, role TEXT NOT NULL, name TEXT, content TEXT NOT NULL,
     timestamp TEXT NOT NULL, token_count INTEGER NOT NULL, tool_calls TEXT, metadata TEXT NOT NULL, tool_call_id TEXT
   );
   INSERT INTO messages_4 SELECT seq, id, role, name, content, timestamp, token_count, tool_calls, metadata, tool_call_id
     FROM messages;
   DROP TABLE messages;
   ALTER TABLE messages_4 RENAME TO messages;
   CREATE TABLE thread_4 (
     seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, at TEXT NOT NULL, payload TEXT, message INTEGER, ref TEXT
   );
   INSERT INTO thread_4 SELECT seq, kind, at, payload, message, ref FROM thread;
   DROP TABLE thread;
   ALTER TABLE thread_4 RENAME TO thread;
   CREATE UNIQUE INDEX thread_by_ref ON thread (kind, ref) WHERE ref IS NOT NULL;
   CREATE TABLE signals_4 (seq INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, event TEXT NOT NULL);
   INSERT INTO signals_4 SELECT seq, bytes, event FROM signals;
   DROP TABLE signals;
   ALTER TABLE signals_4 RENAME TO signals;
   CREATE TABLE access_log_4 (seq INTEGER PRIMARY KEY, key TEXT NOT NULL, at INTEGER NOT NULL);
   INSERT INTO access_log_4 SELECT seq, key, at FROM access_log;
   DROP TABLE access_log;
   ALTER TABLE access_log_4 RENAME TO access_log;
   CREATE TABLE outbox_4 (seq INTEGER PRIMARY KEY, op TEXT NOT NULL, entry TEXT NOT NULL);
   UPDATE session SET record = json_set(record, '$.unregistered', json('true'))
     WHERE EXISTS (SELECT 1 FROM outbox WHERE op = 'session');
   INSERT INTO outbox_4 SELECT seq, op, entry FROM outbox WHERE op NOT IN ('session', 'messages');
   DROP TABLE outbox;
   ALTER TABLE outbox_4 RENAME TO outbox;
   CREATE TABLE idempotency_4 (
     op TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, response TEXT, created_at INTEGER NOT NULL
   ) WITHOUT ROWID;
   INSERT INTO idempotency_4 SELECT op, fingerprint, response, created_at FROM idempotency;
   DROP TABLE idempotency;
   ALTER TABLE idempotency_4 RENAME TO idempotency;
   CREATE TABLE projectors_4 (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
   INSERT INTO projectors_4 SELECT name, state FROM projectors;
   DROP TABLE projectors;
   ALTER TABLE projectors_4 RENAME TO projectors;
   CREATE TABLE spaces_4 (
     name TEXT PRIMARY KEY, kind TEXT NOT NULL, rev INTEGER NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL,
     bytes INTEGER NOT NULL, expires TEXT, expires_at INTEGER
   ) WITHOUT ROWID;
   INSERT INTO spaces_4 SELECT name, kind, rev, data, metadata, bytes, expires, expires_at FROM spaces;
   DROP TABLE spaces;
   ALTER TABLE spaces_4 RENAME TO spaces;
   CREATE INDEX spaces_expiring ON spaces (expires_at) WHERE expires_at IS NOT NULL;`,
];
