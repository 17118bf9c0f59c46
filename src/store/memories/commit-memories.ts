// Commits memories in atomic batches. Each write is applied once: its batch records the operation, in the row of the
// memory that it creates or in the log of operations, so a second batch with the same operation aborts, and its caller
// reads the first result.
import { type SQL, sql } from "drizzle-orm";
import { type Binding, isWithinBinding, UNBOUND } from "../../domain/access";
import { countFitting, readAll, retryConflicts, runBatch, WriteConflict } from "../../platform/d1";
import type { Failure, Result } from "../../platform/errors";
import type { Memory, NewMemory } from "../../schemas/memory";
import { removeInvisible } from "../../schemas/validate-input";
import { addActivity } from "../lineage/memory-activity";
import { refuseShapes } from "../ontology/check-memory";
import type { AppliedOperation } from "../operation-log";
import { assertThat } from "../statements";
import type { StoreContext } from "../store-context";
import { assertEvidence, lowerToEvidence } from "../trust/evidence-sources";
import { buildContradictionLinks } from "../trust/link-contradictions";
import { runEventBatch } from "../webhooks/queue-events";
import { assertUnchanged } from "./change-memories";
import {
  buildCommitStatements,
  type CommitState,
  type IdentifiedWrite,
  type MemoryWrite,
  planCommit,
  resolveWrite,
  type Supersedable,
  toAppliedOperation,
  toWritten,
  type WriteResult,
  type WrittenMemory,
} from "./commit-plan";
import { computeGenerationId, computeIdentity } from "./memory-id";
import type { MemoryRow } from "./memory-mapping";
import { splitIntoParts } from "./memory-parts";
import { findMemory, selectByIdentity } from "./memory-queries";
import { isAcyclic, listTargets, NO_RELATIONS, readRelationState } from "./memory-relations";
import {
  type MemoryTopic,
  selectTopicMembers,
  type TopicMember,
  toMemoryTopic,
  toTopicName,
} from "./memory-topics";

/** Writes in one batch: few enough that a slow batch does not delay other callers for long. */
export const COMMIT_BATCH_SIZE = 50;

export async function commitMemories(
  context: StoreContext,
  writes: readonly MemoryWrite[],
): Promise<WriteResult[]> {
  const { tenant } = context;
  context.requireRoom?.("memories", "bytes");
  const results: WriteResult[] = [];
  const sourced = await lowerToEvidence(
    context,
    writes.map(({ memory }) => memory),
  );
  let rest = await Promise.all(
    writes.map((write, i) =>
      identifyWrite(tenant, { ...write, memory: addActivity(context, sourced[i] ?? write.memory) }),
    ),
  );
  while (rest.length > 0) {
    const next = rest.slice(0, COMMIT_BATCH_SIZE);
    const round = takeIndependent(next.slice(0, countFitting(next)));
    rest = rest.slice(round.length);
    results.push(...(await commitRound(context, round)));
  }
  return results;
}

async function identifyWrite(tenant: string, write: MemoryWrite): Promise<IdentifiedWrite> {
  const identify = async (memory: NewMemory) => ({ memory, identity: await computeIdentity(tenant, memory) });
  const [first, ...rest] = await splitIntoParts(removeHiddenText(write.memory));
  return { ...write, ...(await identify(first)), rest: await Promise.all(rest.map(identify)) };
}

/** Removes invisible characters from a memory, whichever way its text came. A text of nothing else stays. */
function removeHiddenText(memory: NewMemory): NewMemory {
  const { content, rationale } = memory;
  return {
    ...memory,
    content: removeInvisible(content) || content,
    rationale: rationale === null ? null : removeInvisible(rationale) || null,
  };
}

/** Lists the identities that a round would create. */
function listIdentities(round: readonly IdentifiedWrite[]): string[] {
  return round.flatMap(({ identity, rest }) => [identity, ...rest.map((part) => part.identity)]);
}

function createEmptyState(): CommitState {
  return {
    applied: new Map(),
    live: new Map(),
    nextIds: new Map(),
    liveInSession: new Map(),
    topics: new Map(),
    supersedable: new Map(),
    relations: NO_RELATIONS,
  };
}

/** Identities that this isolate has written lately: the same content is often remembered again, and then not new. */
const recentIdentities = new Set<string>();
const MAX_RECENT_IDENTITIES = 2_000;

function addRecentIdentities(identities: readonly string[]): void {
  for (const identity of identities) {
    recentIdentities.delete(identity);
    recentIdentities.add(identity);
  }
  for (const oldest of recentIdentities) {
    if (recentIdentities.size <= MAX_RECENT_IDENTITIES) break;
    recentIdentities.delete(oldest);
  }
}

/**
 * Tries the batch as if all content and all topics were new, in one round trip, since most are. Reads the state only if
 * they are not, or are known to be stored.
 */
