// The common part of rerankers that call a service: texts within the model's limits, a time limit, and validated
// scores.
import { CallError, CallTimeoutError, invalidResponse, withTimeout } from "../kernel/retry";
import { truncateText } from "./openai-http";
import { type Reranker, RerankerError } from "./reranker";

/**
 * The time that a recall waits for its reranker. Agents recall before each call of their model, so that a user waits for
 * both; without the reranker a recall takes some tens of milliseconds. There is no second attempt: the order of the
 * search is there already.
 */
export const RERANKER_TIMEOUT_MS = 400;

type ScoredText = { index: unknown; score: unknown };

type RerankingService = {
  /** The reranker's name. */
  name: string;
  /** UTF-8 bytes of the query, and of one text; the rest is truncated. */
  limits: { queryBytes: number; textBytes: number };
  /** Makes one call; returns the scores in any order, not yet validated. Rejects with a CallError. */
  call: (query: string, texts: readonly string[], signal: AbortSignal) => Promise<readonly ScoredText[]>;
};

export function createRemoteReranker(service: RerankingService, timeoutMs: number): Reranker {
  const { name, limits } = service;
  return {
    name,
    async rerank(query, texts) {
      const cut = texts.map((text) => truncateText(text, limits.textBytes).text);
      const asked = truncateText(query, limits.queryBytes).text;
      try {
        const results = await withTimeout((signal) => service.call(asked, cut, signal), timeoutMs);
        return toUnitScores(orderScores(results, texts.length));
      } catch (error) {
        if (error instanceof CallError)
          throw new RerankerError(`Reranker ${name} failed: ${error.message}`, {
            timedOut: error instanceof CallTimeoutError,
          });
        throw error;
      }
    },
  };
}

/** Returns the scores in the order of the texts. An answer without one score for each text is not usable. */
function orderScores(results: readonly ScoredText[], count: number): number[] {
  const scores = new Map<number, number>();
  for (const { index, score } of results) {
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count)
      throw invalidResponse("a score is for no text of the request");
    if (typeof score !== "number" || !Number.isFinite(score))
      throw invalidResponse("a score is not a finite number");
    if (scores.has(index)) throw invalidResponse("a text has two scores");
    scores.set(index, score);
  }
  if (scores.size !== count) throw invalidResponse(`${scores.size} scores for ${count} texts`);
  return Array.from({ length: count }, (_, index) => scores.get(index) ?? 0);
}

/** Maps logits, which some servers return, to probabilities. The order is the same. */
function toUnitScores(scores: readonly number[]): number[] {
  const areProbabilities = scores.every((score) => score >= 0 && score <= 1);
  return areProbabilities ? [...scores] : scores.map((score) => 1 / (1 + Math.exp(-score)));
}
