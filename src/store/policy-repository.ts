// The memory policies of a tenant's agents, as they were given.
import { sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../platform/d1";
import { parseJson } from "../platform/json";
import type { PolicyInput } from "../schemas/policy";
import type { StoreContext } from "./store-context";

/** Null for an agent that was given none. */
export async function readPolicy(db: Database, tenant: string, agentId: string): Promise<PolicyInput | null> {
  const [row] = await readAll<{ policy: string }>(
    db,
    sql`SELECT policy FROM policies WHERE tenant = ${tenant} AND agent_id = ${agentId}`,
  );
  return row === undefined ? null : parseJson<PolicyInput>(row.policy);
}

export async function savePolicy(
  db: Database,
  tenant: string,
  { agentId, policy, at }: { agentId: string; policy: PolicyInput; at: string },
): Promise<void> {
  await runBatch(db, [
    sql`INSERT OR REPLACE INTO policies (tenant, agent_id, policy, updated_at)
      VALUES (${tenant}, ${agentId}, ${JSON.stringify(policy)}, ${at})`,
  ]);
}

export function createPolicyRepository({ db, tenant, now }: StoreContext) {
  return {
    find: (agentId: string) => readPolicy(db, tenant, agentId),
    save: (agentId: string, policy: PolicyInput) => savePolicy(db, tenant, { agentId, policy, at: now() }),
  };
}
