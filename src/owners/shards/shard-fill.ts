// How full a database is, and which of its tenants have the most text.
import { sql } from "drizzle-orm";
import { openDatabase, runBatch, sanitiseErrors } from "../../kernel/databases/d1";

/** Enough to relieve a database by its largest tenants. */
const LISTED_TENANTS = 100;

type TenantText = { tenant: string; text_bytes: number };

export async function readShardFill(name: string, d1: D1Database) {
  const [sums, tenants] = await runBatch(openDatabase(d1), [
    sql`SELECT count(*) AS tenant_count, coalesce(sum(bytes), 0) AS text_bytes FROM tenant_usage`,
    sql`SELECT tenant, bytes AS text_bytes FROM tenant_usage ORDER BY bytes DESC, tenant LIMIT ${LISTED_TENANTS}`,
  ]);
  const [sum] = (sums ?? []) as { tenant_count: number; text_bytes: number }[];
  const { meta } = await sanitiseErrors(() => d1.prepare("SELECT 1").run());
  return {
    name,
    bytes: meta.size_after,
    tenant_count: sum?.tenant_count ?? 0,
    text_bytes: sum?.text_bytes ?? 0,
    tenants: (tenants ?? []) as TenantText[],
  };
}
