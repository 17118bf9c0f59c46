// Connections of OAuth clients. Consent makes a key without a secret, which the client's tokens act as: it has scopes, a
// binding, rate limits and audit records of its own, is listed among the keys, and ends when it is deleted.
import { type Binding, BOUND_IDS, isBound } from "../../kernel/access";
import { openDatabase, WriteConflict } from "../../kernel/databases/d1";
import { type Bindings, readSettings } from "../../kernel/env";
import { failure } from "../../kernel/errors";
import { randomHex } from "../../kernel/hash";
import { DAY_MS, MINUTE_MS } from "../../kernel/time";
import type { ApiKey, KeyScope } from "./administration-schemas";
import { countConnections, extendConnectionUntil, insertConnection } from "./connection-keys";
import { UNKNOWN_KEY } from "./key-check";
import { findKeyById } from "./key-repository";
import { syncKeys } from "./shard-keys";

/** A connection that is not used for so long ends. Its refresh token lives as long. */
export const CONNECTION_IDLE_DAYS = 30;
/** As long as an authorization code lives: a connection whose client never fetches its token ends. */
const UNCLAIMED_MS = 10 * MINUTE_MS;

/** Each connection has rate limits of its own: without a limit, a key could have any number of calls. */
const MAX_CONNECTIONS = 20;

/** The key of the person who consents. */
type ConsentingKey = {
  keyId: string;
  tenant: string | null;
  scopes: readonly KeyScope[];
  binding: Binding;
  expiresAt: string | null;
};

type ConnectionRequest = {
  /** Shown in the list of keys. */
  name: string;
  scopes: readonly KeyScope[];
  /** Narrows the key's own binding. */
  binding: Binding;
};

export function createConnectionId(): string {
  return `key_${randomHex(12)}`;
}

/** Returns the scopes and the binding of a connection. Throws if the key does not have them. */
export function narrowKey(
  { tenant, scopes, binding }: ConsentingKey,
  request: Omit<ConnectionRequest, "name">,
) {
  if (tenant === null)
    throw failure(
      "forbidden",
      "This is the admin key, which belongs to no tenant. Make a key for a tenant with POST /v1/keys and use that.",
    );
  const missing = request.scopes.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw failure(
      "forbidden",
      `This key lacks the scope ${missing.join(" and ")}. It has: ${scopes.join(", ")}. Choose less, or use another key.`,
    );
  for (const id of BOUND_IDS) {
    const [own, wanted] = [binding[id], request.binding[id]];
    if (own !== undefined && wanted !== undefined && own !== wanted)
      throw failure(
        "forbidden",
        `This key is bound to the ${id} "${own}", and cannot give access to "${wanted}".`,
      );
  }
  return { tenant, scopes: [...request.scopes], binding: { ...request.binding, ...binding } };
}

/** Stores a connection. It ends soon unless its client fetches a token. */
export async function createConnection(
  env: Bindings,
  consentingKey: ConsentingKey,
  id: string,
  { name, ...request }: ConnectionRequest,
): Promise<ApiKey> {
  const { tenant, scopes, binding } = narrowKey(consentingKey, request);
  const now = new Date();
  const ends = [new Date(now.getTime() + UNCLAIMED_MS).toISOString(), consentingKey.expiresAt];
  const key: ApiKey = {
    id,
    kind: "connection",
    tenant,
    name,
    scopes,
    created_at: now.toISOString(),
    expires_at: findEarliest(ends),
    bind: isBound(binding) ? binding : null,
    created_by: consentingKey.keyId,
    last_used_at: null,
  };
  const db = openDatabase(env.DB);
  try {
    await insertConnection(db, key, consentingKey.keyId, MAX_CONNECTIONS);
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    if ((await countConnections(db, consentingKey.keyId, key.created_at)) < MAX_CONNECTIONS)
      throw failure("unauthorized", UNKNOWN_KEY);
    throw failure(
      "conflict",
      `This key has ${MAX_CONNECTIONS} connections, the most that a key may have. Delete one of them, or use another key.`,
    );
  }
  await syncKeys(env, tenant);
  return key;
}

/**
 * Extends a connection whose client fetches a token, up to the end of the key that made it and the longest life of a key.
 * Returns whether the connection exists.
 */
export async function extendConnection(env: Bindings, id: string): Promise<boolean> {
  const db = openDatabase(env.DB);
  const key = await findKeyById(db, id);
  if (key === null) return false;
  const now = Date.now();
  const { keyMaxLifetimeDays } = readSettings(env);
  const until = findEarliest([
    new Date(now + CONNECTION_IDLE_DAYS * DAY_MS).toISOString(),
    keyMaxLifetimeDays === 0
      ? null
      : new Date(Date.parse(key.created_at) + keyMaxLifetimeDays * DAY_MS).toISOString(),
  ]);
  return extendConnectionUntil(db, id, { until, now: new Date(now).toISOString() });
}

function findEarliest(times: readonly (string | null)[]): string {
  const [earliest = ""] = times.filter((time) => time !== null).toSorted();
  return earliest;
}
