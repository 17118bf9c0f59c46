// The messages of a session that candidates have not been extracted from, and the retries of a language model on them.
import { SECOND_MS } from "../../platform/time";
import type { ShortTermMemory } from "../session-storage";

/** The delay before the second attempt; it doubles with each further failure. */
const FIRST_RETRY_MS = 5 * SECOND_MS;

/** Failed attempts after which the waiting messages are extracted from by rules. */
export const MAX_EXTRACTION_FAILURES = 2;

export function computeExtractionRetryDelay(failures: number): number {
  return FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1);
}

/** Returns whether a session has messages that have not been extracted from. */
export function hasNewMessages(memory: ShortTermMemory): boolean {
  return findLastSeq(memory) > memory.record.extracted_seq;
}

/** Returns the sequence number of the newest message, which the window always holds; 0 if there is none. */
export function findLastSeq({ buffer }: ShortTermMemory): number {
  return buffer.slots.at(-1)?.seq ?? 0;
}
