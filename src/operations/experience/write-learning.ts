// Writes a learning: a new one, or one more occurrence of what is known. Once under an idempotency key, whatever fails.

import { learningKey, learningMemory, metAgain } from "../../domain/experience/learning-memory";
import { retryRaces } from "../../platform/d1";
import { FailureError, failure, unwrap } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import type { LearningCreate } from "../../schemas/learning";
import type { Memory } from "../../schemas/memory";
import { SHARED } from "../../store/memories/memory-id";
import type { LongTermStore } from "../../store/store";

type Written = { memory: Memory; created: boolean };

export async function writeLearning(
  store: LongTermStore,
  input: LearningCreate,
  idempotency: Idempotency,
  now: string,
): Promise<Written> {
  const key = await learningKey(input);
  const scope = SHARED + (input.project_id ?? "");
  const operation = idempotency ?? { op: crypto.randomUUID(), fingerprint: "" };
  const again = (memory: Memory) => metAgain(memory, input, now);
  return retryRaces(async () => {
    const earlier = await store.readOperation<{ memory_id: string; deduplicated: boolean }>(operation);
    if (earlier !== null) {
      const { memory_id, deduplicated } = unwrap(earlier);
      return { memory: await standing(store, memory_id), created: !deduplicated };
    }
    const known = await store.findTopic(scope, key);
    if (known !== null) {
      const response = { memory_id: known.id, deduplicated: true };
      await store.changeOnce(known.id, again, { ...operation, response });
      return { memory: await standing(store, known.id), created: false };
    }
    const [result] = await store.commit([{ ...operation, memory: learningMemory(input, key, now) }]);
    if (result === undefined) throw failure("internal", "The write gave no result.");
    if (result.status === "rejected") throw new FailureError(result.failure);
    // Somebody else learnt it at the same moment.
    if (result.deduplicated) await store.change(result.memory_id, again);
    return { memory: await standing(store, result.memory_id), created: !result.deduplicated };
  });
}

async function standing(store: LongTermStore, id: string): Promise<Memory> {
  const memory = await store.find(id);
  if (memory === null) throw failure("gone", `Learning ${id} was erased. Send it again under another key.`);
  return memory;
}
