// The SQLite schema inside a shard of the embedded index, step by step, as object-schema.ts applies it.

export const SHARD_SCHEMA: readonly string[] = [
  `CREATE TABLE shard (
     id INTEGER PRIMARY KEY CHECK (id = 1), dimensions INTEGER NOT NULL, is_full INTEGER NOT NULL
   );
   CREATE TABLE tokens (number INTEGER PRIMARY KEY, token TEXT NOT NULL);
   CREATE TABLE blocks (block INTEGER PRIMARY KEY, ids TEXT NOT NULL, rows BLOB NOT NULL);`,
];
