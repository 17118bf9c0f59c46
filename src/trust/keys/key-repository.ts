// API keys in D1. Only the hash of a secret is stored.

import { and, asc, eq, gt, or, type SQL, sql } from "drizzle-orm";
import { type Database, readAll, retryConflicts, runBatch, sanitiseErrors } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { fail, ok, type Result } from "../../kernel/errors";
import type { Operation } from "../../kernel/idempotency";
import { parseJson } from "../../kernel/json";
import { forgetKeys, type KeyOfCaller } from "../../kernel/known-keys";
import { findOperation, recordOperation } from "../../kernel/operation-log";
import { apiKeys, tenantUsage } from "../../kernel/tables";
import { INDIVIDUALS } from "../../ontology/generated/terms.generated";
import { EXTENSIONS, parseTenantOntology } from "../../ontology/tenant-ontology";
import { parsePrivacyRules } from "../privacy/privacy-repository";
import { NO_USAGE, type TenantUsage } from "../quotas";
import type { ApiKey, KeyScope } from "./administration-schemas";
import { endConnectionsAt, isConnection, matchConnections } from "./connection-keys";
import { admitKey } from "./refused-keys";

export type KeyCursor = { created_at: string; id: string };

/** Stores a key and its operation in one batch; a repeated operation returns the key that it stored first. */
export function insertApiKey(
  db: Database,
  key: ApiKey,
  hash: string,
  operation: KeyOperation | null,
): Promise<Result<ApiKey>> {
  return retryConflicts(async () => {
    const earlier = await findCreatedKey(db, operation);
    if (earlier !== null) return earlier;
    await runBatch(db, storeKey(key, hash, operation));
    admitKey(hash);
    return ok(key);
  });
}

/**
 * Stores the successor of a key that ends at `until`, in one batch. `toSuccessor` derives it from the key as it is then;
 * null if there is no such key of the tenant, or of any tenant if it is null. Connections are not rotated: their successor
 * would be a key with a secret, which outlives the key that consented.
 */
export function rotateApiKey(
  db: Database,
  { tenant, id }: { tenant: string | null; id: string },
  toSuccessor: (key: ApiKey) => { key: ApiKey; until: string },
  hash: string,
  operation: KeyOperation | null,
): Promise<Result<ApiKey> | null> {
  return retryConflicts(async () => {
    const earlier = await findCreatedKey(db, operation);
    if (earlier !== null) return earlier;
    const old = await findKeyById(db, id);
    if (old === null || (tenant !== null && old.tenant !== tenant)) return null;
    if (old.kind === "connection")
      return fail(
        "conflict",
        `Key ${id} is a connection of an OAuth client and has no secret. Delete it and connect the client again.`,
      );
    const { key, until } = toSuccessor(old);
    await runBatch(db, [
      assertThat(sql`EXISTS (SELECT 1 FROM api_keys WHERE id = ${id} AND expires_at IS ${old.expires_at})`),
      sql`UPDATE api_keys SET expires_at = ${until} WHERE id = ${id}`,
      endConnectionsAt(id, until),
      ...storeKey(key, hash, operation),
    ]).finally(() => forgetKeys({ id }));
    admitKey(hash);
    return ok(key);
  });
}

/** The operation of an idempotency key, in the tenant that it belongs to. */
type KeyOperation = Operation & { tenant: string };

/** Returns the key that an operation created earlier. */
async function findCreatedKey(db: Database, operation: KeyOperation | null): Promise<Result<ApiKey> | null> {
  return operation === null ? null : findOperation<ApiKey>({ db, tenant: operation.tenant }, operation);
}

function storeKey(key: ApiKey, hash: string, operation: KeyOperation | null): SQL[] {
  const { id, tenant, name, scopes, created_at, expires_at, bind, created_by } = key;
  const binding = bind === null ? null : JSON.stringify(bind);
  return [
    sql`INSERT INTO api_keys (id, tenant, name, hash, scopes, created_at, expires_at, binding, created_by)
      VALUES (${id}, ${tenant}, ${name}, ${hash}, ${JSON.stringify(scopes)}, ${created_at}, ${expires_at}, ${binding},
        ${created_by})`,
    ...(operation === null ? [] : recordOperation(operation.tenant, operation, key, created_at)),
  ];
}

export async function findKeyById(db: Database, id: string): Promise<ApiKey | null> {
  const [row] = await sanitiseErrors(() => db.orm.select().from(apiKeys).where(eq(apiKeys.id, id)));
  return row === undefined ? null : toApiKey(row);
}

/** Records that a key was used, unless a later use is recorded. */
export async function recordKeyUse(db: Database, id: string, at: string): Promise<void> {
  await runBatch(db, [
    sql`UPDATE api_keys SET last_used_at = ${at} WHERE id = ${id} AND coalesce(last_used_at, '') < ${at}`,
  ]);
}

