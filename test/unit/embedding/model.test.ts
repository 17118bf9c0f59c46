import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import kernelModule from "../../../src/models/use-lite/kernel.wasm";
import {
  createUseLite,
  DIMENSIONS,
  MAX_TOKENS,
  type UseLite,
} from "../../../src/models/use-lite/sentence-encoder";
import { scaleCases } from "../../patience";
import { cosine, loadModel } from "./support";

let model: UseLite;
const embed = (text: string) => model.embed(model.tokenize(text));

beforeAll(async () => {
  model = createUseLite(await loadModel(), kernelModule);
});

describe("the embedded model", () => {
  it("returns a unit vector of 512 dimensions for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 100 }), (text) => {
        const vector = embed(text);
        expect(vector).toHaveLength(DIMENSIONS);
        expect(cosine(vector, vector)).toBeCloseTo(1, 5);
      }),
      { numRuns: scaleCases(50) },
    );
  });

  it("returns the same vector for a text after any other texts", () => {
    const before = embed("She sold the boat in spring.");
    const long = embed("The harbour was full of masts and gulls and rain. ".repeat(20));
    expect(embed("She sold the boat in spring.")).toEqual(before);
    expect(embed("The harbour was full of masts and gulls and rain. ".repeat(20))).toEqual(long);
  });

  it("returns vectors that later texts do not change", () => {
    const vector = embed("first");
    const copy = vector.slice();
    embed("second");
    expect(vector).toEqual(copy);
  });

  it("accepts any number of tokens up to its limit, in full tiles or not", () => {
    for (const words of [1, 2, 3, 4, 5, 6, 7, 8, 9, 125, 126, 127, MAX_TOKENS]) {
      const text = Array(words).fill("tea").join(" ");
      expect(model.tokenize(text)).toHaveLength(words);
      expect(Number.isFinite(embed(text)[0])).toBe(true);
    }
  });

  it("is sensitive to word order", () => {
    expect(cosine(embed("the dog bites the man"), embed("the man bites the dog"))).toBeLessThan(0.9999);
  });

  it("reads the first 128 tokens", () => {
    const words = (count: number) => Array<string>(count).fill("tea").join(" ");
    const full = embed(words(MAX_TOKENS));
    expect(embed(`${words(MAX_TOKENS)} and a volcano`)).toEqual(full);
    expect(embed(`${words(MAX_TOKENS - 1)} volcano`)).not.toEqual(full);
  });

  it("embeds an empty text as one unknown token, and other scripts and emoji as such too", () => {
    expect(model.tokenize("")).toEqual([0]);
    expect(cosine(embed(""), embed(""))).toBeCloseTo(1, 5);
    expect(embed("日本語")).toEqual(embed("🙂🙂🙂"));
  });

  it.each([
    "a",
    " ",
    "語",
    "🙂",
    "\n",
    "tea and biscuits. ",
  ])("embeds 32 KB of %j as its beginning", (unit) => {
    const text = unit.repeat((32 * 1024) / new TextEncoder().encode(unit).length);
    expect(model.tokenize(text).length).toBeLessThanOrEqual(MAX_TOKENS);
    expect(embed(text)).toEqual(embed(text.slice(0, 20_000)));
  });

  it("scores paraphrases above texts with the same words", () => {
    const question = embed("How old are you?");
    const same = cosine(question, embed("What is your age?"));
    const other = cosine(question, embed("How are you?"));
    expect(same).toBeGreaterThan(other);
  });

  it("rejects a file without a tensor and names it", async () => {
    const file = new Uint8Array(await loadModel());
    const header = new TextDecoder().decode(file.subarray(0, 8_192));
    const at = header.indexOf('"widening.scales"');
    file.set(new TextEncoder().encode('"renaming'), at);
    expect(() => createUseLite(file.buffer, kernelModule)).toThrow(
      "The model file has no tensor widening.scales",
    );
  });
});
