// Plans a batch of writes against the state of the store: which create a memory, which merge into a live one, which
// are refused. Then builds the statements of the plan.
import type { SQL } from "drizzle-orm";
import { type Binding, isWithinBinding, UNBOUND } from "../../domain/binding";
import type { LastingOwner } from "../../domain/reach";
import { LIMITS } from "../../limits";
import { splitIntoChunks } from "../../platform/d1";
import { type Failure, fail, idempotencyKeyReused, ok, type Result } from "../../platform/errors";
import { parseJson } from "../../platform/json";
import { type Memory, MemoryMetadata, type NewMemory } from "../../schemas/memory";
import { type AppliedOperation, recordOperations } from "../operation-log";
import { insertTriples } from "../triples/triples";
import { queueVectors, selectIds } from "../vectors/vector-queue";
import { assertUnchanged, buildChangeStatements, type MemoryChange } from "./change-memories";
import { assertAllLive, type Successor, supersedeMemories } from "./forget-memories";
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
  isDerivedTopic,
  type MemoryTopic,
  selectOutdated,
  type TopicMember,
  toMemoryTopic,
  toTopicName,
} from "./memory-topics";
import { recordAccess } from "./usage-counts";

export type MemoryWrite = {
  /** Identifies the write. Sending it again has no further effect. */
  op: string;
  /** A hash of the request behind an idempotency key; "" for operations of the service itself. */
  fingerprint: string;
  memory: NewMemory;
  /** Ids of memories that this one supersedes, as far as they are live. */
  supersedes?: readonly string[];
  /** Its properties replace those of a live memory with the same content; otherwise they only fill gaps. */
  updates?: boolean;
  /** Leaves the other live memories of its topic as they are. */
  keepsTopic?: boolean;
  /** The owner that the writer is limited to: memories of others are neither merged with nor superseded. */
  within?: Binding;
};

/** A memory with the identity of its content. */
export type IdentifiedMemory = { memory: NewMemory; identity: string };

export type IdentifiedWrite = MemoryWrite & {
  identity: string;
  /** The parts after the first, if the content is longer than a memory: written with the first, or not at all. */
  rest: readonly IdentifiedMemory[];
};

export type WriteResult =
  | ({ op: string; status: "written" } & WrittenMemory)
  | { op: string; status: "rejected"; failure: Failure };

export type WrittenMemory = {
  memory_id: string;
  deduplicated: boolean;
  /** Ids of the memories that were live until this write. */
  superseded: string[];
};

export function toWritten(result: WriteResult): Result<WrittenMemory> {
  if (result.status === "rejected") return { ok: false, failure: result.failure };
  const { memory_id, deduplicated, superseded } = result;
  return ok({ memory_id, deduplicated, superseded });
}

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
  supersedable: ReadonlyMap<string, LastingOwner>;
  relations: RelationState;
};

export type CommitPlan = {
  results: WriteResult[];
  operations: AppliedOperation[];
  created: { memory: Memory; identity: string }[];
  merged: MemoryChange[];
  related: NewRelations[];
  /** The topics that the plan depends on, with their live memories. */
  topics: { topic: MemoryTopic; members: string[] }[];
  successors: Successor[];
};

export function planCommit(
  state: CommitState,
  writes: readonly IdentifiedWrite[],
  memoriesPerSession: number,
  now: string,
): CommitPlan {
  const plan: CommitPlan = {
    results: [],
    operations: [],
    created: [],
    merged: [],
    related: [],
    topics: [],
    successors: [],
  };
  for (const write of writes) {
    const { op, fingerprint, identity, rest, supersedes = [] } = write;
    const memory = filterTargets(write.memory, (to) => !state.relations.missingTargets.has(to));
    const { updates = false, keepsTopic = false, within = UNBOUND } = write;
    const applied = state.applied.get(op);
    if (applied !== undefined) {
      plan.results.push(replayResult(op, fingerprint, applied));
      continue;
    }
    const live = state.live.get(identity);
    const id = live?.id ?? state.nextIds.get(identity) ?? identity;
    const before = live === undefined ? null : fromMemoryRow(live);
    const after = before === null ? createMemory(id, memory, now) : mergeContent(before, memory, updates);
    const targets = listNewTargets(before?.properties ?? {}, after.properties);
    const failure =
      refuseCycle([id, ...supersedes], targets, state.relations) ??
      (before === null
        ? countInSession(state, memory, { count: 1 + rest.length, limit: memoriesPerSession })
        : refuseLabels(after));
    if (failure !== null) {
      plan.results.push({ op, status: "rejected", failure });
      continue;
    }
    if (targets.length > 0) plan.related.push({ ids: [id, ...supersedes], targets });
    if (before === null)
      plan.created.push(
        { memory: after, identity },
        ...rest.map((part) => ({
          memory: createMemory(state.nextIds.get(part.identity) ?? part.identity, part.memory, now),
          identity: part.identity,
        })),
      );
    else plan.merged.push({ before, after, identity });
    const topic = after.topic_key === memory.topic_key ? toMemoryTopic(after) : null;
    const members = topic === null ? [] : (state.topics.get(toTopicName(topic)) ?? []);
    if (topic !== null && !keepsTopic)
      plan.topics.push({ topic, members: members.map((member) => member.id) });
    const replaceable = keepsTopic ? [] : members.filter((member) => isWithinBinding(within, member));
    const outdated = selectOutdated(memory, replaceable).map((member) => member.id);
    const named = supersedes.filter((old) => {
      const owner = state.supersedable.get(old);
      return owner !== undefined && isWithinBinding(within, owner);
    });
    const superseded = [...new Set([...named, ...outdated])].filter((old) => old !== id);
    const valid_from = memory.valid_from ?? memory.timestamp;
    plan.successors.push(...superseded.map((old) => ({ id, old, valid_from })));
    const result: WrittenMemory = { memory_id: id, deduplicated: live !== undefined, superseded };
    plan.operations.push({ op, fingerprint, response: JSON.stringify(result) });
    plan.results.push({ op, status: "written", ...result });
  }
  return plan;
}

