// ConversationBuffer: a sliding window of messages by tokens. It holds where a message is, not what it says.

export type Slot = { seq: number; id: string; tokens: number };

export type ConversationBuffer = { slots: readonly Slot[]; tokens: number; max: number };

export type Slid = { buffer: ConversationBuffer; evicted: Slot[] };

export function emptyBuffer(max: number): ConversationBuffer {
  return { slots: [], tokens: 0, max };
}

/** Adds in order and evicts the oldest until the window fits; the newest stays, however large it is. */
export function addAll(buffer: ConversationBuffer, slots: readonly Slot[]): Slid {
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

/** Gives the window another size; a smaller one evicts. */
export function resize(buffer: ConversationBuffer, max: number): Slid {
  return addAll({ ...buffer, max }, []);
}
