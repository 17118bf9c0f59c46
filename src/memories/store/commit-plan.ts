// Plans a batch of writes against the state of the store: which create a memory, which merge into a live one, which
// are refused. Then builds the statements of the plan.
import type { SQL } from "drizzle-orm";
import { type Binding, isWithinBinding, type Owner, UNBOUND } from "../../kernel/access";
import type { SourceType } from "../../kernel/common";
import { splitIntoChunks } from "../../kernel/databases/d1";
import { type Failure, fail, idempotencyKeyReused, ok, type Result } from "../../kernel/errors";
import { parseJson } from "../../kernel/json";
import { LIMITS } from "../../kernel/limits";
import { type AppliedOperation, recordOperations } from "../../kernel/operation-log";
import { queueMemoryEvents } from "../../kernel/queue-events";
import { insertTriples } from "../../ontology/triples";
import { outranks, type SourceRanks } from "../../trust/source-rank";
import type { LinkProperty } from "../links/link-schemas";
import type { ContradictingMemories } from "../links/link-triples";
import { type Memory, MemoryMetadata, type NewMemory } from "../memory-schemas";
import { recordAccess } from "../usage/usage-counts";
import { assertUnchanged, buildChangeStatements, type MemoryChange } from "./change-memories";
import { assertSupersedable, type Successor, supersedeMemories } from "./forget-memories";
import {
  fromMemoryRow,
  insertMemoryRows,
  type MemoryRow,
  toMemoryRow,
  toMemoryTriples,
} from "./memory-mapping";
import {
  assertTargets,
  filterTargets,
  listNewTargets,
  type NewRelations,
  type RelationState,
  refuseCycle,
} from "./memory-relations";
import {
  assertTopicsKnown,
  type MemoryTopic,
  selectOutdated,
  type TopicMember,
  toMemoryTopic,
  toTopicName,
} from "./memory-topics";
import { mergeContent } from "./merge-content";
import { queueVectors, selectIds } from "./vector-queue";

/** A memory on its way into the store, from the call or the rule that states it up to the batch. */
export type MemoryWrite = {
  /** Identifies the write. Sending it again has no further effect. */
  op: string;
  /** A hash of the request behind an idempotency key. Operations of the service itself have none. */
  fingerprint?: string;
  memory: NewMemory;
  /** Its links, which its caller writes once it is stored. Those to what it is derived from limit its source. */
  links?: readonly LinkProperty[];
  /** Sources of messages that it rests on, for a session that has messages which D1 does not have yet. */
  restsOn?: readonly SourceType[];
  /** Ids of memories that this one supersedes, as far as they are live. */
  supersedes?: readonly string[];
  /** Its properties replace those of a live memory with the same content; otherwise they only fill gaps. */
  updates?: boolean;
  /**
   * `derive`: without a key it gets the one that follows from its content. `keep`: it leaves the other live memories of
   * its topic as they are.
   */
  topic?: "derive" | "keep";
  /** The owner that the writer is limited to: memories of others are neither merged with nor superseded. */
  within?: Binding;
  /** Whether it comes from short-term memory. */
  isPromoted?: boolean;
  /** Whether the same operation may come again with other content. */
  isRepeatable?: boolean;
};

/** A memory with the identity of its content. */
type IdentifiedMemory = { memory: NewMemory; identity: string };

export type IdentifiedWrite = MemoryWrite & {
  identity: string;
  /** The parts after the first, if the content is longer than a memory: written with the first, or not at all. */
  rest: readonly IdentifiedMemory[];
};

export type WrittenMemory = {
  memory_id: string;
  deduplicated: boolean;
  /** Ids of the memories that were live until this write. */
  superseded: string[];
  /** Ids of the memories of a higher rank that it would have superseded: they stay, and it contradicts them. */
  contradicts: string[];
  /** The source of the statement, limited to what it rests on. A memory with the same content may have a higher one. */
  source_type: SourceType;
  /** The owner of the statement: in a session the session's, completed by the call's. */
  owner: Owner;
  /** What the shapes miss in the memory, and links that were not written. Added by the operation. */
  warnings?: string[];
};

/** A live memory that a write may supersede. */
export type Supersedable = Pick<Memory, "id" | "source_type"> & Owner;

