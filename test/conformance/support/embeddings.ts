// A service of OpenAI's protocol that knows four things, for tests that change the embedder or have it fail.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";

/** Texts are near each other when they speak of the same of these. */
const TOPICS = [/database|postgresql/i, /doctor|physician/i, /espresso|coffee|beverage/i, /./];

export type FakeEmbeddings = {
  dimensions: number;
  /** What a server is set to that uses it. */
  settings(): Record<string, string>;
  /** Whether it refuses every call from now on. */
  fail(failing: boolean): void;
};

export function fakeEmbeddings(): FakeEmbeddings {
  let failing = false;
  const server = createServer(async (request, response) => {
    const { input } = JSON.parse(await textOf(request)) as { input: string[] };
    const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
    response.writeHead(failing ? 500 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(failing ? { error: { message: "out of order" } } : { data }));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    dimensions: TOPICS.length,
    settings: () => ({
      EMBEDDINGS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      EMBEDDING_MODEL: "topics",
      EMBEDDING_DIMENSIONS: String(TOPICS.length),
    }),
    fail: (now) => {
      failing = now;
    },
  };
}

function vectorOf(text: string): number[] {
  const about = TOPICS.findIndex((topic) => topic.test(text));
  return TOPICS.map((_, i) => (i === about ? 1 : 0));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