function replayResult(op: string, fingerprint: string, applied: AppliedOperation): WriteResult {
  if (applied.fingerprint !== fingerprint)
    return { op, status: "rejected", failure: idempotencyKeyReused().failure };
  // Responses of earlier versions do not name the superseded memories.
  const { superseded = [], ...written } = parseJson<
    Omit<WrittenMemory, "superseded"> & Partial<WrittenMemory>
  >(applied.response);
  return { op, status: "written", ...written, superseded };
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
export function createMemory(id: string, memory: NewMemory, now: string): Memory {
  return {
    user_id: null,
    metadata: {},
    tags: [],
    valid_until: null,
    access_count: 0,
    last_accessed: now,
    ...memory,
    id,
    superseded_by: null,
    invalidated_by: null,
    forgotten_at: null,
    forget_reason: null,
  };
}

/**
 * Merges the same content, remembered again: the higher confidence and importance, the evidence and tags of both, the
 * newest metadata. Properties are updated, or only completed.
 */
function mergeContent(before: Memory, again: NewMemory, updates: boolean): Memory {
  return {
    ...before,
    confidence: Math.max(before.confidence, again.confidence),
    importance: Math.max(before.importance, again.importance),
    rationale: before.rationale ?? again.rationale,
    topic_key: mergeTopicKeys(before.topic_key, again.topic_key),
    // Existing evidence is never cut: a pattern may have more of it than one call may give.
    evidence: [...new Set([...before.evidence, ...again.evidence])].slice(
      0,
      Math.max(before.evidence.length, LIMITS.evidenceItems),
    ),
    properties: updates
      ? { ...before.properties, ...again.properties }
      : { ...again.properties, ...before.properties },
    metadata: { ...before.metadata, ...again.metadata },
    tags: [...new Set([...before.tags, ...(again.tags ?? [])])].sort(),
  };
}

/** A key that the caller gives outweighs one derived from the content. */
function mergeTopicKeys(before: string | null, again: string | null): string | null {
  return isDerivedTopic(again) ? (before ?? again) : (again ?? before);
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
  const { operations, created, merged, related, topics, successors } = plan;
  if (operations.length === 0) return [];
  const statements = [recordOperations(tenant, operations, now), ...assertTargets(tenant, related)];
  if (topics.length > 0) statements.push(assertTopicsKnown(tenant, topics));
  if (created.length > 0) {
    statements.push(
      ...splitIntoChunks(created.flatMap(({ memory }) => toMemoryTriples(memory))).map((triples) =>
        insertTriples(tenant, triples),
      ),
      ...splitIntoChunks(
        created.map(({ memory, identity }) => toMemoryRow(tenant, identity, memory)),
      ).flatMap((rows) => insertMemoryRows(tenant, rows)),
      queueVectors(tenant, "memory", selectIds(created.map(({ memory }) => memory.id))),
    );
  }
  if (merged.length > 0) statements.push(...buildMergeStatements(tenant, merged, now));
  if (successors.length > 0)
    statements.push(
      assertAllLive(
        tenant,
        successors.map(({ old }) => old),
      ),
      ...supersedeMemories(tenant, successors),
    );
  return statements;
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
    ...merged.flatMap((change) => buildChangeStatements(tenant, change)),
  ];
}
