import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countCodePoints } from "../../../src/kernel/common";
import { splitText } from "../../../src/language/normalise-text";

describe("a text in parts", () => {
  it("joins to the same text, in parts of at most so many code points", () => {
    const words = fc.array(fc.constantFrom("why ", "記", "👩‍👧 ", "a\n\n", "end. ", "x".repeat(30), "\n"), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 60 }), (list, max) => {
        const text = list.join("");
        const parts = splitText(text, max);
        expect(parts.join("")).toBe(text);
        for (const part of parts) expect(countCodePoints(part)).toBeLessThanOrEqual(max);
        for (const part of parts) expect(part.isWellFormed()).toBe(true);
      }),
    );
  });

  it.each([
    ["a paragraph", "One two three.\n\nFour. five six", "One two three.\n\n"],
    ["a line", "One two three four\nFive. six seven", "One two three four\n"],
    ["a sentence", "One two three four. Five six seven", "One two three four. "],
    ["a word", "One two three four fivesixseveneight", "One two three four "],
  ])("ends at %s, if one ends in its last quarter", (_what, text, first) => {
    expect(splitText(text, 20)[0]).toBe(first);
  });

  it("is full where nothing ends", () => {
    expect(splitText("x".repeat(45), 20).map((part) => part.length)).toEqual([20, 20, 5]);
  });
});
