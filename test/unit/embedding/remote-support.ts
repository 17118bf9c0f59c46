// Fakes of the services that remote embedders call, and retry options without delays.

import type { AiBinding } from "../../../src/kernel/env";
import {
  EMBEDDING_RETRY_POLICIES,
  type EmbeddingRetryOptions,
} from "../../../src/models/embedders/remote-embedder";

/** Returns a vector whose direction encodes the number in the text. */
export function vectorFor(text: string, dimensions: number): number[] {
  const angle = Number(/\d+/.exec(text)?.[0] ?? 0) / 1_000;
  return Array.from({ length: dimensions }, (_, i) =>
    i === 0 ? 3 * Math.cos(angle) : i === 1 ? 3 * Math.sin(angle) : 0,
  );
}

/** Decodes the number from the direction of a vector. */
export function numberOf(vector: Float32Array | undefined): number {
  return Math.round(1_000 * Math.atan2(vector?.[1] ?? 0, vector?.[0] ?? 0));
}

export function lengthOf(vector: Float32Array | undefined): number {
  return Math.hypot(...(vector ?? []));
}

export type AiCall = { model: string; input: Record<string, unknown>; signal: AbortSignal };

/** A fake Workers AI binding: returns `answer`, or by default the vectors of the texts. */
export function fakeAi(dimensions: number, answer?: (call: AiCall, nth: number) => unknown) {
  const calls: AiCall[] = [];
  const ai: AiBinding = {
    async run(model, input, { signal }) {
      const call = { model, input, signal };
      calls.push(call);
      return (await answer?.(call, calls.length)) ?? vectorsAnswer(call, dimensions);
    },
  };
  return { ai, calls };
}

export function textsOf({ input }: AiCall): string[] {
  return [input.text, input.queries, input.documents].flat().filter((text) => typeof text === "string");
}

function vectorsAnswer(call: AiCall, dimensions: number) {
  const data = textsOf(call).map((text) => vectorFor(text, dimensions));
  return { shape: [data.length, dimensions], data };
}

/** A fake service: records the requests and returns `answer`, or by default the vectors of the texts. */
export function fakeService(
  dimensions: number,
  answer?: (nth: number, request: Request) => Response | Promise<Response> | null,
) {
  const requests: Request[] = [];
  const bodies: { input: string[]; model: string; dimensions?: number }[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    requests.push(request.clone());
    const body = (await request.json()) as { input: string[]; model: string };
    bodies.push(body);
    return (
      (await answer?.(requests.length, request)) ??
      embeddings(body.input.map((text) => vectorFor(text, dimensions)))
    );
  };
  return { fetch: send, requests, bodies };
}

export function embeddings(vectors: readonly unknown[]): Response {
  return Response.json({
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
  });
}

/** The default retry policies, with delays that are recorded instead of waited for. */
export function noWaiting(): Required<Pick<EmbeddingRetryOptions, "sleep">> & { waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    sleep: async (ms) => {
      waits.push(ms);
    },
  };
}

/** The default retry policies with a short time-out. */
export function soon(timeoutMs: number): EmbeddingRetryOptions {
  return {
    policies: {
      query: { ...EMBEDDING_RETRY_POLICIES.query, timeoutMs },
      document: { ...EMBEDDING_RETRY_POLICIES.document, timeoutMs },
    },
    sleep: async () => {},
  };
}

/** Returns the name and message of the error that a promise rejects with. */
export async function messageOf(promise: Promise<unknown>): Promise<{ name: string; message: string }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return { name: error.name, message: error.message };
    throw error;
  }
  throw new Error("It did not fail.");
}
