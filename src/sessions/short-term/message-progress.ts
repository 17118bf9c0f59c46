// How far a session's messages have been processed: which ones the long-term store has, and which ones candidates have
// been extracted from. Messages are sent together: a write of one costs almost as much as of several, because the
// entries of its neighbours are written again.
import { SECOND_MS } from "../../kernel/time";
import type { MessageInput } from "../../memories/message-schemas";
import type { ShortTermMemory } from "../session-storage";

/** The time that a message waits for others. Recalls outside of the session find a message within five seconds. */
export const SEND_DELAY_MS = 3 * SECOND_MS;

/** The number of waiting messages that are sent without delay. */
export const SEND_COUNT = 20;

/** The alarm sends messages whose object was lost while they waited. */
export const SEND_RECOVERY_MS = 30 * SECOND_MS;

export function countUnsent(memory: ShortTermMemory): number {
  return Math.max(0, findLastSeq(memory) - memory.record.messages_sent);
}

/**
 * Returns whether new messages are sent at once: the turn is over, several came together, many wait, or one has left the
 * window.
 */
export function isSentAtOnce(memory: ShortTermMemory, added: readonly MessageInput[]): boolean {
  const { window_start, messages_sent } = memory.record;
  const isMany = added.length > 1 || countUnsent(memory) >= SEND_COUNT;
  return isMany || endsTurn(added) || window_start > messages_sent + 1;
}

/** A turn ends with the assistant's reply that calls no tool. */
function endsTurn(added: readonly MessageInput[]): boolean {
  const last = added.at(-1);
  return last?.role === "assistant" && (last.tool_calls ?? []).length === 0;
}

/** The delay before a language model's second attempt; it doubles with each further failure. */
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
