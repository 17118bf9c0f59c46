// The copies of a tenant's keys in its database, if that is not `DB`: a call compares its key with them in the batch that it
// sends there anyway. `DB` decides, and a change is made there first.
import { sql } from "drizzle-orm";
import { type Database, openDatabase, readAll, runBatch } from "../../kernel/databases/d1";
import { getShard, HOME_SHARD, hasShards } from "../../kernel/databases/shard-bindings";
import { fromJson } from "../../kernel/databases/statements";
import { readPlacement } from "../../kernel/databases/tenant-directory";
import type { Bindings } from "../../kernel/env";
import { apiKeys, listInsertColumns } from "../../kernel/tables";

const COLUMNS = ["tenant", ...listInsertColumns(apiKeys)];

/** Makes the copies of a tenant's keys the same as the keys. */
export async function copyKeys(home: Database, target: Database, tenant: string): Promise<void> {
  const keys = await readAll<object>(home, sql`SELECT * FROM api_keys WHERE tenant = ${tenant}`);
  await runBatch(target, [
    sql`DELETE FROM api_keys WHERE tenant = ${tenant}`,
    sql`INSERT INTO api_keys (${sql.raw(COLUMNS.join(", "))})
      SELECT ${fromJson(COLUMNS)} FROM json_each(${JSON.stringify(keys)})`,
  ]);
}

/** Copies the keys of a tenant to its database after a change. */
export async function syncKeys(env: Bindings, tenant: string): Promise<void> {
  if (!hasShards(env)) return;
  const { shard } = await readPlacement(env, tenant);
  if (shard !== HOME_SHARD) await copyKeys(openDatabase(env.DB), openDatabase(getShard(env, shard)), tenant);
}
