// Memories by the beginning of their key: a range of the index of topics.
import { type SQL, sql } from "drizzle-orm";

/** After every text that begins so: no character comes after it. */
const LAST = "\u{10ffff}";

export function keyBeginsWith(column: SQL, prefix: string): SQL {
  return sql`${column} >= ${prefix} AND ${column} < ${prefix + LAST}`;
}
