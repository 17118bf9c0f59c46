// Writes a learning: a new one, or one more occurrence of what is known. Once under an idempotency key, whatever fails.

import {
  computeLearningKey,
  recordRecurrence,
  toLearningMemory,
} from "../../domain/experience/learning-memory";
import { retryConflicts } from "../../platform/d1";
import { FailureError, failure, unwrap } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import type { LearningCreate } from "../../schemas/learning";
import type { Memory } from "../../schemas/memory";
import { SHARED } from "../../store/memories/memory-id";
import type { Repositories } from "../../store/repositories";

type Written = { memory: Memory; created: boolean };

export async function writeLearning(
  store: Repositories,
  input: LearningCreate,
  idempotency: Idempotency,
  now: string,
): Promise<Written> {
  const key = await computeLearningKey(input);
  const scope = SHARED + (input.project_id ?? "");
  const operation = idempotency ?? { op: crypto.randomUUID(), fingerprint: "" };
  const again = (memory: Memory) => recordRecurrence(memory, input, now);
  return retryConflicts(async () => {
    const earlier = await store.operations.find<{ memory_id: string; deduplicated: boolean }>(operation);
    if (earlier !== null) {
      const { memory_id, deduplicated } = unwrap(earlier);
      return { memory: await standing(store, memory_id), created: !deduplicated };
    }
    const known = await store.memories.findByTopic(scope, key);
    if (known !== null) {
      const response = { memory_id: known.id, deduplicated: true };
      await store.memories.changeOnce(known.id, again, { ...operation, response });
      return { memory: await standing(store, known.id), created: false };
    }
    const [result] = await store.memories.commit([
      { ...operation, memory: toLearningMemory(input, key, now) },
    ]);
    if (result === undefined) throw failure("internal", "The write gave no result.");
    if (result.status === "rejected") throw new FailureError(result.failure);
    // Somebody else learnt it at the same moment.
    if (result.deduplicated) await store.memories.change(result.memory_id, again);
    return { memory: await standing(store, result.memory_id), created: !result.deduplicated };
  });
}

async function standing(store: Repositories, id: string): Promise<Memory> {
  const memory = await store.memories.find(id);
  if (memory === null) throw failure("gone", `Learning ${id} was erased. Send it again under another key.`);
  return memory;
}
