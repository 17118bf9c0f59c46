import { describe, expect, it, vi } from "vitest";
import type { MessageHit } from "../../../src/memories/memory-schemas";
import { type Reranker, RerankerError } from "../../../src/models/reranker";
import { RERANKED_HITS, rerankHits, resolveReranker } from "../../../src/recall/search/rerank-hits";

function message(id: string, score: number, more: Partial<MessageHit> = {}) {
  const hit: MessageHit = {
    id,
    kind: "message",
    content: `text ${id}`,
    role: "user",
    name: null,
    timestamp: "2026-03-01T12:00:00.000Z",
    session_id: "s1",
    user_id: null,
    agent_id: null,
    project_id: null,
    score,
    signals: { lexical: 0.5, mode: "hybrid" },
    ...more,
  };
  return { hit, evidence: [] };
}

function reranker(rerank: Reranker["rerank"]): Reranker {
  return { name: "fake", rerank };
}

const rank = async (found: ReturnType<typeof message>[], rerank: Reranker["rerank"]) =>
  rerankHits(reranker(rerank), "q", found, "ranked");

describe("hits that are reranked", () => {
  it("have the order of the scores; equal ones keep theirs", async () => {
    const found = ["a", "b", "c", "d"].map((id, i) => message(id, 2 - i / 10));
    const { found: reranked, notReranked } = await rank(found, async () => [0.2, 0.7, 0.2, 0.9]);
    expect(reranked.map(({ hit }) => [hit.id, hit.score, hit.signals])).toEqual([
      ["d", 0.9, { lexical: 0.5, rerank: 0.9, mode: "hybrid" }],
      ["b", 0.7, { lexical: 0.5, rerank: 0.7, mode: "hybrid" }],
      ["a", 0.2, { lexical: 0.5, rerank: 0.2, mode: "hybrid" }],
      ["c", 0.2, { lexical: 0.5, rerank: 0.2, mode: "hybrid" }],
    ]);
    expect(notReranked).toBeNull();
  });

  it("are the first 50; the others stay behind them, with no higher score", async () => {
    const found = Array.from({ length: 60 }, (_, i) => message(String(i), 2 - i / 100));
    const asked: string[] = [];
    const { found: reranked } = await rank(found, async (_, texts) => {
      asked.push(...texts);
      return texts.map((_text, i) => i / 100);
    });
    expect(asked).toHaveLength(RERANKED_HITS);
    expect(reranked.map(({ hit }) => hit.id)).toEqual([
      ...Array.from({ length: 50 }, (_, i) => String(49 - i)),
      ...Array.from({ length: 10 }, (_, i) => String(50 + i)),
    ]);
    const scores = reranked.map(({ hit }) => hit.score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(reranked.slice(50).every(({ hit }) => hit.signals.rerank === undefined)).toBe(true);
  });

  it("are read with the speaker's name, or the role without one", async () => {
    const rerank = vi.fn<Reranker["rerank"]>(async () => [0, 0]);
    await rank([message("a", 1, { name: "Anna" }), message("b", 1, { role: "assistant" })], rerank);
    expect(rerank).toHaveBeenCalledWith("q", ["Anna: text a", "assistant: text b"]);
  });

  it("may be a single one, so that all scores are on one scale; for none the reranker is not called", async () => {
    const rerank = vi.fn<Reranker["rerank"]>(async () => [0.3]);
    const { found } = await rank([message("a", 1.4)], rerank);
    expect(found.map(({ hit }) => [hit.score, hit.signals.rerank])).toEqual([[0.3, 0.3]]);
    expect(await rank([], rerank)).toEqual({ found: [], notReranked: null });
    expect(rerank).toHaveBeenCalledTimes(1);
  });

  it("stay as they were if the reranker fails; a defect is not hidden", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const found = [message("a", 1), message("b", 0.5)];
    const fail = (error: Error) => rank(found, () => Promise.reject(error));
    expect((await fail(new RerankerError("x", { timedOut: true }))).found).toEqual(found);
    expect((await fail(new RerankerError("x"))).notReranked).toContain("The reranker failed.");
    await expect(fail(new TypeError("defect"))).rejects.toThrow("defect");
    vi.restoreAllMocks();
  });
});

describe("whether a search is reranked", () => {
  const configured = reranker(async () => []);
  const request = { query: "q", ranking: {} };

  it("depends on the configuration, and on the request", () => {
    expect(resolveReranker(configured, request)).toBe(configured);
    expect(resolveReranker(null, request)).toBeNull();
    expect(resolveReranker(configured, { ...request, ranking: { rerank: false } })).toBeNull();
    expect(() => resolveReranker(null, { ...request, ranking: { rerank: true } })).toThrow("set RERANKER");
  });

  it("is not without a query, for a caller that chooses, and in the background", () => {
    for (const more of [{ query: " " }, { query: undefined }, { choose: () => [] }, { inBackground: true }])
      expect(resolveReranker(configured, { ...request, ...more })).toBeNull();
  });
});
