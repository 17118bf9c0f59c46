// Writes memories: one atomic batch, after a read where something of it is known already. Each write is applied once, however often it is sent: the
// batch records its operation, and a second batch with the same operation aborts and answers the first result.
import { type SQL, sql } from "drizzle-orm";
import { type Failure, fail, keyReused } from "../errors";
import { parseJson } from "../json";
import { LIMITS } from "../limits";
import type { Memory, NewMemory } from "../schemas/memory";
import { fitting } from "./chunks";
import { batch, type Database, RaceLost, retryRaces } from "./database";
import { identityOf, idOfLife, scopeOf } from "./identity";
import { fromRow, type MemoryRow, type NewRow, toRow } from "./rows";
import {
  assertThat,
  indexRows,
  insertRows,
  insertTriples,
  recordAccess,
  recordOperations,
  supersedeTopics,
  type TopicTaker,
} from "./statements";
import { type Triple, toTriples } from "./triples";

export type MemoryWrite = {
  /** Unique per intended write; the same one again is the same write. */
  op: string;
  /** What the write was asked with, for idempotency keys; "" when the op is the service's own. */
  fingerprint: string;
  memory: NewMemory;
};

export type WriteResult =
  | { op: string; status: "written"; memory_id: string; deduplicated: boolean }
  | { op: string; status: "rejected"; failure: Failure };

type Applied = { memory_id: string; deduplicated: boolean };

/** What the batch finds in the store before it writes. */
type Known = {
  applied: Map<string, { fingerprint: string; response: string }>;
  lives: Map<string, MemoryRow[]>;
  liveInSession: Map<string, number>;
};

/** What the batch will do. */
type Plan = {
  results: WriteResult[];
  operations: { op: string; fingerprint: string; response: string }[];
  created: { memory: Memory; identity: string }[];
  merged: { before: Memory; after: Memory; identity: string }[];
  takers: TopicTaker[];
};

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
    const round = independent(next.slice(0, fitting(next)));
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
    const plan = await makePlan(known, round, memoriesPerSession, now());
    await batch(db, [...premises, ...statementsOf(tenant, plan, now())]);
    return plan.results;
  };
  try {
    const nothing: Known = { applied: new Map(), lives: new Map(), liveInSession: new Map() };
    return await apply(nothing, allNew(tenant, round, memoriesPerSession));
  } catch (error) {
    if (!(error instanceof RaceLost)) throw error;
  }
  return retryRaces(async () => apply(await lookUp(db, tenant, round), []));
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

type Identified = MemoryWrite & { identity: string };

/** The longest beginning whose writes do not touch each other's memory or topic: one batch can hold them. */
function independent(writes: readonly Identified[]): Identified[] {
  const seen = new Set<string>();
  const round: Identified[] = [];
  for (const write of writes) {
    const { topic_key } = write.memory;
    const keys = [
      write.op,
      write.identity,
      ...(topic_key === null ? [] : [`${scopeOf(write.memory)} ${topic_key}`]),
    ];
    if (keys.some((key) => seen.has(key))) break;
    for (const key of keys) seen.add(key);
    round.push(write);
  }
  return round;
}

