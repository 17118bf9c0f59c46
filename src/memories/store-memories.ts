// Stores memories for their owners: through the object of their session, which has an outbox, or directly in D1. Both ways
// end in the write door of the store.

import type { Scope } from "../kernel/common";
import { WRITES_PER_BATCH } from "../kernel/databases/d1";
import { FailureError, fail, failure, type Result, unwrap } from "../kernel/errors";
import type { Services } from "../services/services";
import { checkRelations } from "./check-relations";
import type { ShapeCheck } from "./store/check-memory";
import type { MemoryWrite, WrittenMemory } from "./store/commit-plan";

type StoreServices = Pick<
  Services,
  "tenant" | "keyId" | "store" | "session" | "indexing" | "later" | "binding"
>;

/**
 * Checks the shapes and relations of each write, before a session is created for it. A refused one does not stop the
 * others. The write door checks what is stored, merged with what is known.
 * `scope` is the widest of a call that a model made.
 */
export async function checkWrites(
  services: Services,
  scope: Scope | null,
  writes: readonly MemoryWrite[],
): Promise<ShapeCheck[]> {
  const checks = await services.store.memories.checkShapes(writes.map(({ memory }) => memory));
  const valid = writes.filter((_, i) => checks[i]?.failure === null);
  const refusals = await checkRelations(
    services,
    scope,
    valid.map(({ memory, links = [] }) => {
      const { session_id, user_id = null, agent_id, project_id } = memory;
      return { owner: { session_id, user_id, agent_id, project_id }, memory, links };
    }),
  );
  const byWrite = new Map(valid.map((write, i) => [write, refusals[i] ?? null]));
  return writes.map((write, i) => {
    const { failure: violation = null, warnings = [] } = checks[i] ?? {};
    return { failure: violation ?? byWrite.get(write) ?? null, warnings };
  });
}

/** Stores a memory. Throws its failure. */
export async function storeMemory(services: StoreServices, write: MemoryWrite): Promise<WrittenMemory> {
  const [result] = await storeMemories(services, [write]);
  if (result === undefined) throw failure("internal", "The write returned no result.");
  return unwrap(result);
}

/**
 * Stores memories in order and returns the result of each. A session's memories are stored in one call; one session
 * follows the other, because a later memory may supersede an earlier one of the same owner.
 */
export async function storeMemories(
  services: StoreServices,
  writes: readonly MemoryWrite[],
): Promise<Result<WrittenMemory>[]> {
  const results = new Map<MemoryWrite, Result<WrittenMemory>>();
  for (const [session_id, group] of Map.groupBy(writes, ({ memory }) => memory.session_id)) {
    const stored =
      session_id === null
        ? await storeInD1(services, group)
        : await storeInSession(services, session_id, group);
    for (const [i, write] of group.entries()) if (stored[i] !== undefined) results.set(write, stored[i]);
  }
  return writes.map((write) => results.get(write) ?? fail("internal", "The write returned no result."));
}

function storeInSession(
  { tenant, keyId: key_id, session, binding: within }: StoreServices,
  id: string,
  group: readonly MemoryWrite[],
): Promise<Result<WrittenMemory>[]> {
  return settleEach(group, async () => {
    const writes = group.map((write) => {
      const activity = { kind: "remember" as const, key_id, ...write.memory.activity };
      return { ...write, memory: { ...write.memory, activity }, within };
    });
    const written = await session(id).remember({ tenant, id }, writes);
    return written.ok ? written.value : group.map(() => written);
  });
}

/** Writes one batch after the other, so that a failure concerns only the memories of its batch. */
async function storeInD1(
  { store, indexing, later, binding: within }: StoreServices,
  group: readonly MemoryWrite[],
): Promise<Result<WrittenMemory>[]> {
  const results: Result<WrittenMemory>[] = [];
  for (let start = 0; start < group.length; start += WRITES_PER_BATCH) {
    const batch = group.slice(start, start + WRITES_PER_BATCH).map((write) => ({ ...write, within }));
    results.push(...(await settleEach(batch, () => store.memories.commit(batch))));
  }
  later(indexing.wake());
  return results;
}

/** Returns a failure of the whole call as the result of each of its memories. */
async function settleEach(
  group: readonly MemoryWrite[],
  work: () => Promise<Result<WrittenMemory>[]>,
): Promise<Result<WrittenMemory>[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return group.map(() => ({ ok: false, failure: error.failure }));
  }
}
