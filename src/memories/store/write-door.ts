// The write door: whatever is stored as a memory passes `writeMemories`, or `replaceMemory` for a successor. Each rule is
// applied here, once:
//   quota         the tenant may store more memories
//   privacy       secrets and personal data are masked: each write passes the gate on its way here, at the repository or
//                 into a session's outbox
//   topic         a single-valued statement gets the key under which a newer one supersedes it
//   source rank   a statement has at most the rank of what it rests on
//   shapes        the memory as it will be stored, new or merged, violates no shape of the ontology
//   relations     they lead to memories that exist, and never back to the memory
// The batch then asserts what the rules have read, so that a concurrent write cannot invalidate them.
//
// Four ways store rows without it. The rebuild of the read model and the move of a tenant copy rows that have passed. An
// import restores rows with their ids and history: it checks shapes and privacy record by record, so that a refusal names
// the line. Nodes of a knowledge graph and versions of a skill have batches of their own (graph-repository.ts,
// skill-repository.ts): their identity is not that of their content, and the service itself sets their properties.
import { type SQL, sql } from "drizzle-orm";
import type { Binding } from "../../kernel/access";
import { countFitting, retryConflicts, WRITES_PER_BATCH, WriteConflict } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import type { Failure, Result } from "../../kernel/errors";
import { runEventBatch } from "../../kernel/queue-events";
import type { StoreContext } from "../../kernel/store-context";
import { removeInvisible } from "../../kernel/validate-input";
import { buildContradictionLinks } from "../links/link-triples";
import { addActivity, type Memory, type NewMemory } from "../memory-schemas";
import { assertUnchanged } from "./change-memories";
import { checkShapes, type ShapeCheck } from "./check-memory";
import {
  buildCommitStatements,
  type CommitState,
  createMemory,
  type IdentifiedWrite,
  type MemoryWrite,
  planCommit,
  resolveWrite,
  type WrittenMemory,
} from "./commit-plan";
import { createEmptyState, listIdentities, readState } from "./commit-state";
import { assertSourceRanks, limitSourceRanks, MEMORY_PREFIX, type RankedStatement } from "./evidence-sources";
import { computeIdentity } from "./memory-id";
import { splitIntoParts } from "./memory-parts";
import { findMemory, selectByIdentity } from "./memory-queries";
import { isAcyclic, listTargets } from "./memory-relations";
import { deriveTopic, toMemoryTopic, toTopicName } from "./memory-topics";

/**
 * Writes memories in atomic batches and returns the result of each, in order. Each write is applied once: its batch records
 * the operation, in the row of the memory that it creates or in the log of operations, so a second batch with the same
 * operation aborts, and its caller reads the first result.
 */
export async function writeMemories(
  context: StoreContext,
  writes: readonly MemoryWrite[],
): Promise<Result<WrittenMemory>[]> {
  context.requireQuota?.("memories", "bytes");
  const sources = await limitSourceRanks(context, writes.map(toStatement));
  let rest = await Promise.all(
    writes.map((write, i) => prepareWrite(context, setSource(write, sources[i] ?? write.memory.source_type))),
  );
  const results: Result<WrittenMemory>[] = [];
  while (rest.length > 0) {
    const next = rest.slice(0, WRITES_PER_BATCH);
    const round = takeIndependent(next.slice(0, countFitting(next)));
    rest = rest.slice(round.length);
    results.push(...(await commitRound(context, round)));
  }
  return results;
}

/**
 * Writes a memory that supersedes another, live one, and is built from it. Returns null if there is no such memory.
 * Starts over if the other changes meanwhile. The source is the other's, which was limited when that was written.
 */
export function replaceMemory(
  context: StoreContext,
  id: string,
  { build, within }: { build: (before: Memory) => Pick<MemoryWrite, "memory" | "topic">; within: Binding },
): Promise<Result<WrittenMemory> | null> {
  return retryConflicts(async () => {
    const before = await findMemory(context, id);
    if (before === null) return null;
    context.requireQuota?.("memories", "bytes");
    const { memory, topic } = build(before);
    const write = await prepareWrite(context, {
      op: crypto.randomUUID(),
      memory: { ...memory, activity: { kind: "change" } },
      ...(topic === undefined ? {} : { topic }),
      supersedes: [id],
      updates: true,
      within,
    });
    const state = await readState(context, [write]);
    const [result] = await applyPlan(context, state, [write], assertUnchanged(context.tenant, [before]));
    return result ?? null;
  });
}

