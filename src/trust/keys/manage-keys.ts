// Creates, rotates, lists and deletes API keys. A tenant's administrator manages the keys of that tenant, and makes none
// that can do more or lives longer than its own; the holder of ADMIN_KEY, whose tenant is null, manages all of them.
import { openDatabase } from "../../kernel/databases/d1";
import { placeNewTenant } from "../../kernel/databases/place-tenant";
import { hasShards } from "../../kernel/databases/shard-bindings";
import { type Bindings, readSettings } from "../../kernel/env";
import { failure, fieldFailure, unwrap } from "../../kernel/errors";
import { hmacHex, randomHex, sha256Hex } from "../../kernel/hash";
import type { Idempotency } from "../../kernel/idempotency";
import { DAY_MS, SECOND_MS } from "../../kernel/time";
import type { ApiKey, CreatedKey, KeyCreate, KeyRotate, KeyScope } from "./administration-schemas";
import {
  deleteApiKey,
  findKeyById,
  insertApiKey,
  type KeyCursor,
  listApiKeys,
  rotateApiKey,
} from "./key-repository";
import { syncKeys } from "./shard-keys";

type Administrator = {
  tenant: string | null;
  keyId: string;
  scopes: readonly KeyScope[];
  expiresAt: string | null;
};

/** Creates a key. Only its hash is stored, so this response is the only one that contains the secret. */
export async function createKey(
  env: Bindings,
  administrator: Administrator,
  { tenant, name, scopes, expires_at, bind }: KeyCreate,
  idempotency: Idempotency,
): Promise<CreatedKey> {
  authoriseTenant(administrator, tenant);
  requireScopes(administrator, scopes);
  const now = new Date();
  const { secret, hash, operation } = await generateSecret(env, administrator, idempotency);
  const key: ApiKey = {
    id: toKeyId(hash),
    kind: "key",
    tenant,
    name: name ?? null,
    scopes,
    created_at: now.toISOString(),
    expires_at: limitExpiry(env, administrator, { wanted: expires_at, now }),
    bind: bind ?? null,
    created_by: administrator.keyId,
    last_used_at: null,
  };
  if (administrator.tenant === null) await placeNewTenant(env, tenant, now.getTime());
  const created = unwrap(await insertApiKey(openDatabase(env.DB), key, hash, operation));
  await syncKeys(env, created.tenant);
  requireReach(administrator, created);
  return { ...created, key: secret };
}

/** Creates the successor of a key: same tenant, name, scopes, binding and end. The old one works until the overlap ends. */
export async function rotateKey(
  env: Bindings,
  administrator: Administrator,
  { id, overlap_seconds, expires_at }: KeyRotate & { id: string },
  idempotency: Idempotency,
): Promise<CreatedKey> {
  const { secret, hash, operation } = await generateSecret(env, administrator, idempotency);
  const now = new Date();
  const toSuccessor = (old: ApiKey) => {
    requireScopes(administrator, old.scopes);
    if (old.expires_at !== null && Date.parse(old.expires_at) <= now.getTime())
      throw failure("conflict", `Key ${id} ended at ${old.expires_at}. Make a new one with POST /v1/keys.`);
    const overlap = new Date(now.getTime() + overlap_seconds * SECOND_MS).toISOString();
    const until = old.expires_at !== null && old.expires_at < overlap ? old.expires_at : overlap;
    const key: ApiKey = {
      ...old,
      id: toKeyId(hash),
      created_at: now.toISOString(),
      expires_at: limitExpiry(env, administrator, { wanted: expires_at, inherited: old.expires_at, now }),
      created_by: administrator.keyId,
      last_used_at: null,
    };
    return { key, until };
  };
  const which = { tenant: administrator.tenant, id };
  const rotated = await rotateApiKey(openDatabase(env.DB), which, toSuccessor, hash, operation);
  if (rotated === null) throw failure("not_found", `Key not found: ${id}`);
  const successor = unwrap(rotated);
  await syncKeys(env, successor.tenant);
  // A key that rotated itself ends before its successor, and may ask for that again.
  if (id !== administrator.keyId) requireReach(administrator, successor);
  return { ...successor, key: secret };
}

/**
 * With an idempotency key the secret is derived from it, so that a repeated call can return it without storing it. It
 * also depends on the administrator's key, which is part of `op`, and on the body: no other key gets the same one.
 */
