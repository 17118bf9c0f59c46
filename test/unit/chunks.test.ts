import { describe, expect, it } from "vitest";
import { splitIntoChunks } from "../../src/kernel/databases/d1";
import { LIMITS } from "../../src/kernel/limits";

describe("cutting a list for D1", () => {
  const item = (chars: number) => ({ text: "x".repeat(chars) });

  it("keeps every item, in order", () => {
    const items = Array.from({ length: 1_000 }, (_, i) => ({ i, text: "x".repeat(i) }));
    expect(splitIntoChunks(items).flat()).toEqual(items);
  });

  it("keeps each piece within the limit", () => {
    const pieces = splitIntoChunks(Array.from({ length: 50 }, () => item(LIMITS.batchChars / 10)));
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces)
      expect(JSON.stringify(piece).length).toBeLessThanOrEqual(LIMITS.batchChars + 100);
  });

  it("still takes an item that is larger than the limit, alone", () => {
    const pieces = splitIntoChunks([item(1), item(LIMITS.batchChars * 2), item(1)]);
    expect(pieces.map((piece) => piece.length)).toEqual([1, 1, 1]);
  });
});
