import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { readVocabulary, readWeights } from "../../../src/models/use-lite/sentence-encoder";
import { tokenize, type Vocabulary } from "../../../src/models/use-lite/sentencepiece-tokenizer";
import { scaleCases } from "../../patience";
import { loadModel } from "./support";

let vocabulary: Vocabulary;

beforeAll(async () => {
  const weights = readWeights(await loadModel());
  vocabulary = readVocabulary(weights, weights.data.slice().buffer);
});

describe("the SentencePiece tokenizer", () => {
  it.each([
    ["Hello, world!", [341, 4125, 8, 311, 78]],
    ["Anna: I moved to Berlin last March.", [74, 3264, 57, 16, 2198, 10, 2113, 850, 231, 1703, 6]],
    ["unbelievably internationalisation", [228, 2681, 349, 278, 1642, 1899, 5846]],
    [
      "see https://example.com/a?b=1 :)",
      [158, 290, 7, 255, 773, 1563, 147, 6, 167, 68, 86, 54, 151, 5419, 658],
    ],
    ["  two  spaces ", [30, 30, 174, 30, 1016, 7, 30]],
    ["日本語", [30, 0]],
    ["I ❤️ 🍕 and ｆｕｌｌ width", [16, 30, 0, 30, 0, 12, 650, 7916]],
    ["a\nb\tc", [11, 0, 151, 0, 131]],
    ["naïve café — “quoted”", [1216, 0, 105, 976, 209, 1133, 405, 77, 1699, 849, 26, 236]],
    ["x", [649]],
    ["", []],
  ])("tokenises %j as the model's own package does", (text, ids) => {
    expect(tokenize(text, vocabulary)).toEqual(ids);
  });

  it.each([
    ["one letter", "a"],
    ["one space", " "],
    ["a character of no piece", "語"],
    ["an emoji", "🙂"],
    ["words", "internationalisation is unbelievable "],
  ])("takes linear time for a megabyte of %s", (_, unit) => {
    expect(tokenize(unit.repeat(1_000_000 / unit.length), vocabulary).length).toBeGreaterThan(1);
  });

  it("accepts any text, and returns at most one token per character and one for the leading space", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const ids = tokenize(text, vocabulary);
        expect(ids.length).toBeLessThanOrEqual(text.normalize("NFKC").length + 1);
        expect(ids.every((id) => id >= 0 && id < vocabulary.scores.length)).toBe(true);
      }),
      { numRuns: scaleCases(50) },
    );
  });
});
