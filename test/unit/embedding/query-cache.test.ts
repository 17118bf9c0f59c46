import { describe, expect, it } from "vitest";
import { type Embedder, EmbedderError } from "../../../src/models/embedders/embedder";
import { withQueryCache } from "../../../src/models/embedders/query-cache";

function counting(answer: (text: string) => Promise<Float32Array> = async (text) => vectorOf(text)) {
  const asked: { texts: readonly string[]; use: string }[] = [];
  const embedder: Embedder = {
    name: "counting",
    dimensions: 2,
    maxInlineTexts: 7,
    minRelatedCosine: 0,
    embed(texts, use) {
      asked.push({ texts, use });
      return Promise.all(texts.map(answer));
    },
  };
  return { embedder, asked };
}

function vectorOf(text: string): Float32Array {
  return Float32Array.of(text.length, 1);
}

describe("the memory of questions", () => {
  it("asks once for the same question, and is else the embedder it remembers for", async () => {
    const { embedder, asked } = counting();
    const cached = withQueryCache(embedder, 10);
    expect(cached).toMatchObject({ name: "counting", dimensions: 2, maxInlineTexts: 7 });
    expect(await cached.embed(["who?"], "query")).toEqual([vectorOf("who?")]);
    expect(await cached.embed(["who?"], "query")).toEqual([vectorOf("who?")]);
    expect(asked).toEqual([{ texts: ["who?"], use: "query" }]);
  });

  it("remembers no documents, and takes none for a question", async () => {
    const { embedder, asked } = counting();
    const cached = withQueryCache(embedder, 10);
    await cached.embed(["same"], "document");
    await cached.embed(["same"], "query");
    await cached.embed(["same"], "document");
    expect(asked.map(({ use }) => use)).toEqual(["document", "query", "document"]);
  });

  it("passes on several questions at once, and none", async () => {
    const { embedder, asked } = counting();
    const cached = withQueryCache(embedder, 10);
    expect(await cached.embed(["a", "bb"], "query")).toEqual([vectorOf("a"), vectorOf("bb")]);
    expect(await cached.embed([], "query")).toEqual([]);
    expect(asked[0]?.texts).toEqual(["a", "bb"]);
  });

  it("forgets the question that was longest unused", async () => {
    const { embedder, asked } = counting();
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

  it("hands out copies, so that no caller can change what is remembered", async () => {
    const cached = withQueryCache(counting().embedder, 2);
    const [first] = await cached.embed(["a"], "query");
    first?.fill(0);
    expect(await cached.embed(["a"], "query")).toEqual([vectorOf("a")]);
  });

  it("makes one call for those who ask the same at once", async () => {
    const { embedder, asked } = counting(async (text) => {
      await scheduler.wait(5);
      return vectorOf(text);
    });
    const cached = withQueryCache(embedder, 2);
    const answers = await Promise.all(
      ["a", "a", "bb", "a"].map((question) => cached.embed([question], "query")),
    );
    expect(answers.map(([vector]) => vector?.[0])).toEqual([1, 1, 2, 1]);
    expect(asked).toHaveLength(2);
  });

  it("tells a failure to all who share the call, and asks again the next time", async () => {
    let failing = true;
    const { embedder, asked } = counting(async (text) => {
      await scheduler.wait(1);
      if (failing) throw new EmbedderError("down");
      return vectorOf(text);
    });
    const cached = withQueryCache(embedder, 2);
    const ask = () => cached.embed(["a"], "query");
    const outcomes = await Promise.allSettled([ask(), ask()]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(asked).toHaveLength(1);
    failing = false;
    expect(await ask()).toEqual([vectorOf("a")]);
    expect(asked).toHaveLength(2);
  });

  it("does not wait for ever for the call of a request that is gone: those who wait ask once more, together", async () => {
    let calls = 0;
    const { embedder, asked } = counting((text) => {
      calls += 1;
      return calls === 1 ? new Promise(() => {}) : scheduler.wait(5).then(() => vectorOf(text));
    });
    const cached = withQueryCache(embedder, 2, 20);
    void cached.embed(["a"], "query");
    const answers = await Promise.all([1, 2, 3].map(() => cached.embed(["a"], "query")));
    expect(answers).toEqual([1, 2, 3].map(() => [vectorOf("a")]));
    expect(asked).toHaveLength(2);
  });
});
