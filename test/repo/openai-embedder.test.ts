// The embedder over real HTTP: a small server that speaks the protocol, on a port of its own.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createOpenAiEmbedder } from "../../src/models/embedders/openai-embedder";
import { EMBEDDING_RETRY_POLICIES } from "../../src/models/embedders/remote-embedder";

type Asked = { path: string | undefined; authorization: string | undefined; input: string[] };

let server: Server | undefined;

async function serve(answer: (asked: Asked, response: ServerResponse) => void): Promise<string> {
  server = createServer(async (request, response) => {
    const { input } = JSON.parse(await textOf(request)) as { input: string[] };
    answer({ path: request.url, authorization: request.headers.authorization, input }, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

function sendVectors(response: ServerResponse, input: readonly string[]): void {
  const data = input.map((text, index) => ({ index, embedding: [Number(text), 1, 0] })).reverse();
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ object: "list", data }));
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe("a server of OpenAI's protocol, over HTTP", () => {
  it("gives its vectors, after a moment of being busy", async () => {
    const asked: Asked[] = [];
    const url = await serve((each, response) => {
      asked.push(each);
      if (asked.length > 1) return sendVectors(response, each.input);
      response.writeHead(503, { "Retry-After": "1" });
      response.end("busy");
    });
    const waits: number[] = [];
    const embedder = createOpenAiEmbedder(
      { url, key: "k", model: "m", dimensions: 3 },
      {
        sleep: async (ms) => {
          waits.push(ms);
        },
      },
    );
    const vectors = await embedder.embed(["0", "1"], "document");
    expect(vectors.map((vector) => [...vector])).toEqual([
      [0, 1, 0],
      [expect.closeTo(Math.SQRT1_2, 6), expect.closeTo(Math.SQRT1_2, 6), 0],
    ]);
    expect(asked.map(({ path, authorization }) => [path, authorization])).toEqual([
      ["/v1/embeddings", "Bearer k"],
      ["/v1/embeddings", "Bearer k"],
    ]);
    expect(waits).toEqual([1_000]);
  });

  it("has the call ended when it does not answer in time, before or within its answer", async () => {
    const closed: Promise<void>[] = [];
    const url = await serve((_, response) => {
      closed.push(new Promise((resolve) => response.on("close", resolve)));
      if (closed.length === 2) response.write('{"data":');
    });
    const policy = { ...EMBEDDING_RETRY_POLICIES.query, timeoutMs: 100, baseDelayMs: 1 };
    const embedder = createOpenAiEmbedder(
      { url, key: null, model: "m", dimensions: 3 },
      { policies: { query: policy, document: policy } },
    );
    await expect(embedder.embed(["1"], "query")).rejects.toThrow("no response within 0.1 s");
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
  });

  it("cannot send the texts and the key elsewhere", async () => {
    const asked: Asked[] = [];
    const url = await serve((each, response) => {
      asked.push(each);
      response.writeHead(307, { Location: "/elsewhere" });
      response.end();
    });
    const embedder = createOpenAiEmbedder({ url, key: "k", model: "m", dimensions: 3 });
    await expect(embedder.embed(["1"], "query")).rejects.toThrow("status 307");
    expect(asked.map(({ path }) => path)).toEqual(["/v1/embeddings"]);
  });

  it("is named unreachable when it is not there", async () => {
    const url = await serve(() => {});
    await new Promise((resolve) => server?.close(resolve));
    const embedder = createOpenAiEmbedder({ url, key: null, model: "m", dimensions: 3 });
    await expect(embedder.embed(["1"], "query")).rejects.toThrow("the service could not be reached");
  });
});
