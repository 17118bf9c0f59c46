// Helpers of the tests with two databases.

import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { TenantMove } from "../../../src/kernel/databases/tenant-moves";
import type { Bindings } from "../../../src/kernel/env";
import type { MemoryWrite } from "../../../src/memories/store/commit-plan";
import { continueMove } from "../../../src/owners/shards/move-tenant";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { newMemory } from "../../fakes/records";
import { freshId } from "../support";

/** The bindings of a service with two databases. */
export const TWO: Bindings = { ...env, DB_1: env.SPARE_DB };

export async function prepareSecondDatabase(): Promise<void> {
  await applyD1Migrations(env.SPARE_DB, env.TEST_MIGRATIONS);
}

export function openStore(bindings: Bindings, tenant: string) {
  return createLongTermMemory(bindings, tenant, { now: Date.now });
}

export function buildWrite(content: string): MemoryWrite {
  const memory = newMemory({ session_id: "s", content, timestamp: "2026-03-01T12:00:00.000Z" });
  return { op: freshId("op"), fingerprint: "", memory };
}

/** Runs a move to its end, a step of work at a time. */
export async function finishMove(bindings: Bindings, tenant: string): Promise<void> {
  let left: TenantMove | null;
  do {
    left = await continueMove(bindings, tenant, { now: Date.now, until: 0 });
  } while (left !== null);
}

export async function countRows(d1: D1Database, table: string, tenant: string): Promise<number> {
  const counted = await d1
    .prepare(`SELECT count(*) AS rows FROM ${table} WHERE tenant = ?`)
    .bind(tenant)
    .first<number>("rows");
  return counted ?? 0;
}
