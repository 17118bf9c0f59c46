// The messages that the long-term store does not have yet. They are sent together: a write of one costs almost as much as
// of several, because the entries of its neighbours are written again.
import { SECOND_MS } from "../../platform/time";
import type { MessageInput } from "../../schemas/message";
import { findLastSeq } from "../extraction/new-messages";
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
