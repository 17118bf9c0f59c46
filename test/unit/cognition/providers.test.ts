// The parts of providers that need no backend: names, pointers, and the text of an item.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROVIDERS, resolveProvider } from "../../../src/cognition/providers/provider";
import { countCodePoints } from "../../../src/kernel/common";
import type { Json } from "../../../src/kernel/json";
import { COGNITION } from "../../../src/kernel/limits";
import { toItemText } from "../../../src/language/json-text";
import { scoreWordOverlap } from "../../../src/language/similarity";

function getMessage(name: string, pointers: unknown): string {
  const outcome = resolveProvider(name, pointers);
  if (outcome.ok) throw new Error("It resolved");
  expect(outcome.failure).toMatchObject({ code: "invalid_request", errors: [{ path: "provider" }] });
  return outcome.failure.detail;
}

describe("the name of a provider", () => {
  it.each(PROVIDERS)("may be %s, whatever the pointers say", (name) => {
    const found = { ok: true, value: { provider: name, options: { index: "notes" } } };
    const elsewhere = { [name]: { provider: "inline", index: "other" } };
    for (const pointers of [undefined, null, [], "text", elsewhere])
      expect(resolveProvider(name, pointers, { index: "notes" })).toEqual(found);
    expect(resolveProvider(name, elsewhere)).toEqual({ ok: true, value: { provider: name, options: {} } });
  });

  it("may be a pointer, whose options hold where the directive gives none", () => {
    const pointers = { semantic: { provider: "vector", index: "agent_123", note: { any: ["thing"] } } };
    expect(resolveProvider("semantic", pointers)).toEqual({
      ok: true,
      value: { provider: "vector", options: { index: "agent_123" } },
    });
    expect(resolveProvider("semantic", pointers, { index: "other" })).toEqual({
      ok: true,
      value: { provider: "vector", options: { index: "other" } },
    });
    expect(resolveProvider("plain", { plain: { provider: "d1" } })).toEqual({
      ok: true,
      value: { provider: "d1", options: {} },
    });
  });

  it("that is neither is answered with the providers there are, and how many pointers", () => {
    const message = getMessage("pgvector", { semantic: { provider: "vector" }, cache: { provider: "d1" } });
    for (const name of [...PROVIDERS, "pgvector"]) expect(message).toContain(name);
    expect(message).toContain("world.pointers, which has 2");
    // Error messages must not quote the content of a space.
    expect(message).not.toContain("semantic");
    for (const pointers of [undefined, null, {}, [], 7])
      expect(getMessage("pgvector", pointers)).toContain("world.pointers, which has none");
  });

  it.each(["__proto__", "constructor", "toString"])("is not %s, which every object has", (name) => {
    expect(getMessage(name, {})).toContain("is no provider");
  });

  it.each<[string, Json, RegExp]>([
    ["text", "vector", /world\.pointers\.semantic must be an object/],
    ["null", null, /world\.pointers\.semantic must be an object/],
    [
      "without a provider",
      { index: "a" },
      /world\.pointers\.semantic points to no provider.*inline, d1, vector/,
    ],
    [
      "to an unknown provider",
      { provider: "pgvector" },
      /semantic points to no provider.*inline, d1, vector/,
    ],
    ["to itself", { provider: "semantic" }, /semantic points to no provider/],
    [
      "with a bad index",
      { provider: "d1", index: "a b" },
      /semantic has an invalid "index".*must be 1 to 128 characters/,
    ],
    [
      "with an index of another kind",
      { provider: "d1", index: 7 },
      /semantic has an invalid "index".*must be/,
    ],
  ])("that points badly says which pointer and what to do: %s", (_what, pointer, message) => {
    expect(getMessage("semantic", { semantic: pointer })).toMatch(message);
  });
});

describe("how an item reads", () => {
  it.each<[string, Json, string]>([
    ["k1", "Her car is red", "Her car is red"],
    ["favouriteColour", "blue", "blue favourite Colour"],
    ["door_open", true, "door open"],
    [
      "k1",
      { source: "sensor", content: "at three", text: "The door opened" },
      "The door opened at three source sensor",
    ],
    ["k1", { degrees: 22, at: ["noon", { by: null }] }, "degrees 22 at noon by"],
    ["3f2a-99b1", 22, "22"],
    ["k1", null, "k1"],
    ["🙂", [[], {}], "🙂"],
  ])("%s: %j", (key, value, text) => {
    expect(toItemText(key, value)).toBe(text);
  });

  it("is never empty nor without bound, however deep the value", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.jsonValue(), (key, value) => {
        const text = toItemText(key, value as Json);
        expect(text.length).toBeGreaterThan(0);
        expect(countCodePoints(text)).toBeLessThanOrEqual(COGNITION.itemBytes);
      }),
    );
    let deep: Json = "lantern";
    for (let i = 0; i < 100_000; i += 1) deep = [deep];
    expect(toItemText("k1", deep)).toBe("lantern");
    expect(countCodePoints(toItemText("k1", "x".repeat(2 * COGNITION.itemBytes)))).toBe(COGNITION.itemBytes);
  });
});

describe("a match by words", () => {
  it("is 1 with all the query's words, 0 with none, and in between by how many and how rare they are", () => {
    const texts = ["amber harbour", "amber meadow", "amber", "violet", "harbours of amber, and more"];
    const [both = 0, common = 0, alone = 0, none = 1, more = 0] = scoreWordOverlap(
      "the amber harbour?",
      texts,
    );
    expect([both, more, none]).toEqual([1, 1, 0]);
    expect(common).toBe(alone);
    expect(common).toBeGreaterThan(0);
    expect(common).toBeLessThan(0.5);
  });

  it("is from 0 to 1 for any texts, and the same in any order", () => {
    const words = fc.array(fc.constantFrom("amber", "harbour", "lantern", "and"), { maxLength: 4 });
    const text = words.map((some) => some.join(" "));
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 8 }), (query, texts) => {
        const scores = scoreWordOverlap(query, texts);
        expect(scores).toHaveLength(texts.length);
        for (const score of scores) expect(score >= 0 && score <= 1 + 1e-9).toBe(true);
        const reversed = scoreWordOverlap(query, texts.toReversed()).toReversed();
        for (const [i, score] of scores.entries()) expect(reversed[i]).toBeCloseTo(score, 12);
      }),
    );
  });
});