/** Checks the shapes of memories as new ones, for a caller who answers before they reach the door. */
export function checkNewMemories(
  { ontology }: StoreContext,
  memories: readonly NewMemory[],
): Promise<ShapeCheck[]> {
  return Promise.all(memories.map((memory) => checkShapes(ontology, createMemory("new", memory))));
}

/** Returns what a write states and rests on, links to what it is derived from included. */
function toStatement({ memory, links = [], restsOn = [] }: MemoryWrite): RankedStatement {
  const origins = links.flatMap(({ relation, to }) => (relation === "derived_from" ? to : []));
  const { session_id, source_type } = memory;
  const evidence = [...memory.evidence, ...origins.map((id) => MEMORY_PREFIX + id)];
  return { session_id, source_type, evidence, restsOn };
}

function setSource<T extends MemoryWrite>(write: T, source_type: NewMemory["source_type"]): T {
  return { ...write, memory: { ...write.memory, source_type } };
}

/** Gives a write its topic and its activity, splits a long turn into parts, and computes the identity of each. */
async function prepareWrite(context: StoreContext, write: MemoryWrite): Promise<IdentifiedWrite> {
  const visible = removeHiddenText(write.memory);
  const derived = write.topic === "derive" ? deriveTopic(visible) : null;
  const memory = addActivity(context, { ...visible, topic_key: visible.topic_key ?? derived });
  const identify = async (part: NewMemory) => ({
    memory: part,
    identity: await computeIdentity(context.tenant, part),
  });
  const [first, ...rest] = await splitIntoParts(memory);
  return { ...write, ...(await identify(first)), rest: await Promise.all(rest.map(identify)) };
}

/** Returns the identity of each memory, and the id that it would be stored with: that of the live memory with its content. */
export async function identifyMemories(
  context: StoreContext,
  memories: readonly NewMemory[],
): Promise<{ identity: string; id: string }[]> {
  const writes = await Promise.all(memories.map((memory) => prepareWrite(context, { op: "", memory })));
  const { live, nextIds } = await readState(context, writes);
  return writes.map(({ identity }) => ({
    identity,
    id: live.get(identity)?.id ?? nextIds.get(identity) ?? identity,
  }));
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
async function commitRound(
  context: StoreContext,
  round: readonly IdentifiedWrite[],
): Promise<Result<WrittenMemory>[]> {
  try {
    if (!round.some((write) => namesSuperseded(write) || recentIdentities.has(write.identity)))
      return await applyPlan(context, createEmptyState(), round, [
        ...assertAllNew(context, round),
        ...assertSourceRanks(context, round.map(toStatement)),
      ]);
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
  }
  return retryConflicts(async () => {
    const limited = await limitAgain(context, round);
    const assertions = assertSourceRanks(context, limited.map(toStatement));
    return applyPlan(context, await readState(context, limited), limited, assertions);
  });
}

/** Limits the sources of a round again, with all parts of its writes: what they rest on has changed since. */
async function limitAgain(
  context: StoreContext,
  round: readonly IdentifiedWrite[],
): Promise<IdentifiedWrite[]> {
  const sources = await limitSourceRanks(context, round.map(toStatement));
  return round.map((write, i) => {
    const source_type = sources[i] ?? write.memory.source_type;
    const rest = write.rest.map((part) => ({ ...part, memory: { ...part.memory, source_type } }));
    return { ...setSource(write, source_type), rest };
  });
}

/** Plans a round and runs it as one batch. Returns the results of its writes. */
async function applyPlan(
  context: StoreContext,
  state: CommitState,
  round: readonly IdentifiedWrite[],
  assertions: readonly SQL[],
): Promise<Result<WrittenMemory>[]> {
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
    const failure = before === after ? null : (await checkShapes(ontology, after, "violation")).failure;
    if (failure !== null) refusals.set(write.op, failure);
  }
  return refusals;
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