/** The state of the store that a batch depends on. */
export type CommitState = {
  applied: Map<string, AppliedOperation>;
  /** The live memory of each identity. */
  live: Map<string, MemoryRow>;
  /** The id of each identity's next generation, where it differs from the identity. */
  nextIds: Map<string, string>;
  liveInSession: Map<string, number>;
  /** The live memories of each topic, by its name. */
  topics: Map<string, TopicMember[]>;
  /** Those of the memories to be superseded that are live. */
  supersedable: ReadonlyMap<string, Supersedable>;
  relations: RelationState;
};

type CommitPlan = {
  /** In the order of the writes. */
  results: Result<WrittenMemory>[];
  operations: AppliedOperation[];
  /** `op` is set where the row of the memory records the operation, since its result follows from the row alone. */
  created: { memory: Memory; identity: string; op: string | null }[];
  merged: MemoryChange[];
  related: NewRelations[];
  /** The topics that the plan depends on, with their live memories. */
  topics: { topic: MemoryTopic; members: string[] }[];
  successors: (Successor & Pick<Memory, "source_type">)[];
  contradictions: ContradictingMemories[];
  /** Ids of the memories that were promoted from short-term memory. */
  promoted: string[];
};

type CommitRules = {
  memoriesPerSession: number;
  ranks: SourceRanks;
  /** The failures of writes that the shapes refuse, by operation. */
  refusals: ReadonlyMap<string, Failure>;
};

/** A write against the state of the store: the memory that it creates or changes, before and after. */
type ResolvedWrite = { memory: NewMemory; id: string; before: Memory | null; after: Memory };

export function resolveWrite(state: CommitState, write: IdentifiedWrite, ranks: SourceRanks): ResolvedWrite {
  const { identity, updates = false } = write;
  const memory = filterTargets(write.memory, (to) => !state.relations.missingTargets.has(to));
  const live = state.live.get(identity);
  const id = live?.id ?? state.nextIds.get(identity) ?? identity;
  const before = live === undefined ? null : fromMemoryRow(live);
  const after = before === null ? createMemory(id, memory) : mergeContent(before, memory, { updates, ranks });
  return { memory, id, before, after };
}

export function planCommit(
  state: CommitState,
  writes: readonly IdentifiedWrite[],
  { memoriesPerSession, ranks, refusals }: CommitRules,
): CommitPlan {
  const plan: CommitPlan = {
    results: [],
    operations: [],
    created: [],
    merged: [],
    related: [],
    topics: [],
    successors: [],
    contradictions: [],
    promoted: [],
  };
  for (const write of writes) {
    const { op, fingerprint = "", identity, rest, supersedes = [], within = UNBOUND } = write;
    const keepsTopic = write.topic === "keep";
    const applied = state.applied.get(op);
    if (applied !== undefined) {
      plan.results.push(replayResult(write, applied));
      continue;
    }
    const { memory, id, before, after } = resolveWrite(state, write, ranks);
    const targets = listNewTargets(before?.properties ?? {}, after.properties);
    const failure =
      refusals.get(op) ??
      refuseCycle([id, ...supersedes], targets, state.relations) ??
      (before === null
        ? countInSession(state, memory, { count: 1 + rest.length, limit: memoriesPerSession })
        : refuseLabels(after));
    if (failure !== null) {
      plan.results.push({ ok: false, failure });
      continue;
    }
    if (targets.length > 0) plan.related.push({ ids: [id, ...supersedes], targets });
    if (before !== null && after !== before) plan.merged.push({ before, after, identity });
    const topic = after.topic_key === memory.topic_key ? toMemoryTopic(after) : null;
    const members = topic === null ? [] : (state.topics.get(toTopicName(topic)) ?? []);
    if (topic !== null && !keepsTopic)
      plan.topics.push({ topic, members: members.map((member) => member.id) });
    const replaceable = keepsTopic ? [] : members.filter((member) => isWithinBinding(within, member));
    const named = supersedes.flatMap((old) => state.supersedable.get(old) ?? []);
    const outdated = [
      ...named.filter((owner) => isWithinBinding(within, owner)),
      ...selectOutdated(memory, replaceable),
    ].filter((other) => other.id !== id);
    const { superseded, standing } = splitByRank(ranks, memory.source_type, outdated);
    // A memory that stays as it is makes no statement of its own.
    const contradicts = after === before ? [] : standing;
    const valid_from = memory.valid_from ?? memory.timestamp;
    plan.successors.push(
      ...superseded.map(({ id: old, source_type }) => ({ id, old, valid_from, source_type })),
    );
    plan.contradictions.push(...contradicts.map((to) => ({ from: id, to: to.id })));
    if (write.isPromoted === true) plan.promoted.push(id);
    const result: WrittenMemory = {
      memory_id: id,
      deduplicated: before !== null,
      superseded: superseded.map((old) => old.id),
      contradicts: contradicts.map((other) => other.id),
      source_type: memory.source_type,
      owner: getOwner(memory),
    };
    const isPlain =
      before === null &&
      id === identity &&
      fingerprint === "" &&
      write.isRepeatable !== true &&
      isWithoutEffects(result);
    if (before === null)
      plan.created.push(
        { memory: after, identity, op: isPlain ? op : null },
        ...rest.map((part) => ({
          memory: createMemory(state.nextIds.get(part.identity) ?? part.identity, part.memory),
          identity: part.identity,
          op: null,
        })),
      );
    if (!isPlain) plan.operations.push({ op, fingerprint, response: formatResponse(result) });
    plan.results.push(ok(result));
  }
  return plan;
}

