// The keys of connections: what the tokens of an OAuth client act as. A connection is a key without a secret, made from
// the key of the person who consented. It ends with that key at the latest, and so do its tokens.
import { type SQL, sql } from "drizzle-orm";
import type { Binding } from "../../kernel/access";
import { type Database, readAll, runBatch } from "../../kernel/databases/d1";
import { assertThat, hasPrefix } from "../../kernel/databases/statements";
import { randomHex } from "../../kernel/hash";
import { forgetKeys } from "../../kernel/known-keys";
import type { ApiKey } from "./administration-schemas";

const HASH = sql`hash`;
/** In the column for the hash of a secret: no secret has such a hash. The index of that column finds the connections. */
const PREFIX = "oauth:";

/** Matches the connections that were made with a key. */
export function matchConnections(keyId: string): SQL {
  return hasPrefix(HASH, `${PREFIX}${keyId}:`);
}

/** Returns whether a stored key is that of a connection. */
export function isConnection({ hash }: { hash: string }): boolean {
  return hash.startsWith(PREFIX);
}

/** Ends the connections of a key that ends. */
export function endConnectionsAt(keyId: string, until: string): SQL {
  return sql`UPDATE api_keys SET expires_at = ${until} WHERE ${matchConnections(keyId)}
    AND (expires_at IS NULL OR expires_at > ${until})`;
}

/** Returns how many connections of a key have not ended. */
export async function countConnections(db: Database, keyId: string, now: string): Promise<number> {
  const [row] = await readAll<{ count: number }>(db, sql`SELECT ${countLive(keyId, now)} AS count`);
  return row?.count ?? 0;
}

function countLive(keyId: string, now: string): SQL {
  return sql`(SELECT count(*) FROM api_keys WHERE ${matchConnections(keyId)} AND expires_at > ${now})`;
}

/**
 * Stores a connection, and removes those of the same key that have ended. Throws WriteConflict if that key has ended, or has
 * as many connections as it may have.
 */
export async function insertConnection(
  db: Database,
  key: ApiKey,
  parentKeyId: string,
  max: number,
): Promise<void> {
  const { id, tenant, name, scopes, created_at, expires_at, bind } = key;
  await runBatch(db, [
    assertThat(sql`EXISTS (SELECT 1 FROM api_keys WHERE id = ${parentKeyId} AND tenant = ${tenant}
      AND (expires_at IS NULL OR expires_at > ${created_at}))`),
    assertThat(sql`${countLive(parentKeyId, created_at)} < ${max}`),
    sql`DELETE FROM api_keys WHERE ${matchConnections(parentKeyId)} AND expires_at <= ${created_at}`,
    sql`INSERT INTO api_keys (id, tenant, name, hash, scopes, created_at, expires_at, binding, created_by)
      VALUES (${id}, ${tenant}, ${name}, ${`${PREFIX}${parentKeyId}:${randomHex(16)}`}, ${JSON.stringify(scopes)},
        ${created_at}, ${expires_at}, ${bind === null ? null : JSON.stringify(bind)}, ${parentKeyId})`,
  ]);
}

/** Sets the end of a connection that has not ended, up to that of the key it was made with. Returns whether there is one. */
export async function extendConnectionUntil(
  db: Database,
  id: string,
  { until, now }: { until: string; now: string },
): Promise<boolean> {
  const parentKey = sql`FROM api_keys parent WHERE parent.id = api_keys.created_by`;
  const [rows = []] = await runBatch(db, [
    sql`UPDATE api_keys SET expires_at = min(${until}, coalesce((SELECT parent.expires_at ${parentKey}), ${until}))
      WHERE id = ${id} AND ${hasPrefix(HASH, PREFIX)} AND expires_at > ${now} AND EXISTS (SELECT 1 ${parentKey})
      RETURNING id`,
  ]).finally(() => forgetKeys({ id }));
  return rows.length > 0;
}

/** Deletes the connections of a tenant that are bound to an owner. Returns how many there were. */
export async function deleteBoundConnections(
  db: Database,
  tenant: string,
  field: keyof Binding,
  id: string,
): Promise<number> {
  const [rows = []] = await runBatch(db, [
    sql`DELETE FROM api_keys WHERE ${hasPrefix(HASH, PREFIX)} AND tenant = ${tenant}
      AND binding ->> ${`$.${field}`} = ${id} RETURNING id`,
  ]).finally(() => forgetKeys({ tenant }));
  return rows.length;
}
