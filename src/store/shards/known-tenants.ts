// Which tenants there are: those with keys, and those that have stored something.
import { sql } from "drizzle-orm";
import { openDatabase, readAll } from "../../platform/d1";
import type { Bindings } from "../../platform/env";

/** `DB` has the keys and the number of every tenant. */
export async function isKnownTenant(env: Bindings, tenant: string): Promise<boolean> {
  const rows = await readAll(
    openDatabase(env.DB),
    sql`SELECT 1 FROM api_keys WHERE tenant = ${tenant} UNION ALL SELECT 1 FROM tenants WHERE tenant = ${tenant} LIMIT 1`,
  );
  return rows.length > 0;
}
