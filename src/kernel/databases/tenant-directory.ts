// Which database has a tenant. Each isolate remembers it without end: whoever uses it has the database confirm it, and
// asks the directory again if it is outdated.
import type { Bindings } from "../env";
import { HOME_SHARD, isShardName, type ShardName } from "./shard-bindings";

/**
 * The epoch counts the tenant's moves, so that a tenant that has moved away and back is told from one that never did. A
 * tenant that began in another database than `DB` has moved once.
 */
export type Placement = { shard: ShardName; epoch: number };

export const NEVER_MOVED: Placement = { shard: HOME_SHARD, epoch: 0 };

/** More tenants than an isolate serves at a time. */
const MAX_REMEMBERED = 10_000;

const remembered = new WeakMap<D1Database, Map<string, Placement>>();

function openMemory({ DB }: Bindings): Map<string, Placement> {
  const known = remembered.get(DB);
  if (known !== undefined) return known;
  const opened = new Map<string, Placement>();
  remembered.set(DB, opened);
  return opened;
}

export async function locateTenant(env: Bindings, tenant: string): Promise<Placement> {
  const memory = openMemory(env);
  const known = memory.get(tenant);
  if (known !== undefined) return known;
  const placement = await readPlacement(env, tenant);
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(tenant, placement);
  return placement;
}

/** Reads the directory, whatever is remembered. */
export async function readPlacement(env: Bindings, tenant: string): Promise<Placement> {
  const row = await env.DB.prepare("SELECT shard, epoch FROM tenant_shards WHERE tenant = ?")
    .bind(tenant)
    .first<{ shard: string; epoch: number }>();
  if (row === null) return NEVER_MOVED;
  if (!isShardName(row.shard)) throw new Error("The directory names no database.");
  return { shard: row.shard, epoch: row.epoch };
}

export function forgetPlacement(env: Bindings, tenant: string): void {
  openMemory(env).delete(tenant);
}
