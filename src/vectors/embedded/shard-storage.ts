// A shard in its object's SQLite: vectors packed in blocks of a few, so that a hundred thousand are read back in
// a few thousand rows, and one that changes rewrites no more than its neighbours.
import { isInitialised, migrate } from "../../platform/object-migrations";
import { NO_TOKEN, Tokens } from "./filter-tokens";
import { strideOf } from "./quantise";
import { SHARD_SCHEMA } from "./shard-schema";
import { Rows } from "./vector-rows";

/** Of 512 dimensions that is 17 KB a block: reading gains little from more, and writing one vector would lose. */
const BLOCK_ROWS = 32;

/** So many tokens without a vector are worth a clean-up when the shard is read. */
const UNUSED_TOKENS = 1_000;

export type Shard = {
  readonly dimensions: number;
  /** Once true, always true: ids that it does not know live in the next shards. */
  full: boolean;
  readonly rows: Rows;
  readonly tokens: Tokens;
};

export function newShard(dimensions: number, count = 0): Shard {
  return { dimensions, full: false, rows: new Rows(strideOf(dimensions), count), tokens: new Tokens() };
}

/** The shard as stored, or null when nothing ever was. */
export function readShard(storage: DurableObjectStorage): Shard | null {
  const { sql } = storage;
  if (!isInitialised(storage)) return null;
  migrate(storage, SHARD_SCHEMA);
  const [stored] = sql
    .exec<{ dimensions: number; is_full: number }>("SELECT dimensions, is_full FROM shard")
    .toArray();
  if (stored === undefined) return null;
  const last = sql.exec<{ last: number | null }>("SELECT max(block) AS last FROM blocks").one().last;
  const shard = newShard(stored.dimensions, last === null ? 0 : (last + 1) * BLOCK_ROWS);
  shard.full = stored.is_full === 1;
  for (const { number, token } of sql.exec<{ number: number; token: string }>("SELECT * FROM tokens"))
    shard.tokens.load(number, JSON.parse(token));
  // Read as bare values: an object for each row takes twice as long.
  for (const [ids, bytes] of sql
    .exec<{ ids: string; rows: ArrayBuffer }>("SELECT ids, rows FROM blocks ORDER BY block")
    .raw<[string, ArrayBuffer]>())
    readBlock(shard.rows, JSON.parse(ids), new Uint8Array(bytes));
  dropUnusedTokens(storage, shard);
  return shard;
}

/** Writes what has changed, in one transaction: the blocks of these slots, new tokens, whether it is full. */
export function writeShard(storage: DurableObjectStorage, shard: Shard, slots: Iterable<number>): void {
  const { sql } = storage;
  const { dimensions, full, rows, tokens } = shard;
  // What was stored before was brought up to date when it was read.
  if (!isInitialised(storage)) migrate(storage, SHARD_SCHEMA);
  storage.transactionSync(() => {
    sql.exec(
      "INSERT OR REPLACE INTO shard (id, dimensions, is_full) VALUES (1, ?, ?)",
      dimensions,
      full ? 1 : 0,
    );
    // As JSON, since a token is any text: SQLite's would not give back half a surrogate pair.
    for (const [number, token] of tokens.takeFresh())
      sql.exec("INSERT INTO tokens (number, token) VALUES (?, ?)", number, JSON.stringify(token));
    for (const block of new Set(Array.from(slots, (slot) => Math.floor(slot / BLOCK_ROWS))))
      writeBlock(sql, rows, block);
  });
}

function writeBlock(sql: SqlStorage, rows: Rows, block: number): void {
  const slot = block * BLOCK_ROWS;
  const ids = rows.ids(slot, BLOCK_ROWS);
  if (ids.length === 0) {
    sql.exec("DELETE FROM blocks WHERE block = ?", block);
    return;
  }
  const parts = rows.parts(slot, ids.length);
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

function readBlock(rows: Rows, ids: string[], bytes: Uint8Array): void {
  const slot = rows.append(ids);
  let at = 0;
  for (const part of rows.parts(slot, ids.length)) {
    part.set(bytes.subarray(at, at + part.length));
    at += part.length;
  }
}

/** Sessions come and go: without this their tokens would stay behind. */
function dropUnusedTokens({ sql }: DurableObjectStorage, { rows, tokens }: Shard): void {
  if (tokens.count < UNUSED_TOKENS) return;
  const used = new Uint8Array(tokens.size);
  const { session, agent, project, type } = rows.columns;
  for (const column of [session, agent, project, type])
    for (let slot = 0; slot < rows.count; slot += 1) used[column[slot] ?? NO_TOKEN] = 1;
  const unused = tokens.unused(used);
  if (unused.length < UNUSED_TOKENS) return;
  tokens.drop(unused);
  const numbers = JSON.stringify(unused.map(([, number]) => number));
  sql.exec("DELETE FROM tokens WHERE number IN (SELECT value FROM json_each(?))", numbers);
}
