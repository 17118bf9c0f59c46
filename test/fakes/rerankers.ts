// Rerankers without a model: a text scores by the share of the query's words in it, so that the order is known. They have
// the request and response shapes of the real services, and refuse what those refuse. Tests can make them fail, answer
// late, or answer with something else.
import type { AiBinding } from "../../src/kernel/env";

export type ScoreText = (query: string, text: string) => number;

/** The share of the words of four letters and more of the query that the text has. */
export const scoreByWords: ScoreText = (query, text) => {
  const words = new Set(extractWords(query));
  const found = new Set(extractWords(text).filter((word) => words.has(word)));
  return words.size === 0 ? 0 : found.size / words.size;
};

function extractWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
}

type RerankerCall = { query: string; texts: string[] };

/** `@cf/baai/bge-reranker-base` of Workers AI: the best `top_k` of the contexts, best first, each with its index. */
export class FakeRerankerAi implements AiBinding {
  readonly calls: RerankerCall[] = [];
  readonly signals: AbortSignal[] = [];
  score: ScoreText = scoreByWords;
  /** Every call rejects with this message, as the binding does: a code, a colon and a text. */
  failure: string | null = null;
  /** Calls never settle. */
  hangs = false;
  /** Replaces the answer. */
  answer: ((call: RerankerCall) => unknown) | null = null;

  async run(model: string, input: Record<string, unknown>, { signal }: { signal: AbortSignal }) {
    if (model !== "@cf/baai/bge-reranker-base") throw new Error(`5007: No such model ${model} or task`);
    const { query, contexts, top_k } = input as {
      query?: unknown;
      contexts?: { text?: unknown }[];
      top_k?: number;
    };
    if (typeof query !== "string" || query === "" || !Array.isArray(contexts) || contexts.length === 0)
      throw new Error("5006: Error: required properties at '/' are 'query,contexts'");
    const call = { query, texts: contexts.map(({ text }) => String(text)) };
    this.calls.push(call);
    this.signals.push(signal);
    if (this.hangs) return new Promise(() => undefined);
    if (this.failure !== null) throw new Error(this.failure);
    if (this.answer !== null) return this.answer(call);
    const response = call.texts
      .map((text, id) => ({ id, score: this.score(query, text) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, top_k ?? contexts.length);
    return { response };
  }
}

/**
 * Cohere (v2) and Jina answer with sorted `results`, Voyage with sorted `data`, llama.cpp with logits in the order of
 * the documents.
 */
export type RerankApi = "cohere" | "jina" | "voyage" | "llama.cpp";

/** A service with POST …/rerank. */
export class FakeRerankService {
  readonly calls: (RerankerCall & { url: string; body: Record<string, unknown> })[] = [];
  score: ScoreText = scoreByWords;
  /** Answers every call with this status. */
  refusal: { status: number; headers?: Record<string, string>; body?: string } | null = null;
  /** Answers after so many milliseconds. */
  delayMs = 0;
  /** Replaces the answer. */
  answer: unknown = null;
  readonly #api: RerankApi;
  readonly #key: string | null;

  constructor({ api = "cohere", key = null }: { api?: RerankApi; key?: string | null } = {}) {
    this.#api = api;
    this.#key = key;
  }

  /** Stands in for `fetch`. */
  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    return this.respond(request.url, request.headers.get("Authorization"), await request.text());
  };

  async respond(url: string, authorization: string | null, body: string): Promise<Response> {
    if (!new URL(url).pathname.endsWith("/rerank"))
      return Response.json({ message: "not found" }, { status: 404 });
    if (this.#key !== null && authorization !== `Bearer ${this.#key}`)
      return Response.json({ message: "invalid api token" }, { status: 401 });
    const sent = JSON.parse(body) as Record<string, unknown>;
    const countField = this.#api === "voyage" ? "top_k" : "top_n";
    const unknown = Object.keys(sent).find(
      (name) => !["model", "query", "documents", countField].includes(name),
    );
    const { model, query, documents } = sent;
    if (unknown !== undefined || !model || !query || !isTexts(documents))
      return Response.json(
        { message: `invalid request: ${unknown ?? "a field is missing"}` },
        { status: 400 },
      );
    this.calls.push({ url, body: sent, query: String(query), texts: documents });
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    if (this.refusal !== null) {
      const { status, headers = {}, body: text = '{"message":"refused"}' } = this.refusal;
      return new Response(text, { status, headers });
    }
    if (this.answer !== null) return Response.json(this.answer);
    return Response.json(this.#rank(String(query), documents, Number(sent[countField] ?? documents.length)));
  }

  #rank(query: string, documents: readonly string[], count: number): unknown {
    const scored = documents.map((text, index) => ({ index, relevance_score: this.score(query, text) }));
    if (this.#api === "llama.cpp")
      return {
        model: "m",
        object: "list",
        results: scored.map(({ index, relevance_score }) => ({
          index,
          relevance_score: 12 * relevance_score - 11,
        })),
      };
    const best = scored.toSorted((a, b) => b.relevance_score - a.relevance_score).slice(0, count);
    switch (this.#api) {
      case "cohere":
        return { id: "1", results: best, meta: { api_version: { version: "2" } } };
      case "jina":
        return {
          model: "m",
          usage: { total_tokens: 1 },
          results: best.map((result) => ({ ...result, document: { text: documents[result.index] } })),
        };
      case "voyage":
        return { object: "list", data: best, model: "m", usage: { total_tokens: 1 } };
    }
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === "string");
}
