// A promotion's steps inside the session's transaction: finding candidates, queueing them in the outbox, and updating
// short-term memory once they are written.

import { UNBOUND } from "../../kernel/access";
import type { SourceType } from "../../kernel/common";
import type { Result } from "../../kernel/errors";
import { LIMITS } from "../../kernel/limits";
import type { Memory, NewMemory } from "../../memories/memory-schemas";
import type { WrittenMemory } from "../../memories/store/commit-plan";
import { parseMessageReference } from "../../memories/store/evidence-sources";
import { getOwnTopic } from "../../memories/store/memory-topics";
import type { PrivacyGate } from "../../trust/privacy/privacy-gate";
import { limitSourceRank, outranks, toMessageSource } from "../../trust/source-rank";
import type { AppliedEntry, Outbox } from "../outbox";
import type { Promoted } from "../session-schemas";
import type { SessionStorage, ShortTermMemory } from "../session-storage";
import type { CandidateDuplicates } from "./find-near-duplicates";
import { evaluate, type PromotionCandidate } from "./promotion-engine";

/** A promotion in the outbox. */
export type QueuedPromotion = { op: string; memory: NewMemory };

/** A candidate with its near-duplicates and its source, limited to the memories and messages in D1 that it rests on. */
export type SourcedCandidate = CandidateDuplicates & { source_type: SourceType };

/** Finds the candidates at or above the threshold that are not yet in the outbox, the most important first. */
export function findCandidates(
  storage: SessionStorage,
  memory: ShortTermMemory,
  threshold: number,
  now: number,
): PromotionCandidate[] {
  const queued = new Set(storage.listOutbox().map(({ entry }) => JSON.stringify(entry.origin)));
  const { context, pending, log, record } = memory;
  return evaluate(
    { context: [...context.values()], pending, log },
    { threshold, now, weights: record.promotion.weights },
  ).filter(({ origin }) => !queued.has(JSON.stringify(origin)));
}

/** Lists the promotions that an earlier run queued and could not send. */
export function listQueuedPromotions(storage: SessionStorage): QueuedPromotion[] {
  return storage
    .listOutbox()
    .flatMap(({ op, entry }) => (entry.origin.kind === "remember" ? [] : [{ op, memory: entry.memory }]));
}

/** Queues candidates in the outbox and counts the run. Returns the queued promotions. */
export function queuePromotions(
  storage: SessionStorage,
  outbox: Outbox,
  gate: PrivacyGate,
  session: ShortTermMemory,
  candidates: readonly SourcedCandidate[],
  now: number,
): QueuedPromotion[] {
  storage.saveRecord({
    ...session.record,
    runs: session.record.runs + 1,
    last_run: new Date(now).toISOString(),
  });
  const { within = UNBOUND } = session.record;
  const { ranks } = storage;
  return candidates.map(({ candidate, duplicates, source_type: limited }) => {
    const op = crypto.randomUUID();
    const restsOn = listMessageSources(storage, candidate.evidence);
    const source_type = limitSourceRank(ranks, limited, restsOn);
    // A near-duplicate of a higher rank stays beside the candidate: the two say the same, so they do not contradict.
    const replaced = duplicates.filter((memory) => !outranks(ranks, memory.source_type, source_type));
    // A lower-ranked duplicate is superseded, but nothing of it is merged into the candidate.
    const peers = replaced.filter((memory) => !outranks(ranks, source_type, memory.source_type));
    const memory = inheritFrom(peers, createMemory(session, { ...candidate, source_type }));
    const supersedes = [...new Set([...replaced.map(({ id }) => id), ...candidate.supersedes])];
    const entry = gate.clean({
      kind: "memory" as const,
      memory,
      origin: candidate.origin,
      restsOn,
      supersedes,
      topic: "derive" as const,
      within,
    });
    outbox.enqueue(op, entry);
    return { op, memory: entry.memory };
  });
}

/** Adds the evidence, properties, labels, validity and topic of the memories that a new one supersedes. */
function inheritFrom(superseded: readonly Memory[], memory: NewMemory): NewMemory {
  return {
    ...memory,
    confidence: Math.max(memory.confidence, ...superseded.map(({ confidence }) => confidence)),
    importance: Math.max(memory.importance, ...superseded.map(({ importance }) => importance)),
    topic_key: memory.topic_key ?? superseded.map(getOwnTopic).find((key) => key !== null) ?? null,
    valid_from:
      memory.valid_from ??
      superseded.map(({ valid_from, timestamp }) => valid_from ?? timestamp).toSorted()[0] ??
      null,
    properties: Object.assign({}, ...superseded.map(({ properties }) => properties), memory.properties),
    metadata: Object.assign({}, ...superseded.map(({ metadata }) => metadata), memory.metadata),
    tags: [...new Set([...superseded.flatMap(({ tags }) => tags), ...(memory.tags ?? [])])]
      .sort()
      .slice(0, LIMITS.tags),
    rationale: memory.rationale ?? superseded.find(({ rationale }) => rationale !== null)?.rationale ?? null,
    evidence: [...new Set([...memory.evidence, ...superseded.flatMap(({ evidence }) => evidence)])].slice(
      0,
      LIMITS.evidenceItems,
    ),
  };
}

function createMemory({ record }: ShortTermMemory, candidate: PromotionCandidate): NewMemory {
  return {
    type: candidate.memory_type,
    content: candidate.content,
    confidence: candidate.confidence,
    importance: candidate.importance_score,
    source_type: candidate.source_type,
    rationale: candidate.rationale,
    session_id: record.id,
    user_id: record.user_id,
    agent_id: record.agent_id,
    project_id: record.project_id,
    topic_key: candidate.topic_key,
    timestamp: candidate.created_at,
    valid_from: null,
    evidence: candidate.evidence,
    properties: {},
    activity: candidate.activity,
  };
}

/** Updates the sources of written memories: pending items are deleted, context items store the promoted value's hash. */
export function applyPromotions(
  storage: SessionStorage,
  memory: ShortTermMemory,
  applied: readonly AppliedEntry[],
  now: string,
): void {
  const promoted: Promoted[] = [];
  for (const { entry, result } of applied) {
    if (!result.ok) continue;
    const { origin } = entry;
    if (origin.kind === "pending") {
      const dropped = memory.pending.filter(({ id }) => id === origin.id);
      storage.savePending(
        memory.pending.filter(({ id }) => id !== origin.id),
        [],
        dropped,
      );
    }
    if (origin.kind === "context") {
      const item = memory.context.get(origin.key);
      if (item !== undefined) storage.saveContext({ ...item, promoted: origin.fingerprint });
    }
    if (origin.kind !== "remember") promoted.push(...listPromoted(entry, result));
  }
  if (promoted.length === 0) return;
  const { record } = memory;
  storage.saveRecord({ ...record, total_promoted: record.total_promoted + promoted.length });
  storage.publishSignal(record.id, now, { type: "jido.memory.promoted", data: { promoted } });
}

/** Returns the report of a promotion, empty if it was rejected. */
export function listPromoted({ memory }: { memory: NewMemory }, result: Result<WrittenMemory>): Promoted[] {
  if (!result.ok) return [];
  return [
    { memory_id: result.value.memory_id, memory_type: memory.type, importance_score: memory.importance },
  ];
}

/** Lists the sources of the session's messages that evidence names. */
export function listMessageSources({ messages }: SessionStorage, evidence: readonly string[]): SourceType[] {
  const ids = evidence.flatMap((reference) => parseMessageReference(reference) ?? []);
  return ids.length === 0 ? [] : messages.findRoles(ids).map(toMessageSource);
}
