// Creates, lists and deletes API keys. A tenant's administrator manages the keys of that tenant; the holder of
// ADMIN_KEY, whose tenant is null, manages all of them.
import { openDatabase } from "../../platform/d1";
import type { Bindings } from "../../platform/env";
import { FailureError, failure, invalidField, unwrap } from "../../platform/errors";
import { hmacHex, randomHex, sha256Hex } from "../../platform/hash";
import type { Idempotency } from "../../platform/idempotency";
import type { ApiKey, CreatedKey, KeyCreate } from "../../schemas/api-key";
import { deleteApiKey, insertApiKey, type KeyCursor, listApiKeys } from "../../store/key-repository";

type Administrator = { tenant: string | null };

/** Creates a key. Only its hash is stored, so this response is the only one that contains the secret. */
export async function createKey(
  env: Bindings,
  administrator: Administrator,
  { tenant, name, scopes, expires_at, bind }: KeyCreate,
  idempotency: Idempotency,
): Promise<CreatedKey> {
  authoriseTenant(administrator, tenant);
  const now = new Date();
  if (expires_at !== undefined && Date.parse(expires_at) <= now.getTime()) {
    throw new FailureError(
      invalidField("expires_at", "is in the past: give a future time, or leave it out").failure,
    );
  }
  // ADMIN_KEY has idempotency keys of its own, apart from every tenant's.
  const operationTenant = administrator.tenant ?? "";
  const secret = await generateSecret(env, operationTenant, idempotency);
  const hash = await sha256Hex(secret);
  const key: ApiKey = {
    id: `key_${hash.slice(0, 24)}`,
    tenant,
    name: name ?? null,
    scopes,
    created_at: now.toISOString(),
    expires_at: expires_at ?? null,
    bind: bind ?? null,
  };
  const db = openDatabase(env.DB);
  const operation = idempotency && { ...idempotency, tenant: operationTenant };
  return { ...unwrap(await insertApiKey(db, key, hash, operation)), key: secret };
}

/**
 * With an idempotency key the secret is derived from it, so that a repeated call can return it without storing it. It
 * also depends on the administrator and the body, so that nobody else can derive the same one.
 */
async function generateSecret(
  { ADMIN_KEY }: Bindings,
  operationTenant: string,
  idempotency: Idempotency,
): Promise<string> {
  const secret =
    idempotency === null
      ? randomHex(32)
      : await hmacHex(
          ADMIN_KEY ?? "",
          JSON.stringify(["key", operationTenant, idempotency.op, idempotency.fingerprint]),
        );
  return `kioku_${secret}`;
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

/** Deletes a key, which stops working at once. */
export async function deleteKey(env: Bindings, administrator: Administrator, id: string): Promise<void> {
  const deleted = await deleteApiKey(openDatabase(env.DB), administrator.tenant, id);
  if (!deleted) throw failure("not_found", `Key not found: ${id}`);
}

function authoriseTenant(administrator: Administrator, tenant: string): void {
  if (administrator.tenant === null || administrator.tenant === tenant) return;
  throw failure("forbidden", "This key manages the keys of its own tenant only.");
}
