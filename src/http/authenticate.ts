// Authenticates the caller and checks its scopes. A key is looked up by its hash on every request, so that a deleted
// key stops working at once.
import { UNBOUND } from "../domain/binding";
import { DEFAULT_PRIVACY_RULES } from "../domain/privacy/privacy-policy";
import { NO_USAGE } from "../domain/quotas";
import { ADDRESS_LIMIT } from "../limits";
import { openDatabase } from "../platform/d1";
import { FailureError, failure } from "../platform/errors";
import { sha256Hex } from "../platform/hash";
import type { KeyScope } from "../schemas/administration/api-key";
import { findApiKey } from "../store/key-repository";
import { findRefusal, refuseKey } from "../store/refused-keys";
import { countRefusal, limitAddress } from "./address-limit";
import type { AppContext, Caller } from "./app-context";
import { countExpiredKey } from "./audit-request";
import { noteKeyUse } from "./key-use";

/** Authenticates a call. Refused calls count against the client's address. */
export async function authenticate(c: AppContext): Promise<Caller> {
  // The doctor, which finds wrong settings, authenticates without them.
  const { addressLimit = ADDRESS_LIMIT } = (c.var as Partial<AppContext["var"]>).settings ?? {};
  await limitAddress(c, addressLimit, Date.now());
  try {
    return await findCaller(c);
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === "unauthorized")
      countRefusal(c, addressLimit, Date.now());
    throw error;
  }
}

async function findCaller(c: AppContext): Promise<Caller> {
  const header = c.req.header("Authorization") ?? "";
  const secret = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
  if (secret === undefined) {
    throw failure("unauthorized", "No key was given. Send the header Authorization: Bearer <key>.");
  }
  // Hashes are compared, because that takes the same time wherever the secrets differ.
  const [hash, adminHash] = await Promise.all([sha256Hex(secret), sha256Hex(c.env.ADMIN_KEY ?? "")]);
  if (hash === adminHash)
    return {
      tenant: null,
      keyId: "admin",
      expiresAt: null,
      scopes: ["admin"],
      binding: UNBOUND,
      hasCapabilities: false,
      usage: NO_USAGE,
      privacy: DEFAULT_PRIVACY_RULES,
    };

  const refusal = findRefusal(hash, Date.now());
  if (refusal !== null) throw failure("unauthorized", refusal);
  const key = await findApiKey(openDatabase(c.env.DB), hash);
  if (key === null) throw refuse(hash, "This key is not known. It was deleted, or mistyped.");
  if (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now()) {
    countExpiredKey(c, key);
    throw refuse(hash, `This key expired at ${key.expires_at}. Make a new one.`);
  }
  noteKeyUse(c, key);
  const { tenant, id: keyId, expires_at: expiresAt, scopes, bind, hasCapabilities, usage, privacy } = key;
  return { tenant, keyId, expiresAt, scopes, binding: bind ?? UNBOUND, hasCapabilities, usage, privacy };
}

function refuse(hash: string, detail: string): FailureError {
  refuseKey(hash, detail, Date.now());
  return failure("unauthorized", detail);
}

export function authorise(caller: Caller, scope: KeyScope): void {
  if (caller.scopes.includes(scope)) return;
  if (caller.tenant === null) throw noTenant();
  throw failure("forbidden", `This key lacks the scope "${scope}". It has: ${caller.scopes.join(", ")}.`);
}

export function noTenant() {
  return failure(
    "forbidden",
    "The admin key belongs to no tenant. Make a key for a tenant with POST /v1/keys and use that.",
  );
}
