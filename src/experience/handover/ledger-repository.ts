// The ledgers of agents: every checkpoint is a version, and the newest is the agent's current state.

import { type SQL, sql } from "drizzle-orm";
import { requestCompaction } from "../../kernel/databases/compaction";
import { readAll, runBatch } from "../../kernel/databases/d1";
import { declareMethods } from "../../kernel/declare-methods";
import { sha256Hex } from "../../kernel/hash";
import { parseJson } from "../../kernel/json";
import { EXPERIENCE } from "../../kernel/limits";
import type { StoreContext } from "../../kernel/store-context";
import type { ledgers } from "../../kernel/tables";
import { canonicalJson } from "../../language/json-text";
import type { Ledger, LedgerFields } from "./handover-schemas";

type LedgerRow = Omit<typeof ledgers.$inferSelect, "tenant">;
/** The digest lets SQL compare a checkpoint with the one before it. */
type StoredLedger = LedgerFields & { digest: string };

export type Checkpoint = LedgerFields & {
  agent_id: string;
  /** Null if the agent gave no time: then it is now, and not compared with the checkpoint before. */
  last_checkpoint: string | null;
};

export function createLedgerRepository(context: StoreContext) {
  const { db, tenant, now } = context;
  const { reads, removes, writes } = declareMethods(context);

  return {
    /** Adds a checkpoint unless it equals the newest; returns the newest. */
    save: writes(async ({ agent_id, last_checkpoint, ...fields }: Checkpoint): Promise<Ledger> => {
      const stored: StoredLedger = { ...fields, digest: await sha256Hex(canonicalJson(fields)) };
      const ofAgent = sql`tenant = ${tenant} AND agent_id = ${agent_id}`;
      const newest = selectNewest(ofAgent);
      // One statement reads and writes, so that concurrent checkpoints get different versions.
      const [, , rows] = await runBatch(db, [
        sql`WITH newest AS (${newest})
          INSERT INTO ledgers (tenant, agent_id, version, ledger, last_checkpoint)
          SELECT ${tenant}, ${agent_id}, coalesce((SELECT version FROM newest), 0) + 1, ${JSON.stringify(stored)}, ${last_checkpoint ?? now()}
          WHERE NOT EXISTS (SELECT 1 FROM newest
            WHERE ledger ->> '$.digest' = ${stored.digest} AND last_checkpoint = coalesce(${last_checkpoint}, last_checkpoint))`,
        sql`DELETE FROM ledgers WHERE ${ofAgent}
          AND version <= (SELECT version FROM (${newest})) - ${EXPERIENCE.checkpointsPerAgent}`,
        newest,
      ]);
      const [row] = (rows ?? []) as LedgerRow[];
      if (row === undefined) throw new Error("A ledger was written and cannot be read");
      return toLedger(row);
    }),

    /** Erases the checkpoints of an agent and returns how many there were. */
    erase: removes(async (agentId: string): Promise<number> => {
      const ofAgent = sql`FROM ledgers WHERE tenant = ${tenant} AND agent_id = ${agentId}`;
      const [rows] = await runBatch(db, [
        sql`SELECT count(*) AS n ${ofAgent}`,
        sql`DELETE ${ofAgent}`,
        // A stored reply may repeat a checkpoint.
        sql`DELETE FROM operations WHERE tenant = ${tenant} AND quotes = 1`,
        requestCompaction,
      ]);
      const [counted] = (rows ?? []) as { n: number }[];
      return counted?.n ?? 0;
    }),

    /** Returns the checkpoints of an agent, newest first. */
    list: reads(
      async (
        agentId: string,
        { limit, before }: { limit: number; before: number | null },
      ): Promise<Ledger[]> => {
        const rows = await readAll<LedgerRow>(
          db,
          sql`SELECT agent_id, version, ledger, last_checkpoint FROM ledgers
          WHERE tenant = ${tenant} AND agent_id = ${agentId} AND version < ${before ?? Number.MAX_SAFE_INTEGER}
          ORDER BY version DESC LIMIT ${limit}`,
        );
        return rows.map(toLedger);
      },
    ),
  };
}

function selectNewest(ofAgent: SQL): SQL {
  return sql`SELECT agent_id, version, ledger, last_checkpoint FROM ledgers WHERE ${ofAgent}
    ORDER BY version DESC LIMIT 1`;
}

function toLedger({ agent_id, version, ledger, last_checkpoint }: LedgerRow): Ledger {
  const { digest: _digest, ...fields } = parseJson<StoredLedger>(ledger);
  return { agent_id, version, last_checkpoint, ...fields };
}