async function commitRound(context: StoreContext, round: readonly IdentifiedWrite[]): Promise<WriteResult[]> {
  try {
    if (!round.some((write) => namesSuperseded(write) || recentIdentities.has(write.identity)))
      return await applyPlan(context, createEmptyState(), round, [
        ...assertAllNew(context, round),
        ...assertRanks(context, round),
      ]);
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
  }
  return retryConflicts(async () => {
    const ranked = await lowerRanks(context, round);
    return applyPlan(context, await readState(context, ranked), ranked, assertRanks(context, ranked));
  });
}

/** Asserts that no write of the round outranks what it rests on. */
function assertRanks(context: StoreContext, round: readonly IdentifiedWrite[]): SQL[] {
  return assertEvidence(
    context,
    round.map(({ memory }) => memory),
  );
}

/** Gives the writes of a round, with all their parts, the lowest source of what they rest on now. */
async function lowerRanks(
  context: StoreContext,
  round: readonly IdentifiedWrite[],
): Promise<IdentifiedWrite[]> {
  const lowered = await lowerToEvidence(
    context,
    round.map(({ memory }) => memory),
  );
  return round.map((write, i) => {
    const { source_type } = lowered[i] ?? write.memory;
    const lower = (memory: NewMemory) => ({ ...memory, source_type });
    const rest = write.rest.map((part) => ({ ...part, memory: lower(part.memory) }));
    return { ...write, memory: lower(write.memory), rest };
  });
}

/** Plans a round and runs it as one batch. Returns the results of its writes. */
async function applyPlan(
  context: StoreContext,
  state: CommitState,
  round: readonly IdentifiedWrite[],
  assertions: readonly SQL[],
): Promise<WriteResult[]> {
  const { tenant, now, memoriesPerSession, ranks } = context;
  const at = now();
  const refusals = await refuseWrites(context, state, round);
  const plan = planCommit(state, round, { memoriesPerSession, ranks, refusals });
  await runEventBatch(context, [
    ...assertions,
    ...buildCommitStatements(tenant, plan, at),
    ...(await buildContradictionLinks(tenant, plan.contradictions, at)),
  ]);
  addRecentIdentities(listIdentities(round));
  return plan.results;
}

/** Returns the failures of the writes whose memories would violate a shape, by operation. */
async function refuseWrites(
  { ontology, ranks }: StoreContext,
  state: CommitState,
  round: readonly IdentifiedWrite[],
): Promise<Map<string, Failure>> {
  const refusals = new Map<string, Failure>();
  for (const write of round) {
    const { before, after } = resolveWrite(state, write, ranks);
    const failure = before === after ? null : await refuseShapes(ontology, after);
    if (failure !== null) refusals.set(write.op, failure);
  }
  return refusals;
}

/**
 * Writes a memory that supersedes another, live one, and is built from it. Returns null if there is no such memory.
 * Starts over if the other changes meanwhile.
 */
export function replaceMemory(
  context: StoreContext,
  id: string,
  { build, within }: { build: (before: Memory) => NewMemory; within: Binding },
): Promise<Result<WrittenMemory> | null> {
  const { tenant, requireRoom } = context;
  return retryConflicts(async () => {
    const before = await findMemory(context, id);
    if (before === null) return null;
    requireRoom?.("memories", "bytes");
    const memory = addActivity(context, { ...build(before), activity: { kind: "change" } });
    const identity = await computeIdentity(tenant, memory);
    const write = {
      op: crypto.randomUUID(),
      fingerprint: "",
      memory,
      identity,
      rest: [],
      supersedes: [id],
      updates: true,
      within,
    };
    const state = await readState(context, [write]);
    const [result] = await applyPlan(context, state, [write], assertUnchanged(tenant, [before]));
    return result === undefined ? null : toWritten(result);
  });
}

/** Asserts that no operation of the round is recorded, that none of its content is stored, and that every session has room. */
function assertAllNew(
  { tenant, memoriesPerSession }: StoreContext,
  round: readonly IdentifiedWrite[],
): SQL[] {
  const bySession = Map.groupBy(
    round.filter(({ memory }) => memory.session_id !== null),
    ({ memory }) => memory.session_id,
  );
  const sessions = JSON.stringify(
    [...bySession].map(([id, writes]) => ({ id, writes: listIdentities(writes).length })),
  );
  const ops = JSON.stringify(round.map(({ op }) => op));
  return [
    assertThat(
      sql`NOT EXISTS (SELECT 1 FROM operations WHERE tenant = ${tenant} AND op IN (SELECT value FROM json_each(${ops})))`,
    ),
    assertThat(sql`NOT EXISTS (${selectByIdentity(tenant, listIdentities(round))})`),
    assertThat(sql`NOT EXISTS (SELECT 1 FROM json_each(${sessions}) j WHERE ${memoriesPerSession} < (j.value ->> '$.writes') + (
      SELECT count(*) FROM memories m WHERE m.tenant = ${tenant} AND m.session_id = j.value ->> '$.id' AND m.live = 1))`),
  ];
}

/**
 * Returns the longest prefix whose writes touch different memories and topics, so that one batch can hold them. A
 * write that supersedes others, or has an acyclic relation, forms a round of its own, because the next write may
 * concern the same memories.
 */
