// Extracts promotion candidates from messages by rules. The position in the record advances in the same transaction, so
// that each message is extracted from once.
import { extractCandidates } from "../../facts/extraction/extract-candidates";
import type { PromotionTrigger } from "../../kernel/telemetry";
import type { SessionCore } from "../session-core";
import type { SessionRef } from "../session-record";
import type { ShortTermMemory } from "../session-storage";
import { findLastSeq, hasNewMessages } from "../short-term/message-progress";
import { addPendingItems } from "../short-term/pending-items";

type ExtractionCounts = { messages: number; candidates: number };

/** Inside a transaction: extracts from the messages up to a sequence number that have not been extracted from. */
export function extractByRules(
  { storage, privacy }: Pick<SessionCore, "storage" | "privacy">,
  memory: ShortTermMemory,
  to: number,
  now: number,
): ExtractionCounts {
  const { extracted_seq } = memory.record;
  if (to <= extracted_seq) return { messages: 0, candidates: 0 };
  const messages = storage.messages.read({ from: extracted_seq + 1, to });
  const candidates = privacy.derived
    .clean(messages)
    .flatMap(extractCandidates)
    .map((candidate) => ({ ...candidate, suggested_by: "implicit" as const, extracted_by: "rules" }));
  addPendingItems(storage, memory, candidates, now);
  storage.saveRecord({ ...memory.record, extracted_seq: to, extraction_failures: 0 });
  return { messages: messages.length, candidates: candidates.length };
}

/**
 * Extracts from all new messages by rules. With a language model they are left to the alarm, which is set to run at
 * once: no call waits for a model.
 */
export function extractNewMessages(core: SessionCore, ref: SessionRef, trigger: PromotionTrigger): void {
  const memory = core.require(ref);
  if (!hasNewMessages(memory)) return;
  if (!core.extractsByModel(memory.record)) {
    extractAllByRules(core, ref, trigger);
    return;
  }
  const due = { extract_at: core.now(), finishing: memory.record.status !== "active" };
  core.storage.write(() => core.storage.saveRecord({ ...memory.record, ...due }));
}

export function extractAllByRules(core: SessionCore, ref: SessionRef, trigger: PromotionTrigger): void {
  const { storage, telemetry } = core;
  const started = core.now();
  const memory = core.require(ref);
  const extracted = storage.write(() => extractByRules(core, memory, findLastSeq(memory), started));
  telemetry({
    event: "extraction.completed",
    tenant: ref.tenant,
    session_id: ref.id,
    duration_ms: core.now() - started,
    trigger,
    by: "rules",
    ...extracted,
  });
}
