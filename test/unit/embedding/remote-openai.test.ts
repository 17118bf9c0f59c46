import { describe, expect, it } from "vitest";
import {
  createOpenAiEmbedder,
  type OpenAiEmbedderOptions,
} from "../../../src/models/embedders/openai-embedder";
import {
  EMBEDDING_RETRY_POLICIES,
  type EmbeddingRetryOptions,
  MAX_CALL_BYTES,
  MAX_TEXT_BYTES,
} from "../../../src/models/embedders/remote-embedder";
import {
  embeddings,
  fakeService,
  lengthOf,
  messageOf,
  noWaiting,
  numberOf,
  soon,
  vectorFor,
} from "./remote-support";

const SECRET = "The launch code is 4711";
const KEY = "sk-very-secret";

type Service = ReturnType<typeof fakeService>;

function embedder(
  service: Service,
  options: Partial<OpenAiEmbedderOptions> = {},
  waiting: EmbeddingRetryOptions = noWaiting(),
) {
  return createOpenAiEmbedder(
    { url: "https://ai.test/v1", key: KEY, model: "m", dimensions: 4, fetch: service.fetch, ...options },
    waiting,
  );
}

describe("an OpenAI-compatible service", () => {
  it("gets requests of the embeddings API", async () => {
    const service = fakeService(4);
    await embedder(service).embed(["text 1", "text 2"], "document");
    const [request] = service.requests;
    expect(request?.method).toBe("POST");
    expect(request?.headers.get("Authorization")).toBe(`Bearer ${KEY}`);
    expect(request?.headers.get("Content-Type")).toBe("application/json");
    expect(service.bodies).toEqual([{ input: ["text 1", "text 2"], model: "m" }]);
  });

  it("gets no Authorization header without a key", async () => {
    const service = fakeService(4);
    await embedder(service, { key: null }).embed(["x"], "query");
    expect(service.requests[0]?.headers.has("Authorization")).toBe(false);
  });

  it.each([
    ["https://api.openai.com/v1", "https://api.openai.com/v1/embeddings"],
    ["https://api.openai.com/v1/", "https://api.openai.com/v1/embeddings"],
    ["https://api.openai.com/v1/embeddings", "https://api.openai.com/v1/embeddings"],
    ["https://api.openai.com/v1/embeddings/", "https://api.openai.com/v1/embeddings"],
    ["http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/embeddings"],
    ["https://a.test/gate/openai?api-version=2", "https://a.test/gate/openai/embeddings?api-version=2"],
  ])("is called below the base URL %s", async (url, found) => {
    const service = fakeService(4);
    await embedder(service, { url }).embed(["x"], "query");
    expect(service.requests[0]?.url).toBe(found);
  });

  it.each([
    "api.openai.com/v1",
    "ftp://a.test/v1",
    "https://",
    "localhost:11434/v1",
  ])("is not configured by %s", (url) => {
    expect(() => embedder(fakeService(4), { url })).toThrow("EMBEDDINGS_URL must be an http or https URL");
  });

  it("returns the unit vector of each text, in order, over several calls", async () => {
    const service = fakeService(4, async (nth) => {
      await scheduler.wait(nth === 1 ? 30 : 1);
      return null as unknown as Response;
    });
    const texts = Array.from({ length: 250 }, (_, i) => `text ${i}`);
    const vectors = await embedder(service).embed(texts, "document");
    expect(vectors.map(numberOf)).toEqual(texts.map((_, i) => i));
    expect(vectors.every((vector) => Math.abs(lengthOf(vector) - 1) < 1e-6)).toBe(true);
    expect(service.bodies.map(({ input }) => input.length)).toEqual([100, 100, 50]);
  });

  it("gets long texts truncated, and few of them in a call", async () => {
    const service = fakeService(4);
    await embedder(service).embed(Array(20).fill("y".repeat(30_000)), "document");
    const lengths = service.bodies.map(({ input }) => input.map((text) => text.length));
    expect(new Set(lengths.flat())).toEqual(new Set([MAX_TEXT_BYTES]));
    expect(lengths.every((list) => list.length * MAX_TEXT_BYTES <= MAX_CALL_BYTES)).toBe(true);
    expect(lengths.flat()).toHaveLength(20);
  });

  it("may return the vectors in another order, by index", async () => {
    const service = fakeService(4, () =>
      Response.json({
        data: [2, 0, 1].map((index) => ({ index, embedding: vectorFor(`text ${index}`, 4) })),
      }),
    );
    const vectors = await embedder(service).embed(["text 0", "text 1", "text 2"], "document");
    expect(vectors.map(numberOf)).toEqual([0, 1, 2]);
  });

  it("may return the vectors without an index, in order", async () => {
    const service = fakeService(4, () =>
      Response.json({ data: [5, 6].map((n) => ({ embedding: vectorFor(`text ${n}`, 4) })) }),
    );
    expect((await embedder(service).embed(["a", "b"], "document")).map(numberOf)).toEqual([5, 6]);
  });

  it("may return the vectors in base64", async () => {
    const bytes = new Uint8Array(new Float32Array(vectorFor("text 9", 4)).buffer);
    const service = fakeService(4, () => embeddings([btoa(String.fromCharCode(...bytes))]));
    const [vector] = await embedder(service).embed(["x"], "document");
    expect(numberOf(vector)).toBe(9);
    expect(lengthOf(vector)).toBeCloseTo(1, 6);
  });
});

