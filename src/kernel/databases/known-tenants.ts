// Which tenants there are: those with keys, and those that have stored something.
import { sql } from "drizzle-orm";
import type { Bindings } from "../env";
import { openDatabase, readAll } from "./d1";

/** `DB` has the keys and the number of every tenant. */
export async function isKnownTenant(env: Bindings, tenant: string): Promise<boolean> {
  const rows = await readAll(
    openDatabase(env.DB),
    sql`SELECT 1 FROM api_keys WHERE tenant = ${tenant} UNION ALL SELECT 1 FROM tenants WHERE tenant = ${tenant} LIMIT 1`,
  );
  return rows.length > 0;
}

/** Lists tenants in order, whatever database they are in. */
export async function listTenants(
  env: Bindings,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await readAll<{ tenant: string }>(
    openDatabase(env.DB),
    sql`SELECT tenant FROM tenants WHERE tenant > ${after} ORDER BY tenant LIMIT ${limit}`,
  );
  return rows.map(({ tenant }) => tenant);
}
