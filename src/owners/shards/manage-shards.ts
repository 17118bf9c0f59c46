// Reports how full the databases are, and moves tenants between them.
import type { z } from "zod";
import { isKnownTenant } from "../../kernel/databases/known-tenants";
import { isShardName, listShards } from "../../kernel/databases/shard-bindings";
import type { Bindings } from "../../kernel/env";
import { failure } from "../../kernel/errors";
import { SHARD_CAPACITY_BYTES } from "../../kernel/limits";
import { SECOND_MS } from "../../kernel/time";
import type { ShardReport, TenantMoveProgress } from "../../trust/keys/administration-schemas";
import { beginMove, continueMove, listMoves } from "./move-tenant";
import { readShardFill } from "./shard-fill";
import { suggestMoves } from "./suggest-moves";

/** One call moves for so long; the next one, or the cron job, continues. */
const MOVE_CALL_MS = 15 * SECOND_MS;

export async function reportShards(env: Bindings): Promise<z.infer<typeof ShardReport>> {
  const [fills, moves] = await Promise.all([
    Promise.all(listShards(env).map(({ name, d1 }) => readShardFill(name, d1))),
    listMoves(env),
  ]);
  return {
    shards: fills.map(({ name, bytes, tenant_count, tenants }) => ({
      name,
      bytes,
      capacity: SHARD_CAPACITY_BYTES,
      tenants: tenant_count,
      largest: tenants.slice(0, SHOWN_TENANTS),
    })),
    moves,
    suggestions: suggestMoves(fills, SHARD_CAPACITY_BYTES),
  };
}

const SHOWN_TENANTS = 10;

/** Begins or continues a move. Returns how far it is. */
export async function moveTenant(
  env: Bindings,
  tenant: string,
  shard: string,
): Promise<z.infer<typeof TenantMoveProgress>> {
  const names = listShards(env).map(({ name }) => name);
  if (!isShardName(shard) || !names.includes(shard))
    throw failure(
      "unprocessable",
      `shard: no database ${shard} is bound. There ${names.length === 1 ? "is" : "are"} ${names.join(", ")}.`,
    );
  // Otherwise a name with a typo would count as moved.
  if (!(await isKnownTenant(env, tenant))) throw failure("not_found", `Tenant not found: ${tenant}`);
  await beginMove(env, tenant, shard, new Date().toISOString());
  const move = await continueMove(env, tenant, { now: Date.now, until: Date.now() + MOVE_CALL_MS });
  return { finished: move === null, move };
}
