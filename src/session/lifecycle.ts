// How a session ends, how it is erased, and how the agent's own memories leave it at once.
import { FailureError, failure } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import type { NewMemory } from "../schemas/memory";
import type { Session } from "../schemas/session";
import { promoteAll, promoteLast } from "./promotion/promoter";
import type { SessionCore } from "./session-core";
import type { SessionRecord, SessionRef } from "./session-record";
import type { ErasedSession, Owner, Remembered } from "./session-rpc";

/** Promotes first, so that nothing that deserves to stay is left behind. */
export async function endSession(
  core: SessionCore,
  ref: SessionRef,
  status: "paused" | "closed",
): Promise<Session & { promoted: number }> {
  const record = openSession(core, ref, status);
  let promoted = 0;
  if (status === "paused") promoted = await promoteAll(core, ref, record.promotion.threshold, "pause");
  else if (record.status !== "closed") promoted = await promoteLast(core, ref, "close");
  await core.cognition.projections.runDue(ref, "end");
  core.storage.write(() => {
    // Another call may have closed it meanwhile.
    if (openSession(core, ref, status).status !== "closed") core.changeStatus(core.existing(ref), status);
  });
  // No tick comes after this: what was said until the very end is projected now.
  await core.cognition.projections.runDue(ref, "end");
  await core.schedule();
  await core.tellRegistry(ref);
  return { ...(await core.view(ref)), promoted };
}

/** The record of a session that may be ended so: closing twice is no error, pausing what is closed is one. */
function openSession(core: SessionCore, ref: SessionRef, status: "paused" | "closed"): SessionRecord {
  const { record } = core.existing(ref);
  if (record.status === "closed" && status === "paused") {
    throw failure("conflict", `Session ${ref.id} is closed. A closed session stays closed.`);
  }
  return record;
}

/** First the intention is stored, then the long-term part goes, then everything here: a crash is carried on. */
export function eraseSession(
  core: SessionCore,
  ref: SessionRef,
  options: { memories: boolean },
): Promise<ErasedSession> {
  core.erasure ??= erase(core, ref, options).finally(() => {
    core.erasure = null;
  });
  return core.erasure;
}

async function erase(
  core: SessionCore,
  ref: SessionRef,
  options: { memories: boolean },
): Promise<ErasedSession> {
  const { storage } = core;
  const begun = storage.read()?.record.erasing ?? null;
  if (begun === null) {
    const { record } = core.existing(ref);
    storage.write(() => storage.saveRecord({ ...record, erasing: options }));
    await core.schedule();
  }
  const { store, indexing, outbox } = core.services(ref);
  await Promise.all([outbox.idle(), core.cognition.idle()]);
  const erased = await store.sessions.erase(ref.id, {
    memories: options.memories || begun?.memories === true,
  });
  void indexing.wake();
  const counts = storage.counts();
  core.cognition.sockets.closeAll();
  await storage.eraseAll();
  core.alarm.markDeleted();
  return { ...counts, memories: erased.memories, triples: erased.triples, vectors: erased.vectors };
}

/** Stored in the outbox, then written to long-term memory, then answered. */
export async function rememberIn(
  core: SessionCore,
  ref: SessionRef,
  memory: Omit<NewMemory, "session_id" | "agent_id" | "project_id">,
  belonging: Owner,
  idempotency: Idempotency,
): Promise<Remembered> {
  const { storage } = core;
  const replayed = storage.read() === null ? null : core.replayed<Remembered>(idempotency);
  if (replayed !== null) return replayed;
  const op = idempotency?.op ?? crypto.randomUUID();
  await core.mutate(ref, { creates: true, belonging }, null, ({ record }, now) => {
    if (idempotency !== null) {
      storage.saveReplay(op, { fingerprint: idempotency.fingerprint, response: null }, now);
    }
    core.services(ref).outbox.enqueue(op, {
      kind: "memory",
      memory: {
        ...memory,
        session_id: ref.id,
        agent_id: record.agent_id ?? belonging.agent_id,
        project_id: record.project_id ?? belonging.project_id,
      },
      origin: { kind: "remember" },
    });
    return null;
  });
  const [result] = await core.settle(ref, [op]);
  if (result?.status === "rejected") throw new FailureError(result.failure);
  if (result?.status === "written") return { memory_id: result.memory_id, deduplicated: result.deduplicated };
  // A second call with the same key waited beside the first, which took the result: it stands in storage.
  const answered = core.replayed<Remembered>(idempotency);
  if (answered === null) {
    throw failure("unavailable", "The write was not confirmed. Sending the same call again is safe.");
  }
  return answered;
}
