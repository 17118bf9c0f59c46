// The reranker on Workers AI.
import type { AiBinding } from "../kernel/env";
import { failure } from "../kernel/errors";
import { readField } from "../kernel/json";
import { invalidResponse } from "../kernel/retry";
import { toWorkersAiError } from "./openai-http";
import { createRemoteReranker } from "./remote-reranker";
import type { Reranker } from "./reranker";

export const DEFAULT_RERANKER_MODEL = "@cf/baai/bge-reranker-base";

/** The model reads 512 tokens of a query and a text together, at about three bytes each. */
const LIMITS = { queryBytes: 400, textBytes: 1_100 };

export function createWorkersAiReranker(ai: AiBinding, model: string, timeoutMs: number): Reranker {
  if (model !== DEFAULT_RERANKER_MODEL)
    throw failure(
      "not_configured",
      `RERANKER_MODEL must be a supported model of Workers AI (${DEFAULT_RERANKER_MODEL}), is "${model}"`,
    );
  return createRemoteReranker(
    {
      name: `workers-ai:${model}`,
      limits: LIMITS,
      async call(query, texts, signal) {
        const input = { query, contexts: texts.map((text) => ({ text })), top_k: texts.length };
        const answer = await ai.run(model, input, { signal }).catch((error: unknown) => {
          throw toWorkersAiError(error, "RERANKER_MODEL");
        });
        const results = readField(answer, "response");
        if (!Array.isArray(results)) throw invalidResponse("the response has no scores");
        return results.map((result) => ({
          index: readField(result, "id"),
          score: readField(result, "score"),
        }));
      },
    },
    timeoutMs,
  );
}