function isWithoutEffects({ superseded, contradicts }: WrittenMemory): boolean {
  return superseded.length === 0 && contradicts.length === 0;
}

/** Returns the record of an operation that the row of the memory it created stands for. */
export function toAppliedOperation({ id, op }: Pick<MemoryRow, "id" | "op">): AppliedOperation[] {
  if (op === null) return [];
  return [{ op, fingerprint: "", response: JSON.stringify({ memory_id: id, deduplicated: false }) }];
}

/** Splits memories into those that a statement of this source supersedes, and those of a higher rank. */
function splitByRank<T extends Pick<Memory, "id" | "source_type">>(
  ranks: SourceRanks,
  source: SourceType,
  memories: readonly T[],
): { superseded: T[]; standing: T[] } {
  const unique = [...new Map(memories.map((memory) => [memory.id, memory])).values()];
  const stands = (memory: T) => outranks(ranks, memory.source_type, source);
  return {
    superseded: unique.filter((memory) => !stands(memory)),
    standing: unique.filter(stands),
  };
}

function getOwner({ user_id = null, agent_id, project_id }: NewMemory): Owner {
  return { user_id, agent_id, project_id };
}

/** Formats the result for the log of operations. The owner follows from the write. */
function formatResponse({ owner: _owner, ...result }: WrittenMemory): string {
  return JSON.stringify(result);
}

function replayResult(
  { fingerprint = "", memory }: MemoryWrite,
  applied: AppliedOperation,
): Result<WrittenMemory> {
  if (applied.fingerprint !== fingerprint) return idempotencyKeyReused();
  // A row that stands for an operation names neither superseded nor contradicted memories, since there are none.
  const {
    superseded = [],
    contradicts = [],
    source_type = memory.source_type,
    ...written
  } = parseJson<Pick<WrittenMemory, "memory_id" | "deduplicated"> & Partial<WrittenMemory>>(applied.response);
  return ok({ ...written, superseded, contradicts, source_type, owner: getOwner(memory) });
}

/** Counts a write towards its session. Returns a failure if the session is full: no memory is dropped silently. */
function countInSession(
  { liveInSession }: CommitState,
  { session_id }: NewMemory,
  { count, limit }: { count: number; limit: number },
): Failure | null {
  if (session_id === null) return null;
  const live = liveInSession.get(session_id) ?? 0;
  if (live + count > limit) {
    const more = count === 1 ? "" : `, and this turn takes ${count}`;
    return fail(
      "limit_exceeded",
      `Session ${session_id} holds ${live} live memories, the limit is ${limit}${more}. Forget some, or continue in a new session.`,
    ).failure;
  }
  liveInSession.set(session_id, live + count);
  return null;
}

