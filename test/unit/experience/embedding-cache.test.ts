// The embedding cache of a project, and the vectors of texts that its embedder cannot read.
import { describe, expect, it } from "vitest";
import { createCachedEmbedder } from "../../../src/experience/consolidation/embedding-cache";
import { cosineSimilarity } from "../../../src/language/similarity";
import { FakeEmbedder } from "../../fakes/embedder";

function newCache() {
  const embedder = new FakeEmbedder();
  embedder.unreadable = /\p{Script=Han}/u;
  const saved = new Map<string, Float32Array>();
  const storage = {
    findVector: (key: string) => saved.get(key) ?? null,
    saveVectors: (vectors: readonly { key: string; vector: Float32Array }[]) => {
      for (const { key, vector } of vectors) saved.set(key, vector);
    },
  };
  return { embedder, saved, embed: createCachedEmbedder(embedder, storage, () => 0) };
}

describe("the embedding cache", () => {
  it("compares texts that the embedder cannot read by their terms, without calling it", async () => {
    const { embedder, saved, embed } = newCache();
    const texts = ["修复登录页面的错误", "修复登录页面错误", "更新数据库备份", "Fix the login page"];
    const [first, same, other, english] = await embed(texts);
    const compare = (a: Float32Array | undefined, b: Float32Array | undefined) =>
      a === undefined || b === undefined ? 0 : cosineSimilarity(a, b);
    expect(compare(first, first)).toBeCloseTo(1, 5);
    expect(compare(first, same)).toBeGreaterThan(0.7);
    expect(compare(first, other)).toBeLessThan(0.3);
    expect(english).toEqual(embedder.vectorOf("Fix the login page"));
    expect(embedder.embedded).toEqual(["Fix the login page"]);
    expect(saved.size).toBe(1);
  });
});