async function generateSecret(
  { ADMIN_KEY }: Bindings,
  administrator: Administrator,
  idempotency: Idempotency,
) {
  // ADMIN_KEY has idempotency keys of its own, apart from every tenant's.
  const tenant = administrator.tenant ?? "";
  const random =
    idempotency === null
      ? randomHex(32)
      : await hmacHex(
          ADMIN_KEY ?? "",
          JSON.stringify(["key", tenant, idempotency.op, idempotency.fingerprint]),
        );
  const secret = `kioku_${random}`;
  return { secret, hash: await sha256Hex(secret), operation: idempotency && { ...idempotency, tenant } };
}

function toKeyId(hash: string): string {
  return `key_${hash.slice(0, 24)}`;
}

/** Returns keys without their secrets, oldest first. */
export function listKeys(
  env: Bindings,
  administrator: Administrator,
  tenant: string | undefined,
  page: { limit: number; after: KeyCursor | null },
): Promise<ApiKey[]> {
  if (tenant !== undefined) authoriseTenant(administrator, tenant);
  return listApiKeys(openDatabase(env.DB), administrator.tenant ?? tenant ?? null, page);
}

/** Deletes a key. Calls that reach D1 refuse it at once, others within seconds: see `known-keys.ts`. */
export async function deleteKey(env: Bindings, administrator: Administrator, id: string): Promise<void> {
  const tenant = hasShards(env) ? await findTenantOfKey(env, id) : null;
  const deleted = await deleteApiKey(openDatabase(env.DB), administrator.tenant, id);
  if (!deleted) throw failure("not_found", `Key not found: ${id}`);
  if (tenant !== null) await syncKeys(env, tenant);
}

/** Returns the tenant of a key; null if there is no such key. */
export async function findTenantOfKey(env: Bindings, id: string): Promise<string | null> {
  return (await findKeyById(openDatabase(env.DB), id))?.tenant ?? null;
}

function authoriseTenant(administrator: Administrator, tenant: string): void {
  if (administrator.tenant === null || administrator.tenant === tenant) return;
  throw failure("forbidden", "This key manages the keys of its own tenant only.");
}

function requireScopes({ tenant, scopes }: Administrator, wanted: readonly KeyScope[]): void {
  if (tenant === null) return;
  const more = wanted.filter((scope) => !scopes.includes(scope));
  if (more.length > 0) {
    const message = `cannot include ${more.join(", ")}: this key has only ${scopes.join(", ")}`;
    throw failure("forbidden", `scopes: ${message}.`, { errors: [{ path: "scopes", message }] });
  }
}

/** Refuses the key of an earlier call if it exceeds the administrator, whose own end may be earlier by now. */
function requireReach(administrator: Administrator, { scopes, expires_at }: ApiKey): void {
  requireScopes(administrator, scopes);
  const { expiresAt } = administrator;
  if (expiresAt === null) return;
  if (expires_at !== null && Date.parse(expires_at) <= Date.parse(expiresAt)) return;
  const message = `is later than the end of this key, ${expiresAt}: use another Idempotency-Key`;
  throw failure("forbidden", `expires_at: ${message}.`, { errors: [{ path: "expires_at", message }] });
}

/**
 * Returns the end of a new key: the one asked for, or the latest that its predecessor, its maker and the settings allow.
 */
function limitExpiry(
  env: Bindings,
  { expiresAt }: Administrator,
  { wanted, inherited = null, now }: { wanted: string | undefined; inherited?: string | null; now: Date },
): string | null {
  const { keyMaxLifetimeDays } = readSettings(env);
  const longest =
    keyMaxLifetimeDays === 0 ? null : new Date(now.getTime() + keyMaxLifetimeDays * DAY_MS).toISOString();
  if (wanted === undefined) {
    const ends = [inherited, expiresAt, longest].filter((end) => end !== null);
    return ends.toSorted()[0] ?? null;
  }
  if (Date.parse(wanted) <= now.getTime())
    throw fieldFailure("expires_at", "is in the past: give a future time, or leave it out");
  if (expiresAt !== null && Date.parse(wanted) > Date.parse(expiresAt)) {
    const message = `is later than the end of this key, ${expiresAt}: give an earlier time, or leave it out`;
    throw failure("forbidden", `expires_at: ${message}.`, { errors: [{ path: "expires_at", message }] });
  }
  if (longest !== null && Date.parse(wanted) > Date.parse(longest))
    throw fieldFailure(
      "expires_at",
      `is after ${longest}: keys live at most ${keyMaxLifetimeDays} days here. Give an earlier time, or leave it out`,
    );
  return wanted;
}
