// Stores a shard in the SQLite of its Durable Object: vectors are packed in blocks, so that 100,000 vectors load from a
// few thousand rows, and a changed vector rewrites only its block.

import { isInitialised, migrate } from "../../kernel/object-migrations";
import { NO_TOKEN, TokenTable } from "./filter-columns";
import { computeStride } from "./quantise";

import { VectorRows } from "./vector-rows";

/** The SQLite migrations of a shard, in order. */
const SHARD_SCHEMA: readonly string[] = [
  `CREATE TABLE shard (
     id INTEGER PRIMARY KEY CHECK (id = 1), dimensions INTEGER NOT NULL, is_full INTEGER NOT NULL
   );
   CREATE TABLE tokens (number INTEGER PRIMARY KEY, token TEXT NOT NULL);
   CREATE TABLE blocks (block INTEGER PRIMARY KEY, ids TEXT NOT NULL, rows BLOB NOT NULL);`,
];

/** 17 KB per block at 512 dimensions: larger blocks load little faster and make single writes slower. */
const BLOCK_ROWS = 32;

/** Loading a shard removes unused tokens once there are this many. */
const UNUSED_TOKENS_TO_DROP = 1_000;

export type Shard = {
  readonly dimensions: number;
  /** Permanent once set: ids that the shard does not hold are in later shards. */
  full: boolean;
  readonly rows: VectorRows;
  readonly tokens: TokenTable;
};

export function createShard(dimensions: number, count = 0): Shard {
  return {
    dimensions,
    full: false,
    rows: new VectorRows(computeStride(dimensions), count),
    tokens: new TokenTable(),
  };
}

/** Returns null when no shard has been stored. */
export function loadShard(storage: DurableObjectStorage): Shard | null {
  const { sql } = storage;
  if (!isInitialised(storage)) return null;
  migrate(storage, SHARD_SCHEMA);
  const [stored] = sql
    .exec<{ dimensions: number; is_full: number }>("SELECT dimensions, is_full FROM shard")
    .toArray();
  if (stored === undefined) return null;
  const last = sql.exec<{ last: number | null }>("SELECT max(block) AS last FROM blocks").one().last;
  const shard = createShard(stored.dimensions, last === null ? 0 : (last + 1) * BLOCK_ROWS);
  shard.full = stored.is_full === 1;
  for (const { number, token } of sql.exec<{ number: number; token: string }>("SELECT * FROM tokens"))
    shard.tokens.load(number, JSON.parse(token));
  // Raw values: an object per row takes twice as long.
  for (const [ids, bytes] of sql
    .exec<{ ids: string; rows: ArrayBuffer }>("SELECT ids, rows FROM blocks ORDER BY block")
    .raw<[string, ArrayBuffer]>())
    loadBlock(shard.rows, JSON.parse(ids), new Uint8Array(bytes));
  dropUnusedTokens(storage, shard);
  return shard;
}

/** Writes the blocks of the changed slots, new tokens and the full flag in one transaction. */
export function saveShard(storage: DurableObjectStorage, shard: Shard, slots: Iterable<number>): void {
  const { sql } = storage;
  const { dimensions, full, rows, tokens } = shard;
  // A stored shard was migrated when it was loaded.
  if (!isInitialised(storage)) migrate(storage, SHARD_SCHEMA);
  storage.transactionSync(() => {
    sql.exec(
      "INSERT OR REPLACE INTO shard (id, dimensions, is_full) VALUES (1, ?, ?)",
      dimensions,
      full ? 1 : 0,
    );
    // As JSON: SQLite text does not preserve a lone surrogate.
    for (const [number, token] of tokens.takeNewTokens())
      sql.exec("INSERT INTO tokens (number, token) VALUES (?, ?)", number, JSON.stringify(token));
    for (const block of new Set(Array.from(slots, (slot) => Math.floor(slot / BLOCK_ROWS))))
      saveBlock(sql, rows, block);
  });
}

function saveBlock(sql: SqlStorage, rows: VectorRows, block: number): void {
  const slot = block * BLOCK_ROWS;
  const ids = rows.ids(slot, BLOCK_ROWS);
  if (ids.length === 0) {
    sql.exec("DELETE FROM blocks WHERE block = ?", block);
    return;
  }
  const parts = rows.viewParts(slot, ids.length);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  sql.exec(
    "INSERT OR REPLACE INTO blocks (block, ids, rows) VALUES (?, ?, ?)",
    block,
    JSON.stringify(ids),
    bytes.buffer,
  );
}

function loadBlock(rows: VectorRows, ids: string[], bytes: Uint8Array): void {
  const slot = rows.append(ids);
  let at = 0;
  for (const part of rows.viewParts(slot, ids.length)) {
    part.set(bytes.subarray(at, at + part.length));
    at += part.length;
  }
}

/** Removes the tokens of sessions without vectors, which would otherwise accumulate. */
function dropUnusedTokens({ sql }: DurableObjectStorage, { rows, tokens }: Shard): void {
  if (tokens.count < UNUSED_TOKENS_TO_DROP) return;
  const used = new Uint8Array(tokens.size);
  const { session, user, agent, project, type } = rows.columns;
  for (const column of [session, user, agent, project, type])
    for (let slot = 0; slot < rows.count; slot += 1) used[column[slot] ?? NO_TOKEN] = 1;
  const unused = tokens.listUnusedTokens(used);
  if (unused.length < UNUSED_TOKENS_TO_DROP) return;
  tokens.drop(unused);
  const numbers = JSON.stringify(unused.map(([, number]) => number));
  sql.exec("DELETE FROM tokens WHERE number IN (SELECT value FROM json_each(?))", numbers);
}
