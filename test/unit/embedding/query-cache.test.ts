import { describe, expect, it } from "vitest";
import { type Embedder, EmbedderError } from "../../../src/models/embedders/embedder";
import { withQueryCache } from "../../../src/models/embedders/query-cache";

function createCountingEmbedder(
  answer: (text: string) => Promise<Float32Array> = async (text) => toVector(text),
) {
  const asked: { texts: readonly string[]; use: string }[] = [];
  const embedder: Embedder = {
    name: "counting",
    dimensions: 2,
    maxInlineTexts: 7,
    minRelatedCosine: 0,
    preset: { fusion: "weighted", semantic_weight: 1 },
    canRead: () => true,
    embed(texts, use) {
      asked.push({ texts, use });
      return Promise.all(texts.map(answer));
    },
  };
  return { embedder, asked };
}

function toVector(text: string): Float32Array {
  return Float32Array.of(text.length, 1);
}

describe("the query cache", () => {
  it("embeds a repeated query once, and otherwise behaves like its embedder", async () => {
    const { embedder, asked } = createCountingEmbedder();
    const cached = withQueryCache(embedder, 10);
    expect(cached).toMatchObject({ name: "counting", dimensions: 2, maxInlineTexts: 7 });
    expect(await cached.embed(["who?"], "query")).toEqual([toVector("who?")]);
    expect(await cached.embed(["who?"], "query")).toEqual([toVector("who?")]);
    expect(asked).toEqual([{ texts: ["who?"], use: "query" }]);
  });

  it("caches no documents and does not mistake them for queries", async () => {
    const { embedder, asked } = createCountingEmbedder();
    const cached = withQueryCache(embedder, 10);
    await cached.embed(["same"], "document");
    await cached.embed(["same"], "query");
    await cached.embed(["same"], "document");
    expect(asked.map(({ use }) => use)).toEqual(["document", "query", "document"]);
  });

  it("passes calls with several queries or none through", async () => {
    const { embedder, asked } = createCountingEmbedder();
    const cached = withQueryCache(embedder, 10);
    expect(await cached.embed(["a", "bb"], "query")).toEqual([toVector("a"), toVector("bb")]);
    expect(await cached.embed([], "query")).toEqual([]);
    expect(asked[0]?.texts).toEqual(["a", "bb"]);
  });

  it("evicts the least recently used query", async () => {
    const { embedder, asked } = createCountingEmbedder();
    const cached = withQueryCache(embedder, 2);
    const ask = (question: string) => cached.embed([question], "query");
    await ask("a");
    await ask("b");
    await ask("a");
    await ask("c");
    await ask("a");
    expect(asked.map(({ texts }) => texts[0])).toEqual(["a", "b", "c"]);
    await ask("b");
    expect(asked).toHaveLength(4);
  });

  it("returns copies, so that no caller can change a cached vector", async () => {
    const cached = withQueryCache(createCountingEmbedder().embedder, 2);
    const [first] = await cached.embed(["a"], "query");
    first?.fill(0);
    expect(await cached.embed(["a"], "query")).toEqual([toVector("a")]);
  });

  it("shares one call among concurrent calls for the same query", async () => {
    const { embedder, asked } = createCountingEmbedder(async (text) => {
      await scheduler.wait(5);
      return toVector(text);
    });
    const cached = withQueryCache(embedder, 2);
    const answers = await Promise.all(
      ["a", "a", "bb", "a"].map((question) => cached.embed([question], "query")),
    );
    expect(answers.map(([vector]) => vector?.[0])).toEqual([1, 1, 2, 1]);
    expect(asked).toHaveLength(2);
  });

  it("rejects all calls that share a failed call, and retries the next time", async () => {
    let failing = true;
    const { embedder, asked } = createCountingEmbedder(async (text) => {
      await scheduler.wait(1);
      if (failing) throw new EmbedderError("down");
      return toVector(text);
    });
    const cached = withQueryCache(embedder, 2);
    const ask = () => cached.embed(["a"], "query");
    const outcomes = await Promise.allSettled([ask(), ask()]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(asked).toHaveLength(1);
    failing = false;
    expect(await ask()).toEqual([toVector("a")]);
    expect(asked).toHaveLength(2);
  });

  it("does not wait forever for a call of a request that has ended: the waiting calls share a new one", async () => {
    let calls = 0;
    const { embedder, asked } = createCountingEmbedder((text) => {
      calls += 1;
      return calls === 1 ? new Promise(() => {}) : scheduler.wait(5).then(() => toVector(text));
    });
    const cached = withQueryCache(embedder, 2, 20);
    void cached.embed(["a"], "query");
    const answers = await Promise.all([1, 2, 3].map(() => cached.embed(["a"], "query")));
    expect(answers).toEqual([1, 2, 3].map(() => [toVector("a")]));
    expect(asked).toHaveLength(2);
  });
});