/** A key is found by the hash of its secret; that of a connection, which has no secret, by its id. */
export type KeyIdentity = { hash: string } | { id: string };

/** Returns a key. Authentication waits for this query, so it answers everything in one. */
export async function findApiKey(db: Database, identity: KeyIdentity): Promise<KeyOfCaller | null> {
  const [found] = await sanitiseErrors(() =>
    db.orm
      .select({
        key: apiKeys,
        usage: tenantUsage,
        has_capabilities: HAS_CAPABILITIES,
        privacy: PRIVACY,
        extensions: EXTENSIONS,
      })
      .from(apiKeys)
      .leftJoin(tenantUsage, eq(tenantUsage.tenant, apiKeys.tenant))
      .where("hash" in identity ? eq(apiKeys.hash, identity.hash) : eq(apiKeys.id, identity.id)),
  );
  if (found === undefined) return null;
  const { key, usage, has_capabilities, privacy, extensions } = found;
  return {
    ...toApiKey(key),
    hasCapabilities: has_capabilities === 1,
    usage: toUsage(usage),
    privacy: parsePrivacyRules(privacy),
    storedPrivacy: privacy,
    ontology: parseTenantOntology(extensions),
  };
}

const CAPABILITIES = Object.entries(INDIVIDUALS).flatMap(([name, { classes }]) =>
  (classes as readonly string[]).includes("Capability") ? [`jido:${name}`] : [],
);

/** Of the tenant of a row of `api_keys`. Names the objects, so that the index by object answers it. */
export const HAS_CAPABILITIES = sql<number>`EXISTS (SELECT 1 FROM triples t WHERE t.tenant = api_keys.tenant
  AND t.object_key IN (${sql.raw(CAPABILITIES.map((iri) => `'${iri}'`).join(", "))}) AND t.datatype = '' AND t.predicate = 'jido:hasCapability')`;

/** The stored privacy policies of the tenant of a row of `api_keys`. */
export const PRIVACY = sql<
  string | null
>`(SELECT rules FROM privacy_policies p WHERE p.tenant = api_keys.tenant)`;

/** Lists the keys of a tenant, or of all tenants if it is null, oldest first. */
export async function listApiKeys(
  db: Database,
  tenant: string | null,
  { limit, after }: { limit: number; after: KeyCursor | null },
): Promise<ApiKey[]> {
  const conditions: (SQL | undefined)[] = [];
  if (tenant !== null) conditions.push(eq(apiKeys.tenant, tenant));
  if (after !== null) {
    const sameTime = and(eq(apiKeys.created_at, after.created_at), gt(apiKeys.id, after.id));
    conditions.push(or(gt(apiKeys.created_at, after.created_at), sameTime));
  }
  const rows = await sanitiseErrors(() =>
    db.orm
      .select()
      .from(apiKeys)
      .where(and(...conditions))
      .orderBy(asc(apiKeys.created_at), asc(apiKeys.id))
      .limit(limit),
  );
  return rows.map(toApiKey);
}

/** Deletes a key of a tenant, or of any tenant if it is null, with its connections. Returns whether it existed. */
export async function deleteApiKey(db: Database, tenant: string | null, id: string): Promise<boolean> {
  const owner = tenant === null ? sql`` : sql`AND tenant = ${tenant}`;
  const [, deleted = []] = await runBatch(db, [
    sql`DELETE FROM api_keys WHERE ${matchConnections(id)} ${owner}`,
    sql`DELETE FROM api_keys WHERE id = ${id} ${owner} RETURNING id`,
  ]).finally(() => forgetKeys({ id }));
  return deleted.length > 0;
}

/** Returns those of the keys that exist and have not expired, for connections that outlive a request. */
export async function findActiveKeys(
  db: Database,
  tenant: string,
  ids: readonly string[],
  now: string,
): Promise<Set<string>> {
  const rows = await readAll<{ id: string }>(
    db,
    sql`SELECT id FROM api_keys WHERE tenant = ${tenant} AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      AND (expires_at IS NULL OR expires_at > ${now})`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** A tenant that never stored anything has no row. */
function toUsage(row: typeof tenantUsage.$inferSelect | null): TenantUsage {
  if (row === null) return NO_USAGE;
  const { tenant: _tenant, ...usage } = row;
  return usage;
}

function toApiKey({ hash, scopes, binding, ...row }: typeof apiKeys.$inferSelect): ApiKey {
  return {
    ...row,
    kind: isConnection({ hash }) ? "connection" : "key",
    scopes: parseJson<KeyScope[]>(scopes),
    bind: binding === null ? null : parseJson<ApiKey["bind"]>(binding),
  };
}
