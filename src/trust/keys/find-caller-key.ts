// Looks a key up with what its tenant stores, wherever the tenant is.
import { openDatabase } from "../../kernel/databases/d1";
import { getShard, HOME_SHARD, hasShards } from "../../kernel/databases/shard-bindings";
import { forgetPlacement, locateTenant } from "../../kernel/databases/tenant-directory";
import type { Bindings } from "../../kernel/env";
import type { KeyOfCaller } from "../../kernel/known-keys";
import { findApiKey, type KeyIdentity } from "./key-repository";
import { syncKeys } from "./shard-keys";

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
