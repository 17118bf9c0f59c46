// The vectors of a tenant that moves between databases with Vectorize indexes of their own. While they are copied, the
// indexer waits: whatever changes stays in the embedding backlog, moves with it, and is indexed in the new place.

import { sql } from "drizzle-orm";
import { type Database, readAll } from "../../kernel/databases/d1";
import { getVectorize, type ShardName } from "../../kernel/databases/shard-bindings";
import { isAmong, type RowKey } from "../../kernel/databases/statements";
import type { Bindings } from "../../kernel/env";
import { VECTOR_TABLES } from "../../memories/store/vector-queue";
import type { TenantTable } from "../../owners/shards/tenant-tables";

export type MovedIndexes = { source: Vectorize; target: Vectorize };

/** Returns the indexes of a move, null if the vectors stay where they are. */
export function findMovedIndexes(
  env: Bindings,
  move: { source: ShardName; target: ShardName },
): MovedIndexes | null {
  const [source, target] = [getVectorize(env, move.source), getVectorize(env, move.target)];
  return source === undefined || target === undefined || source === target ? null : { source, target };
}

const ID_COLUMNS = new Map<string, string>([
  ...Object.values(VECTOR_TABLES).map(({ table, id }): [string, string] => [table, id]),
  // Entries of rows that are gone, whose vectors are not removed yet.
  ["vector_queue", "id"],
]);

/** Returns the ids in the vector index of rows; none if the table has no vectors. */
export async function listVectorIds(
  db: Database,
  tenant: string,
  table: TenantTable,
  keys: readonly RowKey[],
): Promise<string[]> {
  const column = ID_COLUMNS.get(table.name);
  if (column === undefined) return [];
  const rows = await readAll<{ id: string }>(
    db,
    sql`SELECT ${sql.raw(column)} AS id FROM ${sql.raw(table.name)}
      WHERE tenant = ${tenant} AND ${isAmong(table, keys)} AND ${sql.raw(column)} IS NOT NULL`,
  );
  return rows.map(({ id }) => id);
}
