// Writes memories: one atomic batch, after a read where something of it is known already. Each write is applied once,
// however often it is sent: the batch records its operation, and a second batch with the same operation aborts and
// answers the first result.
import { type SQL, sql } from "drizzle-orm";
import { LIMITS } from "../../limits";
import { type Database, readAll, retryConflicts, runBatch, WriteConflict } from "../../platform/d1";
import { countFitting } from "../../platform/json-chunks";
import { assertThat } from "../statements";
import {
  type Identified,
  type Known,
  type MemoryWrite,
  makePlan,
  statementsOf,
  type WriteResult,
} from "./commit-plan";
import { identityOf, idOfLife, scopeOf } from "./memory-id";
import type { MemoryRow } from "./memory-mapping";

export type { MemoryWrite, WriteResult } from "./commit-plan";

export async function commitMemories(
  db: Database,
  tenant: string,
  writes: readonly MemoryWrite[],
  { now, memoriesPerSession }: { now: () => string; memoriesPerSession: number },
): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  let rest = await Promise.all(
    writes.map(async (write) => ({ ...write, identity: await identityOf(tenant, write.memory) })),
  );
  while (rest.length > 0) {
    const next = rest.slice(0, LIMITS.commitBatch);
    const round = independent(next.slice(0, countFitting(next)));
    rest = rest.slice(round.length);
    results.push(...(await commitRound(db, tenant, round, { now, memoriesPerSession })));
  }
  return results;
}

/** Most writes are new: they go in one round trip, and only what turns out to be known is looked up first. */
async function commitRound(
  db: Database,
  tenant: string,
  round: readonly Identified[],
  { now, memoriesPerSession }: { now: () => string; memoriesPerSession: number },
): Promise<WriteResult[]> {
  const apply = async (known: Known, premises: readonly SQL[]) => {
    const plan = makePlan(known, round, memoriesPerSession, now());
    await runBatch(db, [...premises, ...statementsOf(tenant, plan, now())]);
    return plan.results;
  };
  try {
    const nothing: Known = {
      applied: new Map(),
      living: new Map(),
      nextIds: new Map(),
      liveInSession: new Map(),
    };
    return await apply(nothing, allNew(tenant, round, memoriesPerSession));
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
  }
  return retryConflicts(async () => apply(await lookUp(db, tenant, round), []));
}

/** Nobody has remembered any of it, and every session has room for its part. */
function allNew(tenant: string, round: readonly Identified[], memoriesPerSession: number): SQL[] {
  const identities = JSON.stringify(round.map(({ identity }) => identity));
  const bySession = Map.groupBy(
    round.filter(({ memory }) => memory.session_id !== null),
    ({ memory }) => memory.session_id,
  );
  const sessions = JSON.stringify([...bySession].map(([id, writes]) => ({ id, writes: writes.length })));
  return [
    assertThat(sql`NOT EXISTS (SELECT 1 FROM memories
      WHERE tenant = ${tenant} AND identity IN (SELECT value FROM json_each(${identities})))`),
    assertThat(sql`NOT EXISTS (SELECT 1 FROM json_each(${sessions}) j WHERE ${memoriesPerSession} < (j.value ->> '$.writes') + (
      SELECT count(*) FROM memories m WHERE m.tenant = ${tenant} AND m.session_id = j.value ->> '$.id' AND m.live = 1))`),
  ];
}

/**
 * The longest beginning whose writes do not touch each other's memory or topic: one batch can hold them. What takes
 * the place of others goes alone, because they may be what the next one writes, or replaces too.
 */
function independent(writes: readonly Identified[]): Identified[] {
  const seen = new Set<string>();
  const round: Identified[] = [];
  for (const write of writes) {
    const { topic_key } = write.memory;
    const replaces = write.supersedes !== undefined && write.supersedes.length > 0;
    const keys = [
      write.op,
      write.identity,
      ...(topic_key === null ? [] : [`${scopeOf(write.memory)} ${topic_key}`]),
    ];
    if (keys.some((key) => seen.has(key)) || (replaces && round.length > 0)) break;
    for (const key of keys) seen.add(key);
    round.push(write);
    if (replaces) break;
  }
  return round;
}

async function lookUp(db: Database, tenant: string, writes: readonly Identified[]): Promise<Known> {
  const sessions = new Set(writes.flatMap(({ memory }) => memory.session_id ?? []));
  const ops = JSON.stringify(writes.map(({ op }) => op));
  const identities = JSON.stringify(writes.map(({ identity }) => identity));
  const [applied, rows, counts] = (await runBatch(db, [
    sql`SELECT op, fingerprint, response FROM operations
      WHERE tenant = ${tenant} AND op IN (SELECT value FROM json_each(${ops}))`,
    sql`SELECT * FROM memories WHERE tenant = ${tenant} AND identity IN (SELECT value FROM json_each(${identities}))`,
    sql`SELECT value AS session_id,
        (SELECT count(*) FROM memories m WHERE m.tenant = ${tenant} AND m.session_id = value AND m.live = 1) AS live
      FROM json_each(${JSON.stringify([...sessions])})`,
  ])) as [
    { op: string; fingerprint: string; response: string }[],
    MemoryRow[],
    { session_id: string; live: number }[],
  ];
  const lives = Map.groupBy(rows, (row) => row.identity);
  const living = new Map(rows.filter(({ live }) => live === 1).map((row) => [row.identity, row]));
  const dead = writes.filter(({ identity }) => !living.has(identity));
  const next = dead.map(({ identity }) => ({ identity, life: lives.get(identity)?.length ?? 0 }));
  return {
    applied: new Map(applied.map((row) => [row.op, row])),
    living,
    nextIds: await freeIds(db, tenant, next),
    liveInSession: new Map(counts.map((row) => [row.session_id, row.live])),
  };
}

/** Ids that are taken are passed over: an erased life leaves a gap, and a memory that changes its words keeps its id. */
async function freeIds(
  db: Database,
  tenant: string,
  wanted: readonly { identity: string; life: number }[],
): Promise<Map<string, string>> {
  const free = new Map<string, string>();
  for (let rest = wanted; rest.length > 0; ) {
    const tried = await Promise.all(
      rest.map(async ({ identity, life }) => ({ identity, life, id: await idOfLife(identity, life) })),
    );
    const found = await readAll<{ id: string }>(
      db,
      sql`SELECT id FROM memories WHERE tenant = ${tenant}
        AND id IN (SELECT value FROM json_each(${JSON.stringify(tried.map(({ id }) => id))}))`,
    );
    const taken = new Set(found.map(({ id }) => id));
    for (const { identity, id } of tried) if (!taken.has(id)) free.set(identity, id);
    rest = tried.flatMap(({ identity, life, id }) => (taken.has(id) ? [{ identity, life: life + 1 }] : []));
  }
  return free;
}
