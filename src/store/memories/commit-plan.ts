// Plans a batch of writes against the state of the store: which create a memory, which merge into a live one, which
// are refused. Then builds the statements of the plan.
import type { SQL } from "drizzle-orm";
import { LIMITS } from "../../limits";
import { splitIntoChunks } from "../../platform/d1";
import { type Failure, fail, idempotencyKeyReused } from "../../platform/errors";
import { parseJson } from "../../platform/json";
import type { Memory, NewMemory } from "../../schemas/memory";
import { type AppliedOperation, recordOperations } from "../operation-log";
import { insertTriples } from "../triples/triples";
import { queueVectors, selectIds } from "../vectors/vector-queue";
import { assertUnchanged, buildChangeStatements, type MemoryChange } from "./change-memories";
import { type Successor, supersedeMemories, supersedeTopics, type TopicSuccessor } from "./forget-memories";
import { getTopicScope } from "./memory-id";
import {
  fromMemoryRow,
  insertMemoryRows,
  type MemoryRow,
  toMemoryRow,
  toMemoryTriples,
} from "./memory-mapping";
import { recordAccess } from "./usage-counts";

export type MemoryWrite = {
  /** Identifies the write. Sending it again has no further effect. */
  op: string;
  /** A hash of the request behind an idempotency key; "" for operations of the service itself. */
  fingerprint: string;
  memory: NewMemory;
  /** Ids of near-duplicates that this memory supersedes. */
  supersedes?: readonly string[];
};

export type IdentifiedWrite = MemoryWrite & { identity: string };

export type WriteResult =
  | { op: string; status: "written"; memory_id: string; deduplicated: boolean }
  | { op: string; status: "rejected"; failure: Failure };

type WrittenMemory = { memory_id: string; deduplicated: boolean };

/** The state of the store that a batch depends on. */
export type CommitState = {
  applied: Map<string, AppliedOperation>;
  /** The live memory of each identity. */
  live: Map<string, MemoryRow>;
  /** The id of each identity's next generation, where it differs from the identity. */
  nextIds: Map<string, string>;
  liveInSession: Map<string, number>;
};

export type CommitPlan = {
  results: WriteResult[];
  operations: AppliedOperation[];
  created: { memory: Memory; identity: string }[];
  merged: MemoryChange[];
  topicSuccessors: TopicSuccessor[];
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
    topicSuccessors: [],
    successors: [],
  };
  for (const { op, fingerprint, memory, identity, supersedes = [] } of writes) {
    const applied = state.applied.get(op);
    if (applied !== undefined) {
      plan.results.push(replayResult(op, fingerprint, applied));
      continue;
    }
    const live = state.live.get(identity);
    const result: WrittenMemory = {
      memory_id: live?.id ?? state.nextIds.get(identity) ?? identity,
      deduplicated: live !== undefined,
    };
    if (live !== undefined) {
      const before = fromMemoryRow(live);
      plan.merged.push({ before, after: mergeContent(before, memory), identity });
    } else {
      const failure = countInSession(state, memory, memoriesPerSession);
      if (failure !== null) {
        plan.results.push({ op, status: "rejected", failure });
        continue;
      }
      plan.created.push({ memory: createMemory(result.memory_id, memory, now), identity });
    }
    const id = result.memory_id;
    const valid_from = memory.valid_from ?? memory.timestamp;
    for (const old of supersedes) if (old !== id) plan.successors.push({ id, old, valid_from });
    const scope = getTopicScope(memory);
    if (memory.topic_key !== null && scope !== null)
      plan.topicSuccessors.push({ id, scope, key: memory.topic_key, valid_from });
    plan.operations.push({ op, fingerprint, response: JSON.stringify(result) });
    plan.results.push({ op, status: "written", ...result });
  }
  return plan;
}

function replayResult(op: string, fingerprint: string, applied: AppliedOperation): WriteResult {
  if (applied.fingerprint !== fingerprint)
    return { op, status: "rejected", failure: idempotencyKeyReused().failure };
  return { op, status: "written", ...parseJson<WrittenMemory>(applied.response) };
}

/** Counts a write towards its session. Returns a failure if the session is full: no memory is dropped silently. */
function countInSession(
  { liveInSession }: CommitState,
  { session_id }: NewMemory,
  memoriesPerSession: number,
): Failure | null {
  if (session_id === null) return null;
  const live = liveInSession.get(session_id) ?? 0;
  if (live >= memoriesPerSession) {
    return fail(
      "limit_exceeded",
      `Session ${session_id} holds ${live} live memories, the limit is ${memoriesPerSession}. Forget some, or continue in a new session.`,
    ).failure;
  }
  liveInSession.set(session_id, live + 1);
  return null;
}

/** Returns a new memory as it is first stored. */
export function createMemory(id: string, memory: NewMemory, now: string): Memory {
  return {
    user_id: null,
    metadata: {},
    tags: [],
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

/** Merges the same content, remembered again: the higher confidence and importance, the evidence of both. */
function mergeContent(before: Memory, again: NewMemory): Memory {
  const newProperties = Object.fromEntries(
    Object.entries(again.properties).filter(([name]) => !(name in before.properties)),
  );
  return {
    ...before,
    confidence: Math.max(before.confidence, again.confidence),
    importance: Math.max(before.importance, again.importance),
    rationale: before.rationale ?? again.rationale,
    topic_key: again.topic_key ?? before.topic_key,
    // Existing evidence is never cut: a pattern may have more of it than one call may give.
    evidence: [...new Set([...before.evidence, ...again.evidence])].slice(
      0,
      Math.max(before.evidence.length, LIMITS.evidenceItems),
    ),
    properties: { ...before.properties, ...newProperties },
  };
}

export function buildCommitStatements(tenant: string, plan: CommitPlan, now: string): SQL[] {
  const { operations, created, merged, topicSuccessors, successors } = plan;
  if (operations.length === 0) return [];
  const statements = [recordOperations(tenant, operations, now)];
  if (created.length > 0) {
    statements.push(
      ...splitIntoChunks(created.flatMap(({ memory }) => toMemoryTriples(memory))).map((triples) =>
        insertTriples(tenant, triples),
      ),
      ...insertMemoryRows(
        tenant,
        created.map(({ memory, identity }) => toMemoryRow(tenant, identity, memory)),
      ),
      queueVectors(tenant, "memory", selectIds(created.map(({ memory }) => memory.id))),
    );
  }
  if (merged.length > 0) statements.push(...buildMergeStatements(tenant, merged, now));
  if (topicSuccessors.length > 0) statements.push(...supersedeTopics(tenant, topicSuccessors));
  if (successors.length > 0) statements.push(...supersedeMemories(tenant, successors));
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
