// Agents' ledgers: every checkpoint is a version of its own, and the newest is where the agent stands.
import { type SQL, sql } from "drizzle-orm";
import { EXPERIENCE } from "../../limits";
import { type Database, readAll, runBatch } from "../../platform/d1";
import { sha256Hex } from "../../platform/hash";
import { parseJson } from "../../platform/json";
import type { Ledger, LedgerFields } from "../../schemas/handover";
import { canonicalJson } from "../../text/json-text";
import type { StoreContext } from "../store-context";

type LedgerRow = { agent_id: string; version: number; ledger: string; last_checkpoint: string };
/** The digest tells in SQL whether a checkpoint says what the one before it says. */
type Kept = LedgerFields & { digest: string };

export type Checkpoint = LedgerFields & {
  agent_id: string;
  /** Null when the agent did not say: then it is now, and no difference to the checkpoint before. */
  last_checkpoint: string | null;
};

/** Adds a checkpoint, unless it says just what the newest says; gives the newest. */
export async function saveLedger(
  db: Database,
  tenant: string,
  { agent_id, last_checkpoint, ...told }: Checkpoint,
  now: string,
): Promise<Ledger> {
  const kept: Kept = { ...told, digest: await sha256Hex(canonicalJson(told)) };
  const mine = sql`tenant = ${tenant} AND agent_id = ${agent_id}`;
  // One statement reads and writes: however many write at once, each gets a version.
  const [, , rows] = await runBatch(db, [
    sql`WITH newest AS (${newestOf(mine)})
      INSERT INTO ledgers (tenant, agent_id, version, ledger, last_checkpoint)
      SELECT ${tenant}, ${agent_id}, coalesce((SELECT version FROM newest), 0) + 1, ${JSON.stringify(kept)}, ${last_checkpoint ?? now}
      WHERE NOT EXISTS (SELECT 1 FROM newest
        WHERE ledger ->> '$.digest' = ${kept.digest} AND last_checkpoint = coalesce(${last_checkpoint}, last_checkpoint))`,
    sql`DELETE FROM ledgers WHERE ${mine}
      AND version <= (SELECT version FROM (${newestOf(mine)})) - ${EXPERIENCE.checkpointsPerAgent}`,
    newestOf(mine),
  ]);
  const [row] = (rows ?? []) as LedgerRow[];
  if (row === undefined) throw new Error("A ledger was written and cannot be read");
  return toLedger(row);
}

function newestOf(mine: SQL): SQL {
  return sql`SELECT agent_id, version, ledger, last_checkpoint FROM ledgers WHERE ${mine}
    ORDER BY version DESC LIMIT 1`;
}

/** An agent's checkpoints, newest first; of one that never made any, none. */
export async function listLedgers(
  db: Database,
  tenant: string,
  agentId: string,
  { limit, before }: { limit: number; before: number | null },
): Promise<Ledger[]> {
  const rows = await readAll<LedgerRow>(
    db,
    sql`SELECT agent_id, version, ledger, last_checkpoint FROM ledgers
      WHERE tenant = ${tenant} AND agent_id = ${agentId} AND version < ${before ?? Number.MAX_SAFE_INTEGER}
      ORDER BY version DESC LIMIT ${limit}`,
  );
  return rows.map(toLedger);
}

function toLedger({ agent_id, version, ledger, last_checkpoint }: LedgerRow): Ledger {
  const { digest: _, ...told } = parseJson<Kept>(ledger);
  return { agent_id, version, last_checkpoint, ...told };
}

export function createLedgerRepository({ db, tenant, now }: StoreContext) {
  return {
    save: (checkpoint: Checkpoint) => saveLedger(db, tenant, checkpoint, now()),
    list: (agentId: string, page: { limit: number; before: number | null }) =>
      listLedgers(db, tenant, agentId, page),
  };
}