describe("the dimensions of an OpenAI-compatible service", () => {
  const made = (model: string, dimensions: number | null) => {
    const service = fakeService(dimensions ?? 1_536);
    return { service, ...embedder(service, { model, dimensions }) };
  };

  it("default to those of OpenAI's models, without a request field", async () => {
    const { service, dimensions, embed } = made("text-embedding-3-small", null);
    expect(dimensions).toBe(1_536);
    await embed(["x"], "document");
    expect(service.bodies[0]).not.toHaveProperty("dimensions");
    expect(made("openai/text-embedding-3-large", null).dimensions).toBe(3_072);
    expect(made("text-embedding-ada-002", 1_536).dimensions).toBe(1_536);
  });

  it("are requested when one of OpenAI's models is to shorten its vectors", async () => {
    const { service, dimensions, embed } = made("text-embedding-3-small", 512);
    expect(dimensions).toBe(512);
    await embed(["x"], "document");
    expect(service.bodies[0]?.dimensions).toBe(512);
  });

  it("cannot exceed those of the model, nor differ where the model does not shorten", () => {
    expect(() => made("text-embedding-3-small", 2_000)).toThrow("EMBEDDING_DIMENSIONS must be at most 1536");
    expect(() => made("text-embedding-ada-002", 512)).toThrow("EMBEDDING_DIMENSIONS must be 1536");
  });

  it("are required for any other model, and not requested from it", async () => {
    expect(() => made("nomic-embed-text", null)).toThrow("EMBEDDING_DIMENSIONS");
    const { service, dimensions, embed } = made("nomic-embed-text", 768);
    expect(dimensions).toBe(768);
    await embed(["x"], "document");
    expect(service.bodies[0]).not.toHaveProperty("dimensions");
  });

  it("are part of the name, as is the model", () => {
    const names = [made("a", 4), made("a", 8), made("b", 4)].map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
  });
});

