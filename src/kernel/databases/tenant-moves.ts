// The moves of tenants between databases that are not finished. src/owners/shards runs them.
import { sql } from "drizzle-orm";
import type { Bindings } from "../env";
import { openDatabase, readAll } from "./d1";
import type { ShardName } from "./shard-bindings";

export const MOVE_STEPS = ["prepare", "copy", "index", "catch_up", "switch", "delete"] as const;
export type MoveStep = (typeof MOVE_STEPS)[number];

export type TenantMove = {
  tenant: string;
  source: ShardName;
  target: ShardName;
  step: MoveStep;
  /** Rows copied so far. */
  copied: number;
  started_at: string;
};

export type MoveRow = Omit<TenantMove, "step"> & { epoch: number; step: string; position: string | null };

export async function findMove(env: Bindings, tenant: string): Promise<TenantMove | null> {
  return (await listMoves(env)).find((move) => move.tenant === tenant) ?? null;
}

export async function listMoves(env: Bindings): Promise<TenantMove[]> {
  const rows = await readAll<MoveRow>(
    openDatabase(env.DB),
    sql`SELECT * FROM tenant_moves ORDER BY started_at`,
  );
  return rows.map(toMove);
}

export function toMove({ tenant, source, target, step, copied, started_at }: MoveRow): TenantMove {
  return { tenant, source, target, step: step as MoveStep, copied, started_at };
}

/**
 * Whether the tenant's indexer waits. It does from the first copied row on: what it dequeued then would be in the source's
 * index alone, where neither the copy of the vectors nor that of changed rows looks for it.
 */
export function pausesIndexer({ step }: TenantMove): boolean {
  return step !== "prepare" && step !== "delete";
}
