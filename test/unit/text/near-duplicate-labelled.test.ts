// The near-duplicate rule on hand-labelled pairs, with vectors of the embedded embedder. See docs/duplicates.md.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MemoryTypeName } from "../../../src/kernel/common";
import { isNearDuplicate, parseStatement } from "../../../src/language/near-duplicates/near-duplicate";
import { getSharedUseLiteEmbedder } from "../../../src/models/use-lite/use-lite-embedder";
import pairs from "../../data/near-duplicates.json";

describe("the near-duplicate rule on the pairs it was not fitted on", () => {
  it("is right in 97 of 100 merges, and finds half of the duplicates", async () => {
    const held = pairs.filter(({ split }) => split === "held");
    const vectors = await getSharedUseLiteEmbedder(env.ASSETS).embed(
      held.flatMap(({ a, b }) => [a, b]),
      "document",
    );
    const merged = held.filter(({ type: name, a, b }, at) => {
      const type = MemoryTypeName.parse(name);
      const cosine = dot(vectors[2 * at], vectors[2 * at + 1]);
      const [one, other] = [parseStatement({ type, content: a }), parseStatement({ type, content: b })];
      return isNearDuplicate(one, other, cosine).duplicate;
    });
    const right = merged.filter(({ duplicate }) => duplicate);
    expect(right.length / merged.length).toBeGreaterThanOrEqual(0.97);
    expect(right.length / held.filter(({ duplicate }) => duplicate).length).toBeGreaterThanOrEqual(0.5);
  });
});

function dot(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
