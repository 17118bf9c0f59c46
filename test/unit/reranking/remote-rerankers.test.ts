import { describe, expect, it } from "vitest";
import { createHttpReranker } from "../../../src/models/http-reranker";
import { RERANKER_TIMEOUT_MS } from "../../../src/models/remote-reranker";
import { RerankerError } from "../../../src/models/reranker";
import { createWorkersAiReranker, DEFAULT_RERANKER_MODEL } from "../../../src/models/workers-ai-reranker";
import { FakeRerankerAi, FakeRerankService, type RerankApi } from "../../fakes/rerankers";

const QUERY = "Anna: prefer the database Postgres?";
const TEXTS = ["Lunch is at noon", "Anna likes that database", "Anna will prefer the database"];
const SECRET = "The launch code is 4711";

function workersAi(ai: FakeRerankerAi, timeoutMs = RERANKER_TIMEOUT_MS) {
  return createWorkersAiReranker(ai, DEFAULT_RERANKER_MODEL, timeoutMs);
}

function http(
  service: FakeRerankService,
  { url = "https://rerank.test/v2", key = "k", timeoutMs = 400 } = {},
) {
  return createHttpReranker({ url, key, model: "rerank-v3.5", fetch: service.fetch }, timeoutMs);
}

async function errorFrom(promise: Promise<unknown>): Promise<RerankerError> {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (error instanceof RerankerError) return error;
  throw new Error(`No RerankerError: ${error}`);
}