describe("a failing OpenAI-compatible service", () => {
  const failing = (status: number, until = Number.POSITIVE_INFINITY, headers: Record<string, string> = {}) =>
    fakeService(4, (nth) => (nth < until ? new Response(SECRET, { status, headers }) : null));

  it.each([429, 500, 503, 408])("is called again after status %i", async (status) => {
    const service = failing(status, 3);
    const { waits, sleep } = noWaiting();
    const [vector] = await embedder(service, {}, { sleep }).embed(["text 7"], "document");
    expect(numberOf(vector)).toBe(7);
    expect(service.requests).toHaveLength(3);
    expect(waits).toEqual([
      EMBEDDING_RETRY_POLICIES.document.baseDelayMs,
      2 * EMBEDDING_RETRY_POLICIES.document.baseDelayMs,
    ]);
  });

  it.each([
    ["document", 3],
    ["query", 2],
  ] as const)("fails a %s after %i attempts", async (use, tries) => {
    const service = failing(503);
    const { name, message } = await messageOf(embedder(service).embed([SECRET], use));
    expect(name).toBe("EmbedderError");
    expect(message).toBe("Embedder openai-1:m:4 failed: status 503");
    expect(service.requests).toHaveLength(tries);
  });

  it.each([
    [400, ""],
    [401, "EMBEDDINGS_API_KEY"],
    [404, "EMBEDDINGS_URL and EMBEDDING_MODEL"],
    [413, ""],
    [301, ""],
  ])("is not called again after status %i", async (status, hint) => {
    const service = failing(status);
    const { message } = await messageOf(embedder(service).embed([SECRET], "document"));
    expect(message).toContain(`status ${status}`);
    expect(message).toContain(hint);
    expect(message).not.toContain(SECRET);
    expect(message).not.toContain(KEY);
    expect(service.requests).toHaveLength(1);
  });

  it("has its Retry-After honoured, in seconds or as a date", async () => {
    const inSeconds = noWaiting();
    await embedder(failing(429, 2, { "Retry-After": "3" }), {}, inSeconds).embed(["x"], "document");
    expect(inSeconds.waits).toEqual([3_000]);

    const asDate = noWaiting();
    const date = new Date(Date.now() + 4_000).toUTCString();
    await embedder(failing(429, 2, { "Retry-After": date }), {}, asDate).embed(["x"], "document");
    expect(asDate.waits[0]).toBeGreaterThan(2_000);
    expect(asDate.waits[0]).toBeLessThanOrEqual(4_000);
  });

  it("does not shorten the back-off with a past or invalid Retry-After", async () => {
    for (const value of ["0", "soon", new Date(0).toUTCString()]) {
      const { waits, sleep } = noWaiting();
      await embedder(failing(503, 2, { "Retry-After": value }), {}, { sleep }).embed(["x"], "document");
      expect(waits, value).toEqual([EMBEDDING_RETRY_POLICIES.document.baseDelayMs]);
    }
  });

  it("fails at once when its Retry-After exceeds the limit of the use", async () => {
    const patient = failing(429, 2, { "Retry-After": "60" });
    const { message } = await messageOf(embedder(patient).embed(["x"], "document"));
    expect(message).toContain("status 429, retry after 60 s");
    expect(patient.requests).toHaveLength(1);

    const asked = failing(429, 2, { "Retry-After": "3" });
    await messageOf(embedder(asked).embed(["x"], "query"));
    expect(asked.requests).toHaveLength(1);
  });

  it("is called again when it could not be reached", async () => {
    const service = fakeService(4, (nth) => {
      if (nth === 1) throw new TypeError(`Network connection lost ${SECRET}`);
      return null;
    });
    await embedder(service).embed([SECRET], "query");
    expect(service.requests).toHaveLength(2);

    const dead = fakeService(4, () => {
      throw new TypeError(`connect ECONNREFUSED ${SECRET}`);
    });
    const { name, message } = await messageOf(embedder(dead).embed([SECRET], "query"));
    expect(name).toBe("EmbedderError");
    expect(message).toBe("Embedder openai-1:m:4 failed: the service could not be reached");
  });

  it("is called again when its response was interrupted", async () => {
    const service = fakeService(4, (nth) => {
      if (nth > 1) return null;
      const { readable, writable } = new TransformStream();
      writable.abort(new Error("gone")).catch(() => {});
      return new Response(readable);
    });
    const [vector] = await embedder(service).embed(["text 3"], "document");
    expect(numberOf(vector)).toBe(3);
  });

  it("is called again after the time-out", async () => {
    const service = fakeService(4, (_, request) => {
      return new Promise((_resolve, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
      });
    });
    const { message } = await messageOf(embedder(service, {}, soon(20)).embed([SECRET], "query"));
    expect(message).toBe("Embedder openai-1:m:4 failed: no response within 0.02 s");
    expect(service.requests).toHaveLength(EMBEDDING_RETRY_POLICIES.query.attempts);
  });

  it.each([
    [
      "another number of dimensions",
      toResponseBody([1, 2, 3]),
      "3 dimensions, not 4: set EMBEDDING_DIMENSIONS to 3",
    ],
    ["too many vectors", toResponseBody([1, 2, 3, 4], [1, 2, 3, 4]), "2 vectors for 1 texts"],
    ["no vectors", toResponseBody(), "0 vectors for 1 texts"],
    ["a null", toResponseBody([1, 2, null, 4]), "not a list of numbers"],
    ["zeros", toResponseBody([0, 0, 0, 0]), "zeros"],
    ["a vector that is missing", JSON.stringify({ data: [{ index: 0 }] }), "not a list of numbers"],
    [
      "numbers of vectors that are wrong",
      JSON.stringify({ data: [{ index: 4, embedding: [1, 2, 3, 4] }] }),
      "numbered",
    ],
    ["bad base64", toResponseBody("*"), "base64"],
    ["base64 of half a number", toResponseBody(btoa("12345")), "base64"],
    ["a base64 NaN", toResponseBody(btoa(String.fromCharCode(...Array(16).fill(255)))), "not finite"],
    ["an error inside", JSON.stringify({ error: { message: SECRET } }), "EMBEDDINGS_URL"],
    ["a page", `<html>${SECRET}</html>`, "not JSON: check EMBEDDINGS_URL"],
  ])("has a response with %s rejected, and is not called again", async (_, body, reason) => {
    const service = fakeService(4, () => new Response(body));
    const { name, message } = await messageOf(embedder(service).embed([SECRET], "document"));
    expect(name).toBe("EmbedderError");
    expect(message).toContain("openai-1:m:4");
    expect(message).toContain(reason);
    expect(message).not.toContain(SECRET);
    expect(service.requests).toHaveLength(1);
  });
});

function toResponseBody(...vectors: unknown[]): string {
  return JSON.stringify({ data: vectors.map((embedding, index) => ({ index, embedding })) });
}
