// mem0's add: messages become memories at once. No model reads them: the rules that judge what leaves a session's
// window choose the sentences worth keeping, or each message is kept as said.

import { extractCandidates } from "../../domain/promotion/extract-candidates";
import type { Services } from "../../operations/services";
import { FailureError, failure } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import { asSaid, chosen, type Kept, toNewMemory } from "./mem0-record";
import type { Mem0Add, Mem0Added } from "./mem0-schemas";
import { placeNamed } from "./mem0-scope";

export async function addMessages(
  { store, indexing, now, later }: Services,
  { messages, infer, metadata, timestamp, ...ids }: Mem0Add,
  idempotency: Idempotency,
): Promise<Mem0Added> {
  placeNamed(ids);
  const at = new Date(timestamp === undefined ? now() : timestamp * 1_000).toISOString();
  const said = messages.filter(({ role }) => role === "user" || role === "assistant");
  const kept: Kept[] = infer
    ? said.flatMap((message) => extractCandidates({ ...message, id: "", timestamp: at }).map(chosen))
    : said.map(asSaid);
  const memories = kept.map((one) => toNewMemory(one, ids, metadata ?? {}, at));
  const written = await store.memories.commit(
    memories.map((memory, i) => ({
      op: idempotency === null ? crypto.randomUUID() : `${idempotency.op}:${i}`,
      fingerprint: idempotency?.fingerprint ?? "",
      memory,
    })),
  );
  later(indexing.wake());
  const results = written.map((result, i): Mem0Added["results"][number] => {
    const memory = memories[i];
    if (result.status === "rejected") throw new FailureError(result.failure);
    if (memory === undefined) throw failure("internal", "A write gave a result that nobody asked for.");
    return {
      id: result.memory_id,
      memory: memory.content,
      event: result.deduplicated ? "NOOP" : "ADD",
      categories: [memory.type],
    };
  });
  const added = results.filter(({ event }) => event === "ADD").length;
  const how = infer ? HOW_CHOSEN : "Each message of the user and the assistant was kept as said.";
  return { status: "SUCCEEDED", message: `${added} new memories. ${how}`, results };
}

const HOW_CHOSEN =
  "Sentences were chosen by fixed rules, without a language model; send infer false to keep each message as said.";
