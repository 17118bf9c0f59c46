// The reranker for any service with POST /rerank of the shape that Cohere and Jina have: also vLLM, llama.cpp, a
// gateway, and Voyage, which names two fields otherwise.
import { readField } from "../kernel/json";
import { invalidResponse } from "../kernel/retry";
import { createOpenAiCall, type OpenAiService } from "./openai-http";
import { createRemoteReranker } from "./remote-reranker";
import type { Reranker } from "./reranker";

/** As long as the longest memory. A longer message answers in its beginning or hardly at all, and takes longer to read. */
const LIMITS = { queryBytes: 2_000, textBytes: 2_000 };

/** Rejects a request with a field that it does not know. */
const VOYAGE = /^https?:\/\/[^/]*\bvoyageai\.com(?:[:/]|$)/i;

export function createHttpReranker(
  { model, ...service }: OpenAiService & { model: string },
  timeoutMs: number,
): Reranker {
  const call = createOpenAiCall(service, {
    path: "rerank",
    settings: { url: "RERANKER_URL", key: "RERANKER_KEY", model: "RERANKER_MODEL" },
    example: "https://api.jina.ai/v1",
  });
  const countField = VOYAGE.test(service.url) ? "top_k" : "top_n";
  return createRemoteReranker(
    {
      name: `http:${model}`,
      limits: LIMITS,
      async call(query, texts, signal) {
        const answer = await call({ model, query, documents: texts, [countField]: texts.length }, signal);
        const results = readField(answer, "results") ?? readField(answer, "data");
        if (!Array.isArray(results)) throw invalidResponse("the response has no scores: check RERANKER_URL");
        return results.map((result) => ({
          index: readField(result, "index"),
          score: readField(result, "relevance_score"),
        }));
      },
    },
    timeoutMs,
  );
}
