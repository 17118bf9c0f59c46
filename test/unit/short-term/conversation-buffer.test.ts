import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addToBuffer,
  createBuffer,
  resizeBuffer,
  type Slot,
} from "../../../src/sessions/short-term/message-table";

const slot = (seq: number, tokens: number): Slot => ({ seq, id: `m${seq}`, tokens });
const seqs = (slots: readonly Slot[]) => slots.map(({ seq }) => seq);

describe("the conversation buffer", () => {
  it("keeps everything while it fits, to the last token", () => {
    const { buffer, evicted } = addToBuffer(createBuffer(100), [slot(1, 60), slot(2, 40)]);
    expect(buffer.tokens).toBe(100);
    expect(evicted).toEqual([]);
  });

  it("evicts the oldest until the new message fits, and returns them in order", () => {
    const full = addToBuffer(createBuffer(100), [slot(1, 30), slot(2, 30), slot(3, 40)]).buffer;
    const { buffer, evicted } = addToBuffer(full, [slot(4, 35)]);
    expect(seqs(evicted)).toEqual([1, 2]);
    expect(seqs(buffer.slots)).toEqual([3, 4]);
    expect(buffer.tokens).toBe(75);
  });

  it("accepts a message larger than the whole window, which is then the only one left", () => {
    const { buffer, evicted } = addToBuffer(
      addToBuffer(createBuffer(100), [slot(1, 10), slot(2, 10)]).buffer,
      [slot(3, 500)],
    );
    expect(seqs(buffer.slots)).toEqual([3]);
    expect(seqs(evicted)).toEqual([1, 2]);
    expect(seqs(addToBuffer(buffer, [slot(4, 1)]).buffer.slots)).toEqual([4]);
  });

  it("evicts when it is made smaller, and not when it is made larger", () => {
    const full = addToBuffer(createBuffer(100), [slot(1, 50), slot(2, 50)]).buffer;
    expect(seqs(resizeBuffer(full, 60).evicted)).toEqual([1]);
    expect(seqs(resizeBuffer(full, 10).buffer.slots)).toEqual([2]);
    expect(resizeBuffer(full, 200).buffer).toEqual({ slots: full.slots, tokens: 100, max: 200 });
  });

  it("takes 500 messages into a window of thousands without slowing down", () => {
    const many = Array.from({ length: 5_000 }, (_, seq) => slot(seq, 4));
    const full = addToBuffer(createBuffer(20_000), many).buffer;
    const more = Array.from({ length: 500 }, (_, index) => slot(5_000 + index, 4));
    const { buffer, evicted } = addToBuffer(full, more);
    expect(evicted).toHaveLength(500);
    expect(buffer.slots).toHaveLength(5_000);
  });

  const tokens = fc.array(fc.nat(300), { maxLength: 40 });

  it("is never over its size but for one message alone, and loses none", () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 1, max: 500 }), (sizes, max) => {
        const slots = sizes.map((size, seq) => slot(seq, size));
        const { buffer, evicted } = addToBuffer(createBuffer(max), slots);
        expect([...evicted, ...buffer.slots]).toEqual(slots);
        expect(buffer.tokens).toBe(buffer.slots.reduce((sum, kept) => sum + kept.tokens, 0));
        if (buffer.slots.length > 1) expect(buffer.tokens).toBeLessThanOrEqual(max);
        if (slots.length > 0) expect(buffer.slots.at(-1)).toBe(slots.at(-1));
      }),
    );
  });

  it("ends the same whether messages come at once or one by one", () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 1, max: 500 }), (sizes, max) => {
        const slots = sizes.map((size, seq) => slot(seq, size));
        let buffer = createBuffer(max);
        const evicted: Slot[] = [];
        for (const next of slots) {
          const slid = addToBuffer(buffer, [next]);
          buffer = slid.buffer;
          evicted.push(...slid.evicted);
        }
        expect(addToBuffer(createBuffer(max), slots)).toEqual({ buffer, evicted });
      }),
    );
  });
});