/** Returns a new memory as it is first stored. */
export function createMemory(id: string, memory: NewMemory): Memory {
  return {
    user_id: null,
    metadata: {},
    tags: [],
    valid_until: null,
    access_count: 0,
    last_accessed: memory.timestamp,
    ...memory,
    id,
    superseded_by: null,
    invalidated_by: null,
    forgotten_at: null,
    forget_reason: null,
  };
}

/** Returns a failure if metadata and tags, merged from several calls, exceed the limits of one call. */
export function refuseLabels({ id, metadata, tags }: Memory): Failure | null {
  const fix = `Change them with PATCH /v1/memories/${id}: null removes a key of the metadata, and tags replaces all tags.`;
  const problem = MemoryMetadata.safeParse(metadata).error?.issues[0]?.message;
  if (problem !== undefined)
    return fail("limit_exceeded", `The merged metadata of memory ${id} ${problem}. ${fix}`).failure;
  if (tags.length > LIMITS.tags)
    return fail(
      "limit_exceeded",
      `Memory ${id} would have ${tags.length} tags, the limit is ${LIMITS.tags}. ${fix}`,
    ).failure;
  return null;
}

export function buildCommitStatements(tenant: string, plan: CommitPlan, now: string): SQL[] {
  const { operations, created, merged, related, topics, successors, promoted } = plan;
  if (operations.length === 0 && created.length === 0) return [];
  const statements = assertTargets(tenant, related);
  if (operations.length > 0) statements.unshift(recordOperations(tenant, operations, now));
  if (topics.length > 0) statements.push(assertTopicsKnown(tenant, topics));
  if (created.length > 0) {
    statements.push(
      ...splitIntoChunks(created.flatMap(({ memory }) => toMemoryTriples(memory))).map((triples) =>
        insertTriples(tenant, triples),
      ),
      ...splitIntoChunks(
        created.map(({ memory, identity, op }) => ({
          ...toMemoryRow(tenant, identity, memory),
          op,
          recorded_at: findRecordedTime(memory, now),
        })),
      ).flatMap((rows) => insertMemoryRows(tenant, rows)),
      queueVectors(tenant, "memory", selectIds(created.map(({ memory }) => memory.id))),
      queueMemoryEvents(tenant, "memory.created", selectIds(created.map(({ memory }) => memory.id)), {
        at: now,
      }),
    );
  }
  if (promoted.length > 0)
    statements.push(queueMemoryEvents(tenant, "memory.promoted", selectIds(promoted), { at: now }));
  if (merged.length > 0) statements.push(...buildMergeStatements(tenant, merged, now));
  if (successors.length > 0)
    statements.push(
      assertSupersedable(
        tenant,
        successors.map(({ old: id, source_type }) => ({ id, source_type })),
      ),
      ...supersedeMemories(tenant, addEnds(successors, created, now), now),
    );
  return statements;
}

/** Ends the superseded memories when their successors begin to be known, so that there is no moment with both. */
function addEnds(
  successors: CommitPlan["successors"],
  created: CommitPlan["created"],
  now: string,
): Successor[] {
  const times = new Map(
    created.map(({ memory }) => [memory.id, findRecordedTime(memory, now) ?? memory.timestamp]),
  );
  return successors.map((successor) => ({ ...successor, ended_at: times.get(successor.id) ?? now }));
}

/** A memory that is stored within this time of its timestamp is recorded at its timestamp. */
const RECORDED_AT_ONCE_MS = 1_000;

/** Returns when a memory is stored, if that is not at its timestamp. */
function findRecordedTime({ timestamp }: Memory, now: string): string | null {
  return Math.abs(Date.parse(now) - Date.parse(timestamp)) <= RECORDED_AT_ONCE_MS ? null : now;
}

/** Aborts if a memory changed since it was read: then it is merged again, or becomes a new generation. */
function buildMergeStatements(tenant: string, merged: readonly MemoryChange[], now: string): SQL[] {
  const before = merged.map((change) => change.before);
  return [
    ...assertUnchanged(tenant, before),
    ...recordAccess(
      tenant,
      before.map(({ id }) => id),
      now,
    ),
    ...merged.flatMap((change) => buildChangeStatements(tenant, change, now)),
  ];
}
