// Helpers of the tests about usage: a tenant's usage object, recalls at any time, and the counts as D1 has them.
import { env } from "cloudflare:workers";
import type { UsageObject } from "../../durable-objects/usage";

export function usageStub(tenant: string): DurableObjectStub<UsageObject> {
  return env.USAGE.getByName(tenant) as unknown as DurableObjectStub<UsageObject>;
}

/** Counts a recall of memories at a time, in D1. */
export async function recallAt(tenant: string, ids: readonly string[], at: string): Promise<void> {
  const stub = usageStub(tenant);
  await stub.record(tenant, { at, memories: [...ids], episodes: [], raises: "hourly" });
  await stub.flush();
}

/** The counts of a tenant in D1, by id. */
export async function readCounts(
  tenant: string,
  kind: "memory" | "episode" = "memory",
): Promise<Record<string, [uses: number, last: string, importance: number | null]>> {
  const { results } = await env.DB.prepare(
    "SELECT json(counts) AS counts FROM usage_counts WHERE tenant = ? AND kind = ?",
  )
    .bind(tenant, kind)
    .all<{ counts: string }>();
  return Object.assign({}, ...results.map(({ counts }) => JSON.parse(counts)));
}
