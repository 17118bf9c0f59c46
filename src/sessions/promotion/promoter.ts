// The ways from a session to long-term memory: promotion runs over pending candidates and working context, and memories
// that the agent remembers directly.

import { inheritOwner, type Owner } from "../../kernel/access";
import { type Failure, FailureError, fail, failure, ok, type Result, unwrap } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import { LIMITS } from "../../kernel/limits";
import type { PromotionTrigger } from "../../kernel/telemetry";
import type { MemoryWrite, WrittenMemory } from "../../memories/store/commit-plan";
import type { Masked } from "../../trust/privacy/privacy-gate";
import { limitSourceRank } from "../../trust/source-rank";
import { LAST_OUTBOX_RETRY_MS } from "../outbox";
import type { SessionCore } from "../session-core";
import {
  getFinalThreshold,
  getPromotionThreshold,
  type SessionRecord,
  type SessionRef,
} from "../session-record";
import type { PendingCreate, PendingItem, Promoted, PromotionAnswer } from "../session-schemas";
import type { ShortTermMemory } from "../session-storage";
import { addPendingItems } from "../short-term/pending-items";
import { extractNewMessages } from "./extract-by-rules";
import { findNearDuplicates } from "./find-near-duplicates";
import type { PromotionCandidate } from "./promotion-engine";
import {
  findCandidates,
  listMessageSources,
  listPromoted,
  listQueuedPromotions,
  type QueuedPromotion,
  queuePromotions,
  type SourcedCandidate,
} from "./promotion-entries";

/** `refused` is the failure of the first memory that was rejected. */
type PromotionRun = { promoted: Promoted[]; refused: Failure | null };

