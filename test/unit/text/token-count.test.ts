import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countContextTokens, countMessageTokens, countTokens } from "../../../src/language/token-count";

describe("counting tokens", () => {
  it("counts as cl100k_base does", () => {
    expect(countTokens("")).toBe(0);
    expect(countTokens("hello world")).toBe(2);
    expect(countTokens("tiktoken is great!")).toBe(6);
    expect(countTokens("お誕生日おめでとう")).toBe(9);
  });

  it("reads special tokens as plain text instead of throwing", () => {
    expect(countTokens("<|endoftext|>")).toBeGreaterThan(1);
    expect(countTokens("<|im_start|>system")).toBeGreaterThan(1);
  });

  it.each([
    "a",
    " ",
    "\n",
    "-",
    "語",
    "🙂",
  ])("counts 32 KB of %j alone quickly, where the encoder takes a second", async (unit) => {
    const start = Date.now();
    const tokens = countTokens(unit.repeat((32 * 1024) / new TextEncoder().encode(unit).length));
    // The clock of workerd advances only after I/O.
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(Date.now() - start).toBeLessThan(300);
    expect(tokens).toBeGreaterThan(100);
  });

  it("never cuts a character in two when it counts a long run in pieces", () => {
    const one = countTokens("🙂".repeat(128));
    expect(countTokens("🙂".repeat(128 * 4))).toBe(one * 4);
  });

  it("adds four per message, with its tool calls, and two per context pair", () => {
    expect(countMessageTokens("hello world", null)).toBe(2 + 4);
    expect(countMessageTokens("hello world", '[{"id":"1"}]')).toBe(2 + countTokens('[{"id":"1"}]') + 4);
    expect(countContextTokens("framework", "hello world")).toBe(countTokens("framework") + 2 + 2);
    expect(countContextTokens("k", { a: [1] })).toBe(countTokens("k") + countTokens('{"a":[1]}') + 2);
  });

  it("takes any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const tokens = countTokens(text);
        expect(tokens).toBeGreaterThanOrEqual(text === "" ? 0 : 1);
        expect(tokens).toBeLessThanOrEqual(new TextEncoder().encode(text).length);
      }),
    );
  });
});
