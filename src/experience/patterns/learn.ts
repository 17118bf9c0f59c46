// learn: stores a learning, or counts one more occurrence of a known one.

import { resolveOwner } from "../../calls/call-access";
import { defineTool, type OperationReply } from "../../calls/tool";
import type { Access } from "../../kernel/access";
import { OptionalSession } from "../../kernel/common";
import { retryConflicts } from "../../kernel/databases/d1";
import { failure, unwrap } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import type { Memory } from "../../memories/memory-schemas";
import { SHARED_SCOPE } from "../../memories/store/memory-id";
import { storeMemory } from "../../memories/store-memories";
import type { Repositories } from "../../services/repositories";
import type { Services } from "../../services/services";
import { outranks } from "../../trust/source-rank";
import {
  computeLearningKey,
  type OwnedLearning,
  recordRecurrence,
  toLearning,
  toLearningMemory,
} from "./learning-memory";
import { LearnInput, Learning, type LearningCreate } from "./pattern-schemas";

export async function learn(
  services: Services,
  { owner }: Access,
  input: LearningCreate,
  idempotency: Idempotency,
): Promise<OperationReply<Learning>> {
  const session = await resolveOwner(services, owner);
  const project_id = input.project_id ?? session.project_id;
  // A lesson of a project serves everybody in it. Without a project it stays with the user, not with the whole tenant.
  const user_id = project_id === null ? session.user_id : null;
  const now = new Date(services.now()).toISOString();
  const { memory, created } = await writeLearning(
    services,
    { ...input, project_id, user_id },
    idempotency,
    now,
  );
  return { status: created ? 201 : 200, body: toLearning(memory) };
}

export const learnTool = defineTool({
  name: "learn",
  title: "Learn from a mistake",
  description:
    "Store a lesson from a mistake: its trigger, root cause, fix and prevention. Learning the same again counts one " +
    "more occurrence. prime warns later tasks of it.",
  scope: "write",
  quota: ["memories", "bytes"],
  capability: "CanWriteMemory",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ownerInput: OptionalSession,
  input: LearnInput,
  output: Learning,
  responses: { 200: "The known learning, with one more occurrence", 201: "The new learning" },
  run: learn,
});

type WrittenLearning = { memory: Memory; created: boolean };

/** Writes a learning, once per idempotency key. */
async function writeLearning(
  services: Services,
  input: OwnedLearning,
  idempotency: Idempotency,
  now: string,
): Promise<WrittenLearning> {
  const { store } = services;
  const key = await computeLearningKey(input);
  const scope = input.user_id === null ? SHARED_SCOPE + (input.project_id ?? "") : `user:${input.user_id}`;
  const operation = idempotency ?? { op: crypto.randomUUID(), fingerprint: "" };
  const learning = toLearningMemory(input, key, now);
  const [source_type = learning.source_type] = await store.memories.findLimitedSources([learning]);
  // A lesson that rests on a source of a lower rank does not confirm one of a higher.
  const countAgain = (memory: Memory) =>
    outranks(store.ranks, memory.source_type, source_type) ? memory : recordRecurrence(memory, input, now);
  return retryConflicts(async () => {
    const earlier = await store.operations.find<{ memory_id: string; deduplicated: boolean }>(operation);
    if (earlier !== null) {
      const { memory_id, deduplicated } = unwrap(earlier);
      return { memory: await loadMemory(store, memory_id), created: !deduplicated };
    }
    const known = await store.memories.findByTopic(scope, key);
    if (known !== null) {
      const response = { memory_id: known.id, deduplicated: true };
      await store.memories.changeOnce(known.id, countAgain, { ...operation, response });
      services.later(services.indexing.wake());
      return { memory: await loadMemory(store, known.id), created: false };
    }
    const { memory_id, deduplicated } = await storeMemory(services, {
      ...operation,
      memory: { ...learning, activity: { kind: "learning" } },
    });
    // Another call stored the same learning concurrently.
    if (deduplicated) await store.memories.change(memory_id, countAgain);
    return { memory: await loadMemory(store, memory_id), created: !deduplicated };
  });
}

async function loadMemory(store: Repositories, id: string): Promise<Memory> {
  const memory = await store.memories.find(id);
  if (memory === null) throw failure("gone", `Learning ${id} was erased. Send it again under another key.`);
  return memory;
}
