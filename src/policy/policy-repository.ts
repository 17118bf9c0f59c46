// The memory policies of agents, as the callers gave them.

import { sql } from "drizzle-orm";
import { requestCompaction } from "../kernel/databases/compaction";
import { readAll, runBatch } from "../kernel/databases/d1";
import { declareMethods } from "../kernel/declare-methods";
import { parseJson } from "../kernel/json";
import type { StoreContext } from "../kernel/store-context";
import type { PolicyInput } from "../sessions/policy-settings";

export function createPolicyRepository(context: StoreContext) {
  const { db, tenant, now } = context;
  const { reads, removes, writes } = declareMethods(context);

  return {
    find: reads(async (agentId: string): Promise<PolicyInput | null> => {
      const [row] = await readAll<{ policy: string }>(
        db,
        sql`SELECT policy FROM policies WHERE tenant = ${tenant} AND agent_id = ${agentId}`,
      );
      return row === undefined ? null : parseJson<PolicyInput>(row.policy);
    }),

    /** Erases the policy of an agent and returns whether there was one. */
    erase: removes(async (agentId: string): Promise<boolean> => {
      const [deleted] = await runBatch(db, [
        sql`DELETE FROM policies WHERE tenant = ${tenant} AND agent_id = ${agentId} RETURNING agent_id`,
        requestCompaction,
      ]);
      return (deleted ?? []).length > 0;
    }),

    save: writes(async (agentId: string, policy: PolicyInput): Promise<void> => {
      await runBatch(db, [
        sql`INSERT OR REPLACE INTO policies (tenant, agent_id, policy, updated_at)
          VALUES (${tenant}, ${agentId}, ${JSON.stringify(policy)}, ${now()})`,
      ]);
    }),
  };
}