export class Promoter {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** Stores a candidate with a source limited to its evidence, since equal candidates are merged by their ranks. */
  async addPending(ref: SessionRef, item: PendingCreate, idempotency: Idempotency): Promise<PendingItem> {
    const { storage } = this.#core;
    const { memories } = this.#core.services(ref).store;
    const [limited = item.source_type] = await memories.findLimitedSources([{ ...item, session_id: ref.id }]);
    return this.#core.mutate(ref, idempotency, (memory, now) => {
      const source_type = limitSourceRank(storage.ranks, limited, listMessageSources(storage, item.evidence));
      const candidate = { ...item, source_type, rationale: item.rationale ?? null };
      const [stored] = addPendingItems(storage, memory, [candidate], now);
      if (stored === undefined) throw failure("internal", "The pending memory was not stored.");
      return stored;
    });
  }

  async listPending(ref: SessionRef): Promise<PendingItem[]> {
    return this.#core.require(ref).pending;
  }

  /** Promotes on demand, new messages included. */
  promote(ref: SessionRef, idempotency: Idempotency): Promise<PromotionAnswer> {
    return this.#core.runOnce(ref, idempotency, async () => {
      const { threshold } = this.#core.require(ref).record.promotion;
      extractNewMessages(this.#core, ref, "demand");
      const { promoted, refused } = await this.run(ref, threshold, "demand");
      if (refused !== null && promoted.length === 0) throw new FailureError(refused);
      return { promoted, remaining: this.#core.require(ref).pending.length };
    });
  }

  /** Promotes on the alarm. */
  async promoteByAlarm(ref: SessionRef): Promise<void> {
    await this.run(ref, getPromotionThreshold(this.#core.require(ref).record), "alarm");
  }

  /** Promotes on the alarm if the extraction from new messages has given it candidates. */
  async promoteExtracted(ref: SessionRef): Promise<void> {
    const core = this.#core;
    const memory = core.require(ref);
    const threshold = getPromotionThreshold(memory.record);
    if (findCandidates(core.storage, memory, threshold, core.now()).length > 0)
      await this.run(ref, threshold, "alarm");
  }

  /** Promotes when a session is paused, with candidates from its new messages. */
  promoteAtPause(ref: SessionRef): Promise<number> {
    extractNewMessages(this.#core, ref, "pause");
    return this.#promoteAll(ref, this.#core.require(ref).record.promotion.threshold, "pause");
  }

  /** Promotes until no candidate is left, or until the long-term store rejects one. Returns the number promoted. */
  async #promoteAll(ref: SessionRef, threshold: number, trigger: PromotionTrigger): Promise<number> {
    const core = this.#core;
    let total = 0;
    for (;;) {
      const { promoted, refused } = await this.run(ref, threshold, trigger);
      total += promoted.length;
      const left = findCandidates(core.storage, core.require(ref), threshold, core.now());
      if (left.length === 0 || promoted.length === 0 || refused !== null) return total;
    }
  }

  /** Promotes for the last time, with candidates from the new messages and a lower threshold. */
  promoteFinally(ref: SessionRef, trigger: "close" | "abandon"): Promise<number> {
    extractNewMessages(this.#core, ref, trigger);
    return this.#promoteAll(ref, getFinalThreshold(this.#core.require(ref).record.promotion), trigger);
  }

  /** Promotes one batch of candidates; each supersedes its near-duplicates in long-term memory, except those of a higher rank. */
  async run(ref: SessionRef, threshold: number, trigger: PromotionTrigger): Promise<PromotionRun> {
    const core = this.#core;
    const { storage, telemetry } = core;
    const started = core.now();
    const session = core.require(ref);
    const { user_id, promotion } = session.record;
    const { max_per_run } = promotion;
    const candidates = findCandidates(storage, session, threshold, started).slice(0, max_per_run);
    const about = { tenant: ref.tenant, session_id: ref.id, trigger };
    telemetry({ event: "promotion.triggered", ...about, duration_ms: 0, candidates: candidates.length });
    const { store, semantic } = core.services(ref);
    const found = await findNearDuplicates({ store, semantic, ref, user_id }, candidates);
    const sources = await store.memories.findLimitedSources(
      found.map(({ candidate }) => ({ ...candidate, session_id: ref.id })),
    );
    const sourced = found.map((one, i) => ({
      ...one,
      source_type: sources[i] ?? one.candidate.source_type,
    }));
    const queued = storage.write(() => this.#queue(ref, threshold, sourced, started));
    const results = await core.settle(
      ref,
      queued.map(({ op }) => op),
    );
    const promoted = queued.flatMap((promotion, i) => {
      const result = results[i] ?? null;
      return result === null ? [] : listPromoted(promotion, result);
    });
    const refused = results.find((result) => result?.ok === false)?.failure ?? null;
    storage.write(() => {
      const { record } = core.require(ref);
      const blocked_until = refused === null ? null : core.now() + LAST_OUTBOX_RETRY_MS;
      if (record.blocked_until !== blocked_until) storage.saveRecord({ ...record, blocked_until });
    });
    telemetry({
      event: "promotion.completed",
      ...about,
      duration_ms: core.now() - started,
      promoted: promoted.length,
      remaining: core.require(ref).pending.length,
    });
    return { promoted, refused };
  }

  /**
   * Queues the candidates that are still current: during the search for near-duplicates a concurrent run may have
   * promoted some, and others may have gained evidence. Those have no near-duplicates, because the ranks were compared
   * without that evidence. Returns the queued ones with those left over by an earlier run.
   */
  #queue(
    ref: SessionRef,
    threshold: number,
    found: readonly SourcedCandidate[],
    started: number,
  ): QueuedPromotion[] {
    const { storage } = this.#core;
    const session = this.#core.require(ref);
    const leftOver = listQueuedPromotions(storage);
    const current = new Map(
      findCandidates(storage, session, threshold, started).map((one) => [JSON.stringify(one.origin), one]),
    );
    const confirmed = found.flatMap(({ candidate: before, duplicates, source_type }) => {
      const candidate = current.get(JSON.stringify(before.origin));
      if (candidate?.content !== before.content) return [];
      return restsOnSame(before, candidate)
        ? [{ candidate, duplicates, source_type }]
        : [{ candidate, duplicates: [], source_type: candidate.source_type }];
    });
    const { outbox } = this.#core.services(ref);
    const { derived } = this.#core.privacy;
    return [...leftOver, ...queuePromotions(storage, outbox, derived, session, confirmed, started)];
  }

  /** Stores memories in the outbox, writes them to the long-term store, and returns the result of each. */
  async remember(ref: SessionRef, writes: readonly MemoryWrite[]): Promise<Result<WrittenMemory>[]> {
    const core = this.#core;
    const earlier = writes.map((write) => this.#findWritten(write));
    const isNew = writes.filter((_, i) => earlier[i] === null);
    const [first] = isNew;
    if (first !== undefined) {
      const enqueue = ({ record }: ShortTermMemory) => {
        const allowed = selectOfOwner(record, isNew);
        for (const write of allowed) this.#enqueue(ref, record, write);
        this.#addParticipants(record, allowed);
        return null;
      };
      await core.mutate(ref, null, enqueue, { owner: getOwner(first), within: first.within });
    }
    const results = await core.settle(
      ref,
      isNew.map(({ op }) => op),
    );
    const byOp = new Map(isNew.map(({ op }, i) => [op, results[i] ?? null]));
    const { record } = core.require(ref);
    return writes.map((write, i) => {
      const owner = checkOwner(record, write);
      if (!owner.ok) return owner;
      const result = byOp.get(write.op) ?? null;
      if (result !== null) return result;
      // A concurrent call with the same key collected the result; the answer is stored.
      const answer = earlier[i] ?? this.#findWritten(write);
      if (answer === null)
        return fail("unavailable", "The write was not confirmed. Sending the same call again is safe.");
      return answer.ok ? ok({ ...answer.value, owner: owner.value }) : answer;
    });
  }

  /** Inside a transaction: records agents that remember in a session which has no agent of its own. */
  #addParticipants(record: SessionRecord, writes: readonly MemoryWrite[]): void {
    const known = record.participating_agents;
    const agents = writes.flatMap((write) => inheritOwner(record, getOwner(write)).agent_id ?? []);
    const added = new Set(agents).difference(new Set([record.agent_id, ...known]));
    if (added.size === 0 || known.length + added.size > LIMITS.participatingAgents) return;
    this.#core.saveRegistered({ ...record, participating_agents: [...known, ...added] });
  }

  /** Returns the result of an earlier call with the same key, null if there is none yet. */
  #findWritten({ op, fingerprint }: MemoryWrite): Result<WrittenMemory> | null {
    if (fingerprint === undefined) return null;
    try {
      const answer = this.#core.idempotency.findAnswer<WrittenMemory>({ op, fingerprint });
      return answer === null ? null : ok(answer);
    } catch (error) {
      if (error instanceof FailureError) return { ok: false, failure: error.failure };
      throw error;
    }
  }

  /** Inside a transaction: queues a memory. The session's owner takes precedence over the call's. */
  #enqueue(ref: SessionRef, record: SessionRecord, { op, ...write }: MemoryWrite): void {
    const { memory } = write;
    const entry = {
      ...write,
      kind: "memory" as const,
      memory: { ...memory, session_id: ref.id, ...inheritOwner(record, getOwner(write)) },
      origin: { kind: "remember" as const },
      restsOn: listMessageSources(this.#core.storage, memory.evidence),
    };
    // The call's arguments have passed the gate.
    this.#core.services(ref).outbox.enqueue(op, entry as Masked<typeof entry>);
  }
}

function getOwner({ memory: { user_id = null, agent_id, project_id } }: Pick<MemoryWrite, "memory">): Owner {
  return { user_id, agent_id, project_id };
}

/** Whether a candidate claims the same source and evidence as before. */
function restsOnSame(before: PromotionCandidate, now: PromotionCandidate): boolean {
  return (
    before.source_type === now.source_type && JSON.stringify(before.evidence) === JSON.stringify(now.evidence)
  );
}

/** Returns the writes whose owner may write to the session. Throws if there is none. */
function selectOfOwner(record: SessionRecord, writes: readonly MemoryWrite[]): MemoryWrite[] {
  const checked = writes.map((write) => ({ write, owner: checkOwner(record, write) }));
  const refused = checked.find(({ owner }) => !owner.ok)?.owner;
  const selected = checked.flatMap(({ write, owner }) => (owner.ok ? [write] : []));
  if (selected.length === 0 && refused !== undefined) unwrap(refused);
  return selected;
}

/** Returns the owner of a memory, or the failure of a call that names another user than the session's. */
function checkOwner(record: SessionRecord, write: MemoryWrite): Result<Owner> {
  try {
    return ok(inheritOwner(record, getOwner(write)));
  } catch (error) {
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    throw error;
  }
}
