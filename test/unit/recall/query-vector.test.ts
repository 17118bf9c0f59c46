import { describe, expect, it } from "vitest";
import type { Embedder } from "../../../src/models/embedders/embedder";
import { embedQuery } from "../../../src/recall/search/semantic-search";

/** Embeds questions in the first person to the right, all others upwards. */
function createEmbedder(minRelatedCosine: number): Embedder {
  return {
    name: "fake",
    dimensions: 2,
    maxInlineTexts: 1,
    minRelatedCosine,
    preset: { fusion: "weighted", semantic_weight: 1 },
    canRead: () => true,
    embed: async (texts) => texts.map((text) => Float32Array.from(/\bI\b/.test(text) ? [1, 0] : [0, 1])),
  };
}

const embed = async (query: string, user?: string, minRelatedCosine = 0.25) => [
  ...((await embedQuery(createEmbedder(minRelatedCosine), query, user)) ?? []),
];

describe("the vector of a query", () => {
  it("lies between the question and the same in the first person, if it names the user, with length 1", async () => {
    const [x = 0, y = 0] = await embed("Where does Alex live?", "alex");
    expect(x).toBeCloseTo(Math.SQRT1_2, 6);
    expect(y).toBeCloseTo(Math.SQRT1_2, 6);
  });

  it("is that of the question otherwise", async () => {
    expect(await embed("Where does Ben live?", "alex")).toEqual([0, 1]);
    expect(await embed("Where does Alex live?")).toEqual([0, 1]);
  });

  it("is that of the question with an embedder that does not state when texts are related", async () => {
    expect(await embed("Where does Alex live?", "alex", 0)).toEqual([0, 1]);
  });
});
