import { describe, expect, expectTypeOf, it } from "vitest";
import type { AiBinding } from "../../../src/kernel/env";
import {
  CONCURRENT_CALLS,
  EMBEDDING_RETRY_POLICIES,
  MAX_CALL_BYTES,
  MAX_INLINE_TEXTS,
  MAX_TEXT_BYTES,
} from "../../../src/models/embedders/remote-embedder";
import { createWorkersAiEmbedder } from "../../../src/models/embedders/workers-ai-embedder";
import { fakeAi, lengthOf, messageOf, noWaiting, numberOf, soon, textsOf } from "./remote-support";

const M3 = "@cf/baai/bge-m3";
const SECRET = "The launch code is 4711";

function upstream(message: string): Error {
  return Object.assign(new Error(message), { name: "InferenceUpstreamError" });
}

describe("an embedder on Workers AI", () => {
  it("accepts the platform's own binding", () => {
    expectTypeOf<Ai>().toExtend<AiBinding>();
  });

  it("returns the unit vector of each text, in order, over several calls of at most 100 texts", async () => {
    let underWay = 0;
    let most = 0;
    const { ai, calls } = fakeAi(1_024, async (_, nth) => {
      underWay += 1;
      most = Math.max(most, underWay);
      // The first call is the slowest: the order must not depend on which call ends first.
      await scheduler.wait(nth === 1 ? 30 : 5);
      underWay -= 1;
    });
    const texts = Array.from({ length: 450 }, (_, i) => `text ${i}`);
    const vectors = await createWorkersAiEmbedder(ai, M3).embed(texts, "document");
    expect(vectors.map(numberOf)).toEqual(texts.map((_, i) => i));
    expect(vectors.every((vector) => Math.abs(lengthOf(vector) - 1) < 1e-6)).toBe(true);
    expect(calls.map((call) => textsOf(call).length)).toEqual([100, 100, 100, 100, 50]);
    expect(most).toBe(CONCURRENT_CALLS);
  });

  it("makes no call for no texts", async () => {
    const { ai, calls } = fakeAi(1_024);
    expect(await createWorkersAiEmbedder(ai, M3).embed([], "document")).toEqual([]);
    expect(calls).toEqual([]);
  });

  it("limits the bytes of a call and of a text", async () => {
    const { ai, calls } = fakeAi(1_024);
    const long = "記憶".repeat(10_000);
    await createWorkersAiEmbedder(ai, M3).embed(Array(20).fill(long), "document");
    const bytes = calls.map((call) => textsOf(call).map((text) => new TextEncoder().encode(text).length));
    expect(Math.max(...bytes.flat())).toBeLessThanOrEqual(MAX_TEXT_BYTES);
    expect(Math.min(...bytes.flat())).toBeGreaterThan(MAX_TEXT_BYTES - 3);
    expect(bytes.map((list) => list.reduce((a, b) => a + b)).every((sum) => sum <= MAX_CALL_BYTES)).toBe(
      true,
    );
    expect(bytes.flat()).toHaveLength(20);
    expect(calls.flatMap(textsOf).every((text) => long.startsWith(text))).toBe(true);
  });

  it("sends no empty text and no lone surrogate, which services reject", async () => {
    const { ai, calls } = fakeAi(1_024);
    await createWorkersAiEmbedder(ai, M3).embed(
      ["", " \n", "a\ud800b", `${"x".repeat(7_999)}😀`],
      "document",
    );
    const texts = calls.flatMap(textsOf);
    expect(texts).toHaveLength(4);
    expect(texts.every((text) => text.trim() !== "" && text.isWellFormed())).toBe(true);
    expect(texts[3]).toBe("x".repeat(7_999));
  });
});

describe("the models of Workers AI", () => {
  const ask = async (model: string, dimensions: number, use: "query" | "document") => {
    const { ai, calls } = fakeAi(dimensions);
    const embedder = createWorkersAiEmbedder(ai, model);
    expect(embedder.dimensions).toBe(dimensions);
    expect(embedder.maxInlineTexts).toBe(MAX_INLINE_TEXTS);
    await embedder.embed(["hello"], use);
    expect(calls[0]?.model).toBe(model);
    return calls[0]?.input;
  };

  it("bge-m3 embeds queries and documents alike, and may truncate them", async () => {
    const input = { text: ["hello"], truncate_inputs: true };
    expect(await ask(M3, 1_024, "document")).toEqual(input);
    expect(await ask(M3, 1_024, "query")).toEqual(input);
  });

  it("qwen3-embedding gets queries in a field of their own, with an instruction", async () => {
    expect(await ask("@cf/qwen/qwen3-embedding-0.6b", 1_024, "document")).toEqual({ documents: ["hello"] });
    expect(await ask("@cf/qwen/qwen3-embedding-0.6b", 1_024, "query")).toEqual({
      queries: ["hello"],
      instruction: "Given a question, retrieve the messages and notes that answer it",
    });
  });

  it("qwen3-embedding gets at most 32 texts in a call", async () => {
    const { ai, calls } = fakeAi(1_024);
    await createWorkersAiEmbedder(ai, "@cf/qwen/qwen3-embedding-0.6b").embed(Array(70).fill("x"), "document");
    expect(calls.map((call) => textsOf(call).length)).toEqual([32, 32, 6]);
  });

  it("embeddinggemma gets its prompts in the text", async () => {
    const model = "@cf/google/embeddinggemma-300m";
    expect(await ask(model, 768, "document")).toEqual({ text: ["title: none | text: hello"] });
    expect(await ask(model, 768, "query")).toEqual({ text: ["task: search result | query: hello"] });
  });

  it.each([
    ["small", 384],
    ["base", 768],
    ["large", 1_024],
  ])("bge-%s-en uses CLS pooling, and gets its instruction before a query", async (size, dimensions) => {
    const model = `@cf/baai/bge-${size}-en-v1.5`;
    expect(await ask(model, dimensions, "document")).toEqual({ text: ["hello"], pooling: "cls" });
    expect(await ask(model, dimensions, "query")).toEqual({
      text: ["Represent this sentence for searching relevant passages: hello"],
      pooling: "cls",
    });
  });

  it("have distinct names", () => {
    const { ai } = fakeAi(1);
    const name = (model: string) => createWorkersAiEmbedder(ai, model).name;
    expect(name(M3)).toContain(M3);
    expect(name(M3)).not.toBe(name("@cf/qwen/qwen3-embedding-0.6b"));
  });

  it("are listed when another is configured", () => {
    for (const model of ["@cf/baai/bge-m4", "toString"])
      expect(() => createWorkersAiEmbedder(fakeAi(1).ai, model)).toThrow(
        /EMBEDDING_MODEL.*@cf\/baai\/bge-m3, @cf\/google\/embeddinggemma-300m.*is "/,
      );
  });
});

