// Which keys still stand: for whoever holds a connection open longer than a call.
import { sql } from "drizzle-orm";
import { type Database, readAll } from "../../platform/d1";

export async function standingKeys(
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
