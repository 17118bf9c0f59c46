// The copies of a tenant's keys in its database, if that is not `DB`: a call compares its key with them in the batch that it
// sends there anyway. `DB` decides, and a change is made there first.
import { sql } from "drizzle-orm";
import { type Database, openDatabase, readAll, runBatch } from "../../kernel/databases/d1";
import { getShard, HOME_SHARD, hasShards } from "../../kernel/databases/shard-bindings";
import { fromJson } from "../../kernel/databases/statements";
import { forgetPlacement, locateTenant, readPlacement } from "../../kernel/databases/tenant-directory";
import type { Bindings } from "../../kernel/env";
import type { KeyOfCaller } from "../../kernel/known-keys";
import { apiKeys, listInsertColumns } from "../../kernel/tables";
import { findApiKey, type KeyIdentity } from "./key-repository";

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

// Looks a key up with what its tenant stores, wherever the tenant is.

const ATTEMPTS = 3;

export async function findCallerKey(env: Bindings, identity: KeyIdentity): Promise<KeyOfCaller | null> {
  const key = await findApiKey(openDatabase(env.DB), identity);
  if (key === null || !hasShards(env)) return key;
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    const { shard } = await locateTenant(env, key.tenant);
    if (shard === HOME_SHARD) return key;
    const found = await findApiKey(openDatabase(getShard(env, shard)), identity);
    if (found !== null) {
      const { usage, privacy, storedPrivacy, hasCapabilities, ontology } = found;
      if (found.expires_at !== key.expires_at) await syncKeys(env, key.tenant);
      return { ...key, usage, privacy, storedPrivacy, hasCapabilities, ontology };
    }
    // The tenant has moved, or its key was not copied yet.
    forgetPlacement(env, key.tenant);
    await syncKeys(env, key.tenant);
  }
  return key;
}
