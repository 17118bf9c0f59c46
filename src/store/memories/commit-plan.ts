// What a batch of writes will do, given what the store holds: which are new, which are known, which are refused. Pure.
import type { SQL } from "drizzle-orm";
import { LIMITS } from "../../limits";
import { type Failure, fail, idempotencyKeyReused } from "../../platform/errors";
import { parseJson } from "../../platform/json";
import { splitIntoChunks } from "../../platform/json-chunks";
import type { Memory, NewMemory } from "../../schemas/memory";
import { recordOperations } from "../operation-log";
import { insertTriples } from "../triples/triples";
import { idList, queueVectors } from "../vectors/vector-queue";
import { changeStatements, standsAs } from "./change-memories";
import { scopeOf } from "./memory-id";
import { fromRow, insertRows, type MemoryRow, toRow, toTriples } from "./memory-mapping";
import type { Successor, TopicTaker } from "./retire-memories";
import { supersedeMemories, supersedeTopics } from "./retire-memories";
import { recordAccess } from "./usage-counts";

export type MemoryWrite = {
  /** Unique per intended write; the same one again is the same write. */
  op: string;
  /** What the write was asked with, for idempotency keys; "" when the op is the service's own. */
  fingerprint: string;
  memory: NewMemory;
  /** Memories that say the same: this one takes their place. */
  supersedes?: readonly string[];
};

export type Identified = MemoryWrite & { identity: string };

export type WriteResult =
  | { op: string; status: "written"; memory_id: string; deduplicated: boolean }
  | { op: string; status: "rejected"; failure: Failure };

type Applied = { memory_id: string; deduplicated: boolean };

/** What the batch finds in the store before it writes. */
export type Known = {
  applied: Map<string, { fingerprint: string; response: string }>;
  /** By identity: the memory that says it now. */
  living: Map<string, MemoryRow>;
  /** By identity: the id of its next life, where that is not its first. */
  nextIds: Map<string, string>;
  liveInSession: Map<string, number>;
};

/** What the batch will do. */
export type Plan = {
  results: WriteResult[];
  operations: { op: string; fingerprint: string; response: string }[];
  created: { memory: Memory; identity: string }[];
  merged: { before: Memory; after: Memory; identity: string }[];
  takers: TopicTaker[];
  successors: Successor[];
};

export function makePlan(known: Known, writes: readonly Identified[], limit: number, now: string): Plan {
  const plan: Plan = { results: [], operations: [], created: [], merged: [], takers: [], successors: [] };
  for (const { op, fingerprint, memory, identity, supersedes = [] } of writes) {
    const applied = known.applied.get(op);
    if (applied !== undefined) {
      plan.results.push(replay(op, fingerprint, applied));
      continue;
    }
    const living = known.living.get(identity);
    const result: Applied = {
      memory_id: living?.id ?? known.nextIds.get(identity) ?? identity,
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
    const valid_from = memory.valid_from ?? memory.timestamp;
    for (const old of supersedes)
      if (old !== result.memory_id) plan.successors.push({ id: result.memory_id, old, valid_from });
    if (memory.topic_key !== null) {
      plan.takers.push({ id: result.memory_id, scope: scopeOf(memory), key: memory.topic_key, valid_from });
    }
    plan.operations.push({ op, fingerprint, response: JSON.stringify(result) });
    plan.results.push({ op, status: "written", ...result });
  }
  return plan;
}

function replay(
  op: string,
  fingerprint: string,
  applied: { fingerprint: string; response: string },
): WriteResult {
  if (applied.fingerprint !== fingerprint) {
    return { op, status: "rejected", failure: idempotencyKeyReused().failure };
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
    // What is there stays: a pattern has more than one call may give.
    evidence: [...new Set([...before.evidence, ...again.evidence])].slice(
      0,
      Math.max(before.evidence.length, LIMITS.evidenceItems),
    ),
    properties: { ...before.properties, ...newProperties },
  };
}

export function statementsOf(tenant: string, plan: Plan, now: string): SQL[] {
  if (plan.operations.length === 0) return [];
  const statements = [recordOperations(tenant, plan.operations, now)];
  if (plan.created.length > 0) {
    statements.push(
      ...splitIntoChunks(plan.created.flatMap(({ memory }) => toTriples(memory))).map((triples) =>
        insertTriples(tenant, triples),
      ),
      ...insertRows(
        tenant,
        plan.created.map(({ memory, identity }) => toRow(tenant, identity, memory)),
      ),
      queueVectors(tenant, "memory", idList(plan.created.map(({ memory }) => memory.id))),
    );
  }
  if (plan.merged.length > 0) statements.push(...mergeStatements(tenant, plan.merged, now));
  if (plan.takers.length > 0) statements.push(...supersedeTopics(tenant, plan.takers));
  if (plan.successors.length > 0) statements.push(...supersedeMemories(tenant, plan.successors));
  return statements;
}

/** Aborts when one of them changed since it was read: then its merge must be made again, or be a new life. */
function mergeStatements(tenant: string, merged: Plan["merged"], now: string): SQL[] {
  const ids = merged.map(({ after }) => after.id);
  return [
    ...standsAs(
      tenant,
      merged.map(({ before }) => before),
    ),
    ...recordAccess(tenant, ids, now),
    ...merged.flatMap((change) => changeStatements(tenant, change)),
  ];
}