describe("the reranker on Workers AI", () => {
  it("returns the scores in the order of the texts, whatever the order of the answer", async () => {
    const ai = new FakeRerankerAi();
    expect(await workersAi(ai).rerank(QUERY, TEXTS)).toEqual([0, 0.5, 0.75]);
    expect(ai.calls).toEqual([{ query: QUERY, texts: TEXTS }]);
  });

  it("sends no more than the model reads, and no empty text", async () => {
    const ai = new FakeRerankerAi();
    await workersAi(ai).rerank("記憶".repeat(1_000), ["", "é".repeat(5_000)]);
    const [call] = ai.calls;
    const countBytes = (text = "") => new TextEncoder().encode(text).length;
    expect(call?.texts[0]).toBe(".");
    expect(countBytes(call?.query) + countBytes(call?.texts[1])).toBeLessThanOrEqual(3 * 512);
    expect(countBytes(call?.texts[1])).toBe(1_100);
  });

  it("fails with the code, without the text", async () => {
    const ai = new FakeRerankerAi();
    ai.failure = `3040: No more data centers for ${SECRET}`;
    const error = await errorFrom(workersAi(ai).rerank(SECRET, TEXTS));
    expect(error.message).toBe(`Reranker workers-ai:${DEFAULT_RERANKER_MODEL} failed: code 3040`);
    expect(error.timedOut).toBe(false);
    // There is no time for a second attempt.
    expect(ai.calls).toHaveLength(1);
  });

  it("is given up after its time limit, also if it ignores the signal", async () => {
    const ai = new FakeRerankerAi();
    ai.hangs = true;
    const error = await errorFrom(workersAi(ai, 20).rerank(QUERY, TEXTS));
    expect(error.message).toContain("no response within 0.02 s");
    expect(error.timedOut).toBe(true);
    expect(ai.signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("knows one model", () => {
    expect(() => createWorkersAiReranker(new FakeRerankerAi(), "@cf/baai/bge-m3", 1)).toThrow(
      /RERANKER_MODEL.*bge-reranker-base.*is "@cf\/baai\/bge-m3"/,
    );
  });
});

describe("an answer that is not usable", () => {
  const score = 0.5;
  it.each<[string, unknown, string]>([
    ["no scores", { result: [] }, "no scores"],
    ["nothing", null, "no scores"],
    ["too few scores", { response: [{ id: 0, score }] }, "1 scores for 3 texts"],
    ["two scores of one text", { response: [0, 0, 1].map((id) => ({ id, score })) }, "two scores"],
    ["a score of no text", { response: [0, 1, 3].map((id) => ({ id, score })) }, "no text of the request"],
    ["a negative index", { response: [0, 1, -1].map((id) => ({ id, score })) }, "no text of the request"],
    ["an index that is a text", { response: ["0", "1", "2"].map((id) => ({ id, score })) }, "no text"],
    ["a score that is none", { response: [0, 1, 2].map((id) => ({ id, score: null })) }, "not a finite"],
    ["an infinite score", { response: [0, 1, 2].map((id) => ({ id, score: 1 / 0 })) }, "not a finite"],
  ])("is an error: %s", async (_, answer, reason) => {
    const ai = new FakeRerankerAi();
    ai.answer = () => answer;
    expect((await errorFrom(workersAi(ai).rerank(QUERY, TEXTS))).message).toContain(reason);
  });
});

describe("a service with POST /rerank", () => {
  it.each<[RerankApi, string, string]>([
    ["cohere", "https://api.cohere.test/v2", "/v2/rerank"],
    ["jina", "https://api.jina.test/v1", "/v1/rerank"],
    ["voyage", "https://api.voyageai.com/v1", "/v1/rerank"],
    ["jina", "http://127.0.0.1:8080", "/v1/rerank"],
    ["jina", "http://127.0.0.1:8080/v1/rerank", "/v1/rerank"],
  ])("of %s at %s returns the scores in the order of the texts", async (api, url, path) => {
    const service = new FakeRerankService({ api, key: "k" });
    expect(await http(service, { url }).rerank(QUERY, TEXTS)).toEqual([0, 0.5, 0.75]);
    expect(new URL(service.calls[0]?.url ?? "").pathname).toBe(path);
    expect(service.calls[0]?.body).toEqual({
      model: "rerank-v3.5",
      query: QUERY,
      documents: TEXTS,
      [api === "voyage" ? "top_k" : "top_n"]: 3,
    });
  });

  it("of llama.cpp returns logits, which become probabilities in the same order", async () => {
    const scores = await http(new FakeRerankService({ api: "llama.cpp" })).rerank(QUERY, TEXTS);
    expect(scores.every((score) => score > 0 && score < 1)).toBe(true);
    expect(scores).toEqual(scores.toSorted((a, b) => a - b));
    expect(scores[2]).toBeCloseTo(1 / (1 + Math.exp(2)), 6);
  });

  it.each([
    [401, "status 401: check RERANKER_KEY"],
    [404, "status 404: check RERANKER_URL and RERANKER_MODEL"],
    [429, "status 429, retry after 7 s"],
    [500, "status 500"],
  ])("that answers %i is an error that names the cause, and no text", async (status, reason) => {
    const service = new FakeRerankService();
    service.refusal = {
      status,
      body: `{"message":"${SECRET}"}`,
      headers: status === 429 ? { "Retry-After": "7" } : {},
    };
    const error = await errorFrom(http(service).rerank(SECRET, [SECRET]));
    expect(error.message).toBe(`Reranker http:rerank-v3.5 failed: ${reason}`);
    expect(service.calls).toHaveLength(1);
  });

  it("refuses a wrong key, which the error does not show", async () => {
    const service = new FakeRerankService({ key: "right" });
    const error = await errorFrom(http(service, { key: "wrong-key" }).rerank(QUERY, TEXTS));
    expect(error.message).toContain("status 401");
    expect(error.message).not.toContain("wrong-key");
  });

  it("that is slow is given up after the time limit", async () => {
    const service = new FakeRerankService();
    service.delayMs = 5_000;
    expect((await errorFrom(http(service, { timeoutMs: 20 }).rerank(QUERY, TEXTS))).timedOut).toBe(true);
  });

  it("that answers otherwise is an error that names the URL", async () => {
    const service = new FakeRerankService();
    service.answer = [{ index: 0, score: 1 }];
    const error = await errorFrom(http(service).rerank(QUERY, TEXTS));
    expect(error.message).toContain("the response has no scores: check RERANKER_URL");
  });
});
