// ConversationBuffer: a sliding window over messages, sized in tokens. It holds positions, not contents.

export type Slot = { seq: number; id: string; tokens: number };

export type ConversationBuffer = { slots: readonly Slot[]; tokens: number; max: number };

type WindowChange = { buffer: ConversationBuffer; evicted: Slot[] };

export function createBuffer(max: number): ConversationBuffer {
  return { slots: [], tokens: 0, max };
}

/** Adds messages in order and evicts the oldest until the window fits; the newest always stays. */
export function addToBuffer(buffer: ConversationBuffer, slots: readonly Slot[]): WindowChange {
  const all = [...buffer.slots, ...slots];
  let tokens = slots.reduce((sum, slot) => sum + slot.tokens, buffer.tokens);
  let first = 0;
  for (const slot of all) {
    if (tokens <= buffer.max || first === all.length - 1) break;
    tokens -= slot.tokens;
    first += 1;
  }
  return { buffer: { slots: all.slice(first), tokens, max: buffer.max }, evicted: all.slice(0, first) };
}

/** Changes the size of the window; a smaller one evicts messages. */
export function resizeBuffer(buffer: ConversationBuffer, max: number): WindowChange {
  return addToBuffer({ ...buffer, max }, []);
}