async function lookUp(db: Database, tenant: string, writes: readonly Identified[]): Promise<Known> {
  const sessions = new Set(writes.flatMap(({ memory }) => memory.session_id ?? []));
  const ops = JSON.stringify(writes.map(({ op }) => op));
  const identities = JSON.stringify(writes.map(({ identity }) => identity));
  const [applied, rows, counts] = (await batch(db, [
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
  return {
    applied: new Map(applied.map((row) => [row.op, row])),
    lives: Map.groupBy(rows, (row) => row.identity),
    liveInSession: new Map(counts.map((row) => [row.session_id, row.live])),
  };
}

async function makePlan(
  known: Known,
  writes: readonly Identified[],
  limit: number,
  now: string,
): Promise<Plan> {
  const plan: Plan = { results: [], operations: [], created: [], merged: [], takers: [] };
  for (const { op, fingerprint, memory, identity } of writes) {
    const applied = known.applied.get(op);
    if (applied !== undefined) {
      plan.results.push(replay(op, fingerprint, applied));
      continue;
    }
    const lives = known.lives.get(identity) ?? [];
    const living = lives.find((row) => row.live === 1);
    const result: Applied = {
      memory_id: living?.id ?? (await newId(identity, lives)),
      deduplicated: living !== undefined,
    };
    if (living !== undefined) {
      const before = fromRow(living);
      plan.merged.push({ before, after: merge(before, memory), identity });
    } else {
      const full = sessionFull(known, memory, limit);
      if (full !== null) {
        plan.results.push({ op, status: "rejected", failure: full });
        continue;
      }
      plan.created.push({ memory: newMemory(result.memory_id, memory, now), identity });
    }
    if (memory.topic_key !== null) {
      const valid_from = memory.valid_from ?? memory.timestamp;
      plan.takers.push({ id: result.memory_id, scope: scopeOf(memory), key: memory.topic_key, valid_from });
    }
    plan.operations.push({ op, fingerprint, response: JSON.stringify(result) });
    plan.results.push({ op, status: "written", ...result });
  }
  return plan;
}

/** The next life's id. An erased life leaves a gap in the count, so ids that are taken are passed over. */
async function newId(identity: string, lives: readonly MemoryRow[]): Promise<string> {
  const taken = new Set(lives.map(({ id }) => id));
  for (let life = lives.length; ; life += 1) {
    const id = await idOfLife(identity, life);
    if (!taken.has(id)) return id;
  }
}

function replay(
  op: string,
  fingerprint: string,
  applied: { fingerprint: string; response: string },
): WriteResult {
  if (applied.fingerprint !== fingerprint) {
    return { op, status: "rejected", failure: keyReused().failure };
  }
  return { op, status: "written", ...parseJson<Applied>(applied.response) };
}

/** Counts this write in; past the limit, a clear error instead of a dropped memory. */
function sessionFull(known: Known, memory: NewMemory, limit: number): Failure | null {
  if (memory.session_id === null) return null;
  const live = known.liveInSession.get(memory.session_id) ?? 0;
  if (live >= limit) {
    return fail(
      "limit_exceeded",
      `Session ${memory.session_id} holds ${live} live memories, the limit is ${limit}. Forget some, or go on in a new session.`,
    ).failure;
  }
  known.liveInSession.set(memory.session_id, live + 1);
  return null;
}

/** A memory at the beginning of its life. */
export function newMemory(id: string, memory: NewMemory, now: string): Memory {
  return {
    ...memory,
    id,
    valid_until: null,
    superseded_by: null,
    invalidated_by: null,
    forgotten_at: null,
    forget_reason: null,
    access_count: 0,
    last_accessed: now,
  };
}

/** Remembering the same thing again: the higher confidence, the evidence of both. */
function merge(before: Memory, again: NewMemory): Memory {
  const newProperties = Object.fromEntries(
    Object.entries(again.properties).filter(([name]) => !(name in before.properties)),
  );
  return {
    ...before,
    confidence: Math.max(before.confidence, again.confidence),
    importance: Math.max(before.importance, again.importance),
    rationale: before.rationale ?? again.rationale,
    topic_key: again.topic_key ?? before.topic_key,
    evidence: [...new Set([...before.evidence, ...again.evidence])].slice(0, LIMITS.evidenceItems),
    properties: { ...before.properties, ...newProperties },
  };
}

function statementsOf(tenant: string, plan: Plan, now: string): SQL[] {
  if (plan.operations.length === 0) return [];
  const statements = [recordOperations(tenant, plan.operations, now)];
  if (plan.created.length > 0) {
    statements.push(
      insertTriples(
        tenant,
        plan.created.flatMap(({ memory }) => toTriples(memory)),
      ),
      ...insertRows(
        tenant,
        plan.created.map(({ memory, identity }) => toRow(tenant, identity, memory)),
      ),
    );
  }
  if (plan.merged.length > 0) statements.push(...mergeStatements(tenant, plan.merged, now));
  if (plan.takers.length > 0) statements.push(...supersedeTopics(tenant, plan.takers));
  return statements;
}

/** Aborts when one of them changed since it was read: then its merge must be made again, or be a new life. */
function mergeStatements(tenant: string, merged: Plan["merged"], now: string): SQL[] {
  const ids = merged.map(({ after }) => after.id);
  const read = JSON.stringify(merged.map(({ before, identity }) => toRow(tenant, identity, before)));
  const statements: SQL[] = [
    assertThat(sql`count(*) = ${ids.length} FROM json_each(${read}) j CROSS JOIN memories m
      ON m.tenant = ${tenant} AND m.id = j.value ->> '$.id'
      WHERE m.live AND m.confidence = j.value ->> '$.confidence' AND m.importance = j.value ->> '$.importance'
        AND m.rationale IS j.value ->> '$.rationale' AND m.topic_key IS j.value ->> '$.topic_key'
        AND m.evidence = j.value ->> '$.evidence' AND m.properties = j.value ->> '$.properties'`),
    ...recordAccess(tenant, ids, now),
  ];
  const changed = merged.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  for (const { before, after, identity } of changed) {
    const had = toTriples(before).map(key);
    const has = toTriples(after).map(key);
    const gone = toTriples(before).filter((triple) => !has.includes(key(triple)));
    const come = toTriples(after).filter((triple) => !had.includes(key(triple)));
    for (const { subject, predicate } of gone) {
      statements.push(
        sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${subject} AND predicate = ${predicate}`,
      );
    }
    statements.push(insertTriples(tenant, come), updateRow(tenant, toRow(tenant, identity, after)));
    if (before.rationale !== after.rationale)
      statements.push(indexRows(tenant, [toRow(tenant, identity, after)]));
  }
  return statements;
}

function key({ predicate, object }: Triple): string {
  return `${predicate} ${object}`;
}

function updateRow(tenant: string, row: NewRow): SQL {
  return sql`UPDATE memories SET confidence = ${row.confidence}, importance = ${row.importance}, rationale = ${row.rationale},
      topic_key = ${row.topic_key}, evidence = ${row.evidence}, properties = ${row.properties}
    WHERE tenant = ${tenant} AND id = ${row.id}`;
}
