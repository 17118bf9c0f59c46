// Stores memories for their owners: through the object of their session, which has an outbox, or directly in D1.

import { NO_OWNER, type Owner } from "../../domain/access";
import { createPrivacyGate } from "../../domain/privacy/privacy-gate";
import { resolvePrivacy } from "../../domain/privacy/privacy-policy";
import { FailureError, fail, ok, type Result } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import type { MemoryContent } from "../../schemas/memory";
import type { OwnedMemory } from "../../session/session-rpc";
import { COMMIT_BATCH_SIZE } from "../../store/memories/commit-memories";
import { type MemoryWrite, toWritten, type WriteResult } from "../../store/memories/commit-plan";
import type { Services } from "../services";

export type StoreRequest = Pick<MemoryWrite, "updates" | "keepsTopic"> & {
  owner: Required<Owner>;
  memory: MemoryContent;
  idempotency: Idempotency;
};

type Position = { request: StoreRequest; at: number };

/**
 * Stores memories in order and returns the result of each. A session's memories are stored in one call; one session
 * follows the other, because a later memory may supersede an earlier one of the same owner.
 */
export async function storeMemories(
  services: Services,
  requests: readonly StoreRequest[],
): Promise<Result<OwnedMemory>[]> {
  const results: (Result<OwnedMemory> | undefined)[] = requests.map((request) =>
    refuseByPolicy(services, request),
  );
  const positions = requests.flatMap((request, at) => (results[at] === undefined ? [{ request, at }] : []));
  for (const [session_id, group] of Map.groupBy(positions, ({ request }) => request.owner.session_id)) {
    const stored =
      session_id === null
        ? await storeInD1(services, group)
        : await storeInSession(services, session_id, group);
    for (const [i, { at }] of group.entries()) results[at] = stored[i];
  }
  return results.map((result) => result ?? missingResult());
}

/** Returns the failure of a memory that the privacy policy refuses: it does not stop the others of its batch. */
function refuseByPolicy({ privacy }: Services, { owner, memory }: StoreRequest): Result<never> | undefined {
  const gate = createPrivacyGate({
    lookUp: (projectId) => resolvePrivacy(privacy, projectId),
    refuses: true,
  });
  try {
    gate.clean(memory, owner.project_id);
    return undefined;
  } catch (error) {
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    throw error;
  }
}

function storeInSession(
  { tenant, keyId: key_id, session, binding: within }: Services,
  id: string,
  group: readonly Position[],
): Promise<Result<OwnedMemory>[]> {
  return settleEach(group, async () => {
    const items = group.map(({ request: { owner, memory, ...request } }) => {
      const { user_id, agent_id, project_id } = owner;
      const activity = { kind: "remember" as const, key_id };
      return {
        ...request,
        memory: { ...memory, activity },
        within,
        owner: { user_id, agent_id, project_id },
      };
    });
    const written = await session(id).remember({ tenant, id }, items);
    return written.ok ? written.value : group.map(() => written);
  });
}

/** Writes one batch after the other, so that a failure concerns only the memories of its batch. */
async function storeInD1(
  { store, indexing, later, binding: within }: Services,
  group: readonly Position[],
): Promise<Result<OwnedMemory>[]> {
  const results: Result<OwnedMemory>[] = [];
  for (let start = 0; start < group.length; start += COMMIT_BATCH_SIZE) {
    const batch = group.slice(start, start + COMMIT_BATCH_SIZE);
    results.push(
      ...(await settleEach(batch, async () =>
        (
          await store.memories.commit(batch.map((position) => ({ ...toWrite(position), within })))
        ).map((result, i) => toOwned(result, batch[i]?.request.owner ?? NO_OWNER)),
      )),
    );
  }
  later(indexing.wake());
  return results;
}

function toWrite({ request: { owner, memory, idempotency, ...merging } }: Position): MemoryWrite {
  const { session_id, user_id, agent_id, project_id } = owner;
  return {
    op: idempotency?.op ?? crypto.randomUUID(),
    fingerprint: idempotency?.fingerprint ?? "",
    memory: { ...memory, session_id, user_id, agent_id, project_id },
    ...merging,
  };
}

function toOwned(result: WriteResult, { user_id, agent_id, project_id }: Owner): Result<OwnedMemory> {
  const written = toWritten(result);
  return written.ok ? ok({ ...written.value, owner: { user_id, agent_id, project_id } }) : written;
}

/** Returns a failure of the whole call as the result of each of its memories. */
async function settleEach(
  group: readonly Position[],
  work: () => Promise<Result<OwnedMemory>[]>,
): Promise<Result<OwnedMemory>[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return group.map(() => ({ ok: false, failure: error.failure }));
  }
}

function missingResult(): Result<never> {
  return fail("internal", "The write returned no result.");
}
