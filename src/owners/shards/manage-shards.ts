// Reports how full the databases are, and moves tenants between them.

import { sql } from "drizzle-orm";
import type { z } from "zod";
import { openDatabase, runBatch, sanitiseErrors } from "../../kernel/databases/d1";
import { isKnownTenant } from "../../kernel/databases/place-tenant";
import { isShardName, listShards } from "../../kernel/databases/shard-bindings";
import { listMoves } from "../../kernel/databases/tenant-moves";
import type { Bindings } from "../../kernel/env";
import { failure } from "../../kernel/errors";
import { SHARD_CAPACITY_BYTES } from "../../kernel/limits";
import { SECOND_MS } from "../../kernel/time";
import type { ShardReport, TenantMoveProgress } from "../../trust/keys/administration-schemas";
import { beginMove, continueMove } from "./move-tenant";

// How full a database is, and which of its tenants have the most text.

/** Enough to relieve a database by its largest tenants. */
const LISTED_TENANTS = 100;

type TenantText = { tenant: string; text_bytes: number };

async function readShardFill(name: string, d1: D1Database) {
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

// Which tenants to move from a full database to an emptier one. Pure.

type ShardFill = {
  name: string;
  /** The size of the database. */
  bytes: number;
  /** The tenants with the most text, largest first. */
  tenants: readonly { tenant: string; text_bytes: number }[];
  /** The text of all its tenants. */
  text_bytes: number;
};

type SuggestedMove = { tenant: string; from: string; to: string; bytes: number };

/** A database that is fuller than this should give tenants away, down to the second: there is time to move them. */
const FULL = 0.7;
const RELAXED = 0.55;

/**
 * Suggests moves of the largest tenants. A tenant takes as much of its database as of the text in it, and moves only to
 * where it leaves room.
 */
function suggestMoves(shards: readonly ShardFill[], capacity: number): SuggestedMove[] {
  const sizes = new Map(shards.map(({ name, bytes }) => [name, bytes]));
  const getSize = (name: string) => sizes.get(name) ?? 0;
  const moves: SuggestedMove[] = [];
  for (const { name: from, bytes, tenants, text_bytes } of shards) {
    if (bytes <= FULL * capacity || text_bytes === 0) continue;
    for (const { tenant, text_bytes: own } of tenants) {
      if (getSize(from) <= RELAXED * capacity) break;
      const size = Math.round((bytes * own) / text_bytes);
      const to = shards
        .map(({ name }) => name)
        .filter((name) => name !== from)
        .toSorted((a, b) => getSize(a) - getSize(b))[0];
      if (to === undefined || getSize(to) + size > FULL * capacity) continue;
      moves.push({ tenant, from, to, bytes: size });
      sizes.set(from, getSize(from) - size);
      sizes.set(to, getSize(to) + size);
    }
  }
  return moves;
}

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
