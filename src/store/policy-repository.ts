// The memory policies of agents, as the callers gave them.
import { sql } from "drizzle-orm";
import { readAll, runBatch } from "../platform/d1";
import { parseJson } from "../platform/json";
import type { PolicyInput } from "../schemas/policy";
import { requestCompaction } from "./compaction";
import type { StoreContext } from "./store-context";

export function createPolicyRepository({ db, tenant, now }: StoreContext) {
  return {
    async find(agentId: string): Promise<PolicyInput | null> {
      const [row] = await readAll<{ policy: string }>(
        db,
        sql`SELECT policy FROM policies WHERE tenant = ${tenant} AND agent_id = ${agentId}`,
      );
      return row === undefined ? null : parseJson<PolicyInput>(row.policy);
    },

    /** Erases the policy of an agent and returns whether there was one. */
    async erase(agentId: string): Promise<boolean> {
      const [deleted] = await runBatch(db, [
        sql`DELETE FROM policies WHERE tenant = ${tenant} AND agent_id = ${agentId} RETURNING agent_id`,
        requestCompaction,
      ]);
      return (deleted ?? []).length > 0;
    },

    async save(agentId: string, policy: PolicyInput): Promise<void> {
      await runBatch(db, [
        sql`INSERT OR REPLACE INTO policies (tenant, agent_id, policy, updated_at)
          VALUES (${tenant}, ${agentId}, ${JSON.stringify(policy)}, ${now()})`,
      ]);
    },
  };
}