function takeIndependent(writes: readonly IdentifiedWrite[]): IdentifiedWrite[] {
  const seen = new Set<string>();
  const round: IdentifiedWrite[] = [];
  for (const write of writes) {
    const topic = toMemoryTopic(write.memory);
    const targets = listTargets(write.memory.properties);
    const isAlone = namesSuperseded(write) || targets.some(isAcyclic);
    const keys = [write.op, write.identity, ...(topic === null ? [] : [toTopicName(topic)])];
    const touched = [...keys, ...targets.map(({ to }) => to)];
    if (touched.some((key) => seen.has(key)) || (isAlone && round.length > 0)) break;
    for (const key of keys) seen.add(key);
    round.push(write);
    if (isAlone) break;
  }
  return round;
}

function namesSuperseded({ supersedes = [] }: MemoryWrite): boolean {
  return supersedes.length > 0;
}

async function readState(context: StoreContext, writes: readonly IdentifiedWrite[]): Promise<CommitState> {
  const { db, tenant } = context;
  const sessions = new Set(writes.flatMap(({ memory }) => memory.session_id ?? []));
  const ops = JSON.stringify(writes.map(({ op }) => op));
  const identities = listIdentities(writes);
  const topics = writes.flatMap(({ memory }) => toMemoryTopic(memory) ?? []);
  const superseded = JSON.stringify(writes.flatMap(({ supersedes = [] }) => supersedes));
  const [applied, rows, creators, counts, members, supersedable] = (await runBatch(db, [
    sql`SELECT op, fingerprint, response FROM operations
      WHERE tenant = ${tenant} AND op IN (SELECT value FROM json_each(${ops}))`,
    selectByIdentity(tenant, identities),
    // A memory whose content was changed keeps its id, and the operation that created it.
    sql`SELECT id, op FROM memories WHERE tenant = ${tenant} AND op IN (SELECT value FROM json_each(${ops}))
      AND id IN (SELECT value FROM json_each(${JSON.stringify(identities)}))`,
    sql`SELECT value AS session_id,
        (SELECT count(*) FROM memories m WHERE m.tenant = ${tenant} AND m.session_id = value AND m.live = 1) AS live
      FROM json_each(${JSON.stringify([...sessions])})`,
    selectTopicMembers(tenant, topics),
    sql`SELECT id, source_type, user_id, agent_id, project_id FROM memories WHERE tenant = ${tenant} AND live = 1
      AND id IN (SELECT value FROM json_each(${superseded}))`,
  ])) as [
    AppliedOperation[],
    MemoryRow[],
    Pick<MemoryRow, "id" | "op">[],
    { session_id: string; live: number }[],
    (TopicMember & MemoryTopic)[],
    Supersedable[],
  ];
  const generations = Map.groupBy(rows, (row) => row.identity);
  const live = new Map(
    writes.flatMap(({ identity, within = UNBOUND }) => {
      const row = generations
        .get(identity)
        ?.findLast((one) => one.live === 1 && isWithinBinding(within, one));
      return row === undefined ? [] : [[identity, row] as const];
    }),
  );
  const withoutLive = writes.filter(({ identity }) => !live.has(identity));
  const next = listIdentities(withoutLive).map((identity) => ({
    identity,
    generation: generations.get(identity)?.length ?? 0,
  }));
  return {
    applied: new Map([...creators.flatMap(toAppliedOperation), ...applied].map((row) => [row.op, row])),
    live,
    nextIds: await findFreeIds(context, next),
    liveInSession: new Map(counts.map((row) => [row.session_id, row.live])),
    topics: Map.groupBy(members, toTopicName),
    supersedable: new Map(supersedable.map((row) => [row.id, row])),
    relations: await readRelationState(
      context,
      writes.flatMap(({ memory }) => listTargets(memory.properties)),
    ),
  };
}

/** Skips ids in use: erasing a generation leaves a gap, and a memory whose content is changed keeps its id. */
async function findFreeIds(
  { db, tenant }: StoreContext,
  wanted: readonly { identity: string; generation: number }[],
): Promise<Map<string, string>> {
  const free = new Map<string, string>();
  for (let rest = wanted; rest.length > 0; ) {
    const candidates = await Promise.all(
      rest.map(async ({ identity, generation }) => ({
        identity,
        generation,
        id: await computeGenerationId(identity, generation),
      })),
    );
    const found = await readAll<{ id: string }>(
      db,
      sql`SELECT id FROM memories WHERE tenant = ${tenant}
        AND id IN (SELECT value FROM json_each(${JSON.stringify(candidates.map(({ id }) => id))}))`,
    );
    const taken = new Set(found.map(({ id }) => id));
    for (const { identity, id } of candidates) if (!taken.has(id)) free.set(identity, id);
    rest = candidates.flatMap(({ identity, generation, id }) =>
      taken.has(id) ? [{ identity, generation: generation + 1 }] : [],
    );
  }
  return free;
}
