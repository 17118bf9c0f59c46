// Authenticates the caller and checks its scopes. A key is looked up by its hash, and remembered for some seconds: a call
// with a remembered key compares it with the database when it first reaches D1, so that a deleted key stops working there
// at once, and elsewhere within those seconds.

import { UNBOUND } from "../kernel/access";
import { openDatabase } from "../kernel/databases/d1";
import { FailureError, failure, logDefect } from "../kernel/errors";
import { sha256Hex } from "../kernel/hash";
import {
  countKeyChanges,
  findKnownKey,
  forgetKeys,
  type KeyOfCaller,
  rememberKey,
} from "../kernel/known-keys";
import { ADDRESS_LIMIT } from "../kernel/limits";
import { MINUTE_MS } from "../kernel/time";
import { BUILT_IN_ONTOLOGY } from "../ontology/tenant-ontology";
import type { KeyScope } from "../trust/keys/administration-schemas";
import { createKeyCheck, type KeyCheck, UNKNOWN_KEY } from "../trust/keys/key-check";
import { recordKeyUse } from "../trust/keys/key-repository";
import { findRefusal, refuseKey } from "../trust/keys/refused-keys";
import { findCallerKey } from "../trust/keys/shard-keys";
import { DEFAULT_PRIVACY_RULES } from "../trust/privacy/privacy-policy";
import { hasAmpleRoom, NO_USAGE } from "../trust/quotas";
import type { AppContext, Caller } from "./app-context";
import { countExpiredKey } from "./audit-request";
import { isAccessToken, readAccessToken } from "./oauth/access-token";
import { countRefusal, limitAddress } from "./rate-limit";

/**
 * Authenticates a call. Refused calls count against the client's address. With `mayRemember`, a key that was looked up just
 * now is not read again: the call has to obey the caller's `check`.
 */
export async function authenticate(c: AppContext, mayRemember = false): Promise<Caller> {
  return countRefused(c, () => {
    const secret = readSecret(c);
    if (secret === undefined)
      throw failure("unauthorized", "No key was given. Send the header Authorization: Bearer <key>.");
    return findCaller(c, secret, mayRemember);
  });
}

/** Authenticates a key that a person has entered, as that of a call. */
export function authenticateKey(c: AppContext, key: string): Promise<Caller> {
  return countRefused(c, () => findCaller(c, key, false));
}

async function countRefused(c: AppContext, identify: () => Promise<Caller>): Promise<Caller> {
  // The doctor, which finds wrong settings, authenticates without them.
  const { addressLimit = ADDRESS_LIMIT } = (c.var as Partial<AppContext["var"]>).settings ?? {};
  await limitAddress(c, addressLimit, Date.now());
  try {
    return await identify();
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === "unauthorized")
      countRefusal(c, addressLimit, Date.now());
    throw error;
  }
}

async function findCaller(c: AppContext, secret: string, mayRemember: boolean): Promise<Caller> {
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
      ontology: BUILT_IN_ONTOLOGY,
      check: null,
    };

  if (isAccessToken(c, secret)) return toCaller(c, await findConnection(c, secret), null);
  const refusal = findRefusal(hash, Date.now());
  if (refusal !== null) throw failure("unauthorized", refusal);
  const known = mayRemember ? findUsableKey(c, hash) : null;
  const key = known ?? (await lookUpKey(c, hash));
  if (key === null) throw refuse(hash, UNKNOWN_KEY);
  if (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now()) {
    countExpiredKey(c, key);
    throw refuse(hash, `This key expired at ${key.expires_at}. Make a new one.`);
  }
  return toCaller(c, key, known === null ? null : createKeyCheck(known));
}

function toCaller(c: AppContext, key: KeyOfCaller, check: KeyCheck | null): Caller {
  noteKeyUse(c, key);
  const {
    tenant,
    id: keyId,
    expires_at: expiresAt,
    scopes,
    bind,
    hasCapabilities,
    usage,
    privacy,
    ontology,
  } = key;
  const binding = bind ?? UNBOUND;
  return { tenant, keyId, expiresAt, scopes, binding, hasCapabilities, usage, privacy, ontology, check };
}

/** Returns the key that an OAuth token acts as, with the scopes and the end of the token. */
async function findConnection(c: AppContext, secret: string): Promise<KeyOfCaller> {
  const token = await readAccessToken(c, secret);
  const key = token === null ? null : await findCallerKey(c.env, { id: token.keyId });
  const hasEnded = key?.expires_at != null && Date.parse(key.expires_at) <= Date.now();
  if (token === null || key === null || hasEnded)
    throw failure(
      "unauthorized",
      "This token is not valid here. It has ended, was revoked, or is for another resource. Authorize again.",
    );
  const scopes = key.scopes.filter((scope) => token.scopes.includes(scope));
  const [end = null] = [key.expires_at, token.expiresAt].filter((time) => time !== null).toSorted();
  return { ...key, scopes, expires_at: end };
}

/** Returns a remembered key, unless its tenant is near a quota: then every call counts. */
function findUsableKey(c: AppContext, hash: string): KeyOfCaller | null {
  const known = findKnownKey(hash, Date.now());
  return known !== null && hasAmpleRoom(known.usage, c.var.settings.quotas) ? known : null;
}

async function lookUpKey(c: AppContext, hash: string): Promise<KeyOfCaller | null> {
  const lookup = { at: Date.now(), changes: countKeyChanges() };
  const key = await findCallerKey(c.env, { hash });
  if (key === null) forgetKeys({ hash });
  else rememberKey(hash, key, lookup);
  return key;
}

/** Refuses a call whose key was found to be deleted when the call reached the database. */
export async function refuseRevoked(c: AppContext): Promise<FailureError> {
  const secret = readSecret(c);
  if (secret !== undefined) refuseKey(await sha256Hex(secret), UNKNOWN_KEY, Date.now());
  countRefusal(c, c.var.settings.addressLimit, Date.now());
  return failure("unauthorized", UNKNOWN_KEY);
}

function readSecret(c: AppContext): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
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

// Records about when each key was last used: after the response, and at most once in five minutes per key, so that no
// call waits for it and a busy key costs one row now and then.

const PRECISION_MS = 5 * MINUTE_MS;
/** Keys that one isolate remembers having recorded. */
const REMEMBERED_KEYS = 10_000;

/** When this isolate last recorded the use of a key: concurrent calls read the same old time from D1. */
const recordedAt = new Map<string, number>();

function noteKeyUse(c: AppContext, key: { id: string; last_used_at: string | null }): void {
  const now = Date.now();
  const known = Math.max(Date.parse(key.last_used_at ?? "") || 0, recordedAt.get(key.id) ?? 0);
  // A clock that was set back records again.
  if (Math.abs(now - known) < PRECISION_MS) return;
  if (recordedAt.size >= REMEMBERED_KEYS) recordedAt.clear();
  recordedAt.set(key.id, now);
  const recording = recordKeyUse(openDatabase(c.env.DB), key.id, new Date(now).toISOString());
  c.executionCtx.waitUntil(
    recording.catch((error: unknown) => {
      recordedAt.delete(key.id);
      logDefect("key.error", error);
    }),
  );
}
