// The rule on pairs that were labelled by hand, with the vectors of the embedded embedder. See docs/duplicates.md.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { useLiteFromAssets } from "../../../src/embedding/use-lite/assets";
import { isNearDuplicate, readStatement } from "../../../src/promotion/near-duplicate";
import { MemoryTypeName } from "../../../src/schemas/session";
import pairs from "../../data/near-duplicates.json";

describe("the near-duplicate rule on the pairs it was not fitted on", () => {
  it("is right in 97 of 100 merges, and finds half of the duplicates", async () => {
    const held = pairs.filter(({ split }) => split === "held");
    const vectors = await useLiteFromAssets(env.ASSETS).embed(
      held.flatMap(({ a, b }) => [a, b]),
      "document",
    );
    const merged = held.filter(({ type: name, a, b }, at) => {
      const type = MemoryTypeName.parse(name);
      const cosine = dot(vectors[2 * at], vectors[2 * at + 1]);
      const [one, other] = [readStatement({ type, content: a }), readStatement({ type, content: b })];
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
