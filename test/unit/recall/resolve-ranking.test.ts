import { describe, expect, it } from "vitest";
import { RankingInput } from "../../../src/memories/memory-schemas";
import { findRankingPreset } from "../../../src/models/embedders/embedder";
import { resolveRanking } from "../../../src/recall/search/search";

const WEAK = { preset: findRankingPreset("use-lite-int8-1") };
const STRONG = { preset: findRankingPreset("@cf/baai/bge-m3") };

describe("the preset of an embedder", () => {
  it.each([
    ["use-lite-int8-1", "weighted"],
    ["@cf/baai/bge-small-en-v1.5", "weighted"],
    ["@cf/baai/bge-base-en-v1.5", "rrf"],
    ["@cf/baai/bge-large-en-v1.5", "rrf"],
    ["@cf/baai/bge-m3", "rrf"],
    ["bge-m3:latest", "rrf"],
    ["@cf/google/embeddinggemma-300m", "rrf"],
    ["@cf/qwen/qwen3-embedding-0.6b", "rrf"],
    ["Qwen/Qwen3-Embedding-8B", "rrf"],
    ["openai/text-embedding-3-small", "rrf"],
    ["an-unknown-model", "weighted"],
    ["my-bge-m3-like-model", "weighted"],
  ])("of %s is %s", (model, fusion) => {
    expect(findRankingPreset(model)).toEqual({ fusion, semantic_weight: 1 });
  });
});

describe("the ranking of a search", () => {
  it("is that of the embedder's preset", () => {
    expect(resolveRanking({}, WEAK)).toEqual({ fusion: "weighted", semantic_weight: 1, user_prior: 0 });
    expect(resolveRanking({}, STRONG)).toEqual({ fusion: "rrf", semantic_weight: 1, user_prior: 0 });
  });

  it("is that of the request, as far as it says", () => {
    expect(resolveRanking({ fusion: "weighted" }, STRONG).fusion).toBe("weighted");
    expect(resolveRanking({ semantic_weight: 0 }, STRONG)).toEqual({
      fusion: "rrf",
      semantic_weight: 0,
      user_prior: 0,
    });
    expect(resolveRanking({ user_prior: 0.4 }, null).user_prior).toBe(0.4);
  });

  it("does not depend on the embedder if the search is lexical", () => {
    expect(resolveRanking({}, null).fusion).toBe("weighted");
  });

  it("takes no default from the schema: it would override the preset", () => {
    expect(RankingInput.parse({})).toEqual({});
  });
});