describe("a failing Workers AI", () => {
  it("is called again when it was out of capacity, with exponential back-off", async () => {
    const { waits, sleep } = noWaiting();
    const { ai, calls } = fakeAi(1_024, (_, nth) => {
      if (nth < 3) throw upstream("3040: No more data centers to forward the request to");
    });
    const [vector] = await createWorkersAiEmbedder(ai, M3, { sleep }).embed(["text 7"], "document");
    expect(numberOf(vector)).toBe(7);
    expect(calls).toHaveLength(3);
    expect(waits).toEqual([
      EMBEDDING_RETRY_POLICIES.document.baseDelayMs,
      2 * EMBEDDING_RETRY_POLICIES.document.baseDelayMs,
    ]);
  });

  it.each([
    ["document", 3],
    ["query", 2],
  ] as const)("fails a %s after %i attempts, with the reason and without the text", async (use, tries) => {
    const { ai, calls } = fakeAi(1_024, () => {
      throw upstream(`3043: Internal server error at ${SECRET}`);
    });
    const { message, name } = await messageOf(
      createWorkersAiEmbedder(ai, M3, noWaiting()).embed([SECRET], use),
    );
    expect(name).toBe("EmbedderError");
    expect(message).toBe(`Embedder workers-ai-1:${M3} failed: code 3043`);
    expect(calls).toHaveLength(tries);
  });

  it.each([
    "3036: You have used up your daily free allocation",
    "5006: oneOf at '/' not met",
    "5007: No such model",
  ])("is not called again after a permanent error: %s", async (refused) => {
    const { ai, calls } = fakeAi(1_024, () => {
      throw upstream(`${refused} ${SECRET}`);
    });
    const { message } = await messageOf(
      createWorkersAiEmbedder(ai, M3, noWaiting()).embed([SECRET], "document"),
    );
    expect(message).toContain(refused.slice(0, 4));
    expect(message).not.toContain(SECRET);
    expect(calls).toHaveLength(1);
  });

  it("is called again after an error without a code", async () => {
    const { ai, calls } = fakeAi(1_024, (_, nth) => {
      if (nth === 1) throw new Error(`Network connection lost: ${SECRET}`);
    });
    await createWorkersAiEmbedder(ai, M3, noWaiting()).embed([SECRET], "query");
    expect(calls).toHaveLength(2);
  });

  it("times out even if it ignores the abort signal", async () => {
    const { ai, calls } = fakeAi(1_024, () => new Promise(() => {}));
    const { message } = await messageOf(createWorkersAiEmbedder(ai, M3, soon(20)).embed([SECRET], "query"));
    expect(message).toBe(`Embedder workers-ai-1:${M3} failed: no response within 0.02 s`);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  it("gets no further calls once one has failed", async () => {
    const { ai, calls } = fakeAi(1_024, async (_, nth) => {
      if (nth === 1) throw upstream("5004: Invalid data");
      await scheduler.wait(5);
    });
    await messageOf(createWorkersAiEmbedder(ai, M3).embed(Array(1_000).fill("x"), "document"));
    await scheduler.wait(30);
    expect(calls).toHaveLength(CONCURRENT_CALLS);
  });

  const good = Array.from({ length: 1_024 }, () => 1);
  it.each([
    ["too few vectors", { data: [good] }, "1 vectors for 2 texts"],
    ["too many vectors", { data: [good, good, good] }, "3 vectors for 2 texts"],
    [
      "wrong dimensions",
      { data: [good, [1, 2, 3]] },
      "3 dimensions, not 1024: choose another EMBEDDING_MODEL",
    ],
    ["a number that is none", { data: [good, good.with(5, Number.NaN)] }, "not finite"],
    ["an infinite number", { data: [good.with(0, Number.POSITIVE_INFINITY), good] }, "not finite"],
    ["a null", { data: [good, [...good.slice(1), null]] }, "not a list of numbers"],
    ["zeros", { data: [good, good.map(() => 0)] }, "zeros"],
    ["no vectors", { request_id: "r" }, "no vectors"],
    ["nothing", "?", "no vectors"],
  ])("has a response with %s rejected, and is not called again", async (_, answer, reason) => {
    const { ai, calls } = fakeAi(1_024, () => answer);
    const { name, message } = await messageOf(
      createWorkersAiEmbedder(ai, M3, noWaiting()).embed([SECRET, SECRET], "document"),
    );
    expect(name).toBe("EmbedderError");
    expect(message).toContain(M3);
    expect(message).toContain(reason);
    expect(message).not.toContain(SECRET);
    expect(calls).toHaveLength(1);
  });
});
