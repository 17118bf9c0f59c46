// One promotion run: which candidates go into the outbox, and what their arrival in long-term memory changes
// here. Runs inside the session's transaction.

import { evaluate, type PromotionCandidate } from "../../domain/promotion/promotion-engine";
import { LIMITS } from "../../limits";
import type { Memory, NewMemory } from "../../schemas/memory";
import type { Promoted } from "../../schemas/session";
import type { WriteResult } from "../../store/memories/commit-plan";
import { publish } from "../cognition/publish-signal";
import type { Applied, Outbox } from "../outbox";
import type { SessionStorage, ShortTermMemory } from "../session-storage";
import type { Same } from "./find-near-duplicates";

/** What deserves promotion now and is not already on its way. */
export function candidatesOf(
  storage: SessionStorage,
  memory: ShortTermMemory,
  threshold: number,
  now: number,
): PromotionCandidate[] {
  const underway = new Set(
    storage.outbox().flatMap(({ entry }) => (entry.kind === "memory" ? [JSON.stringify(entry.origin)] : [])),
  );
  const { context, pending, log, record } = memory;
  return evaluate(
    { context: [...context.values()], pending, log },
    { threshold, now, weights: record.promotion.weights },
  ).filter(({ origin }) => !underway.has(JSON.stringify(origin)));
}

/** What an earlier run put into the outbox and could not send. */
export function waitingPromotions(storage: SessionStorage): Sent[] {
  return storage
    .outbox()
    .flatMap(({ op, entry }) =>
      entry.kind === "memory" && entry.origin.kind !== "remember" ? [{ op, memory: entry.memory }] : [],
    );
}

export type Sent = { op: string; memory: NewMemory };

/** Puts candidates into the outbox and counts the run. Gives the operations to wait for. */
export function enqueueRun(
  storage: SessionStorage,
  outbox: Outbox,
  session: ShortTermMemory,
  same: readonly Same[],
  now: number,
): Sent[] {
  storage.saveRecord({
    ...session.record,
    runs: session.record.runs + 1,
    last_run: new Date(now).toISOString(),
  });
  return same.map(({ candidate, memories }) => {
    const op = crypto.randomUUID();
    const memory = inPlaceOf(toNewMemory(session, candidate), memories);
    const supersedes = memories.map(({ id }) => id);
    outbox.enqueue(op, { kind: "memory", memory, origin: candidate.origin, supersedes });
    return { op, memory };
  });
}

function since({ valid_from, timestamp }: Memory): string {
  return valid_from ?? timestamp;
}

/** What takes the place of others that said the same keeps what they had besides their words. */
function inPlaceOf(memory: NewMemory, others: readonly Memory[]): NewMemory {
  return {
    ...memory,
    confidence: Math.max(memory.confidence, ...others.map(({ confidence }) => confidence)),
    importance: Math.max(memory.importance, ...others.map(({ importance }) => importance)),
    topic_key: memory.topic_key ?? others.find(({ topic_key }) => topic_key !== null)?.topic_key ?? null,
    valid_from: memory.valid_from ?? others.map(since).toSorted()[0] ?? null,
    properties: Object.assign({}, ...others.map(({ properties }) => properties), memory.properties),
    rationale: memory.rationale ?? others.find(({ rationale }) => rationale !== null)?.rationale ?? null,
    evidence: [...new Set([...memory.evidence, ...others.flatMap(({ evidence }) => evidence)])].slice(
      0,
      LIMITS.evidenceItems,
    ),
  };
}

function toNewMemory({ record }: ShortTermMemory, candidate: PromotionCandidate): NewMemory {
  return {
    type: candidate.memory_type,
    content: candidate.content,
    confidence: candidate.confidence,
    importance: candidate.importance_score,
    source_type: candidate.source_type,
    rationale: candidate.rationale,
    session_id: record.id,
    agent_id: record.agent_id,
    project_id: record.project_id,
    topic_key: candidate.topic_key,
    timestamp: candidate.created_at,
    valid_from: null,
    evidence: candidate.evidence,
    properties: {},
  };
}

/** Only what was written leaves: the pending item goes, the context item remembers the value it was promoted with. */
export function applyPromotions(
  storage: SessionStorage,
  memory: ShortTermMemory,
  applied: readonly Applied[],
  now: string,
): void {
  const promoted: Promoted[] = [];
  for (const { entry, result } of applied) {
    if (result.status === "rejected") continue;
    const { origin } = entry;
    if (origin.kind === "pending") {
      const gone = memory.pending.filter(({ id }) => id === origin.id);
      storage.savePending(
        memory.pending.filter(({ id }) => id !== origin.id),
        [],
        gone,
      );
    }
    if (origin.kind === "context") {
      const item = memory.context.get(origin.key);
      if (item !== undefined) storage.saveContext({ ...item, promoted: origin.fingerprint });
    }
    if (origin.kind !== "remember") promoted.push(...toPromoted(entry, result));
  }
  if (promoted.length === 0) return;
  const { record } = memory;
  storage.saveRecord({ ...record, total_promoted: record.total_promoted + promoted.length });
  publish(storage, record.id, now, { type: "jido.memory.promoted", data: { promoted } });
}

export function toPromoted({ memory }: Pick<Sent, "memory">, result: WriteResult): Promoted[] {
  if (result.status === "rejected") return [];
  return [{ memory_id: result.memory_id, memory_type: memory.type, importance_score: memory.importance }];
}
