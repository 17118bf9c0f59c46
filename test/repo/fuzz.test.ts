// `npm run fuzz`: what it finds in a service with defects, and that a seed repeats its requests.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { runCampaign } from "../../scripts/lib/fuzz/run-campaign";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const ITEM = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

/** A service with one operation, which answers as told. */
async function serve(answer: (response: ServerResponse) => void) {
  const document = {
    paths: {
      "/items/{id}": {
        post: {
          operationId: "changeItem",
          parameters: [{ name: "id", in: "path", schema: { type: "string" } }],
          requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } } },
          responses: {
            "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } } },
            "500": { content: { "application/json": {} } },
          },
        },
      },
    },
    components: { schemas: { Item: ITEM } },
  };
  const requests: string[] = [];
  // Hostile values make long paths.
  const server = createServer({ maxHeaderSize: 2 ** 20 }, async (request, response) => {
    const body = (await request.toArray()).join("");
    response.setHeader("content-type", "application/json");
    if (request.url === "/openapi.json") return response.end(JSON.stringify(document));
    requests.push(`${request.method} ${request.url} ${body}`);
    response.setHeader("x-request-id", "1");
    return answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const KEY = { secret: "key", canRead: true };

const run = (url: string, seed = 1) => runCampaign({ url, keys: [KEY], requests: 30, seed, lanes: 1 });

describe("a campaign", () => {
  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ["a defect", (response) => response.writeHead(500).end("{}"), /answered 500/],
    [
      "a status that is not documented",
      (response) => response.writeHead(418).end("{}"),
      /418.*not documented/,
    ],
    [
      "a body that differs from its schema",
      (response) => response.end('{"id":7}'),
      /\/id that must be string/,
    ],
    ["a missing member", (response) => response.end("{}"), /required property 'id'/],
    [
      "another media type",
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      /"text\/html".*not documented/,
    ],
    [
      "internals in an error",
      (response) => response.writeHead(500).end('{"detail":"SQLITE_ERROR: no such table"}'),
      /shows internals: SQLITE_ERROR/,
    ],
  ])("finds %s", async (_, answer, problem) => {
    const { findings } = await run((await serve(answer)).url);
    expect(findings.map((finding) => finding.problem).join("\n")).toMatch(problem);
    expect(findings[0]?.operation).toBe("changeItem");
  });

  it("finds nothing in a service that answers as documented", async () => {
    const { url } = await serve((response) => response.end('{"id":"7"}'));
    expect((await run(url)).findings).toEqual([]);
  });

  it("accepts missing members for a key that cannot read, and still compares the others", async () => {
    const keys = [{ secret: "writer", canRead: false }] as const;
    const [partial, wrong] = await Promise.all(
      ["{}", '{"id":7}'].map(async (body) => {
        const { url } = await serve((response) => response.end(body));
        return runCampaign({ url, keys, requests: 30, seed: 1, lanes: 1 });
      }),
    );
    expect(partial?.findings).toEqual([]);
    expect(wrong?.findings[0]?.problem).toMatch(/\/id that must be string/);
  });

  it("sends the same requests with the same seed, and others with another", async () => {
    const [first, second, other] = await Promise.all(
      [1, 1, 2].map(async (seed) => {
        const service = await serve((response) => response.end('{"id":"7"}'));
        await run(service.url, seed);
        return service.requests;
      }),
    );
    expect(first).toEqual(second);
    expect(first).not.toEqual(other);
  });

  it("sends hostile values, broken bodies and valid ones", async () => {
    const service = await serve((response) => response.end('{"id":"7"}'));
    await runCampaign({ url: service.url, keys: [KEY], requests: 300, seed: 3, lanes: 1 });
    const bodies = service.requests.map((request) => request.split(" ").slice(2).join(" "));
    const parsed = bodies.map((body) => {
      try {
        return JSON.parse(body);
      } catch {
        return undefined;
      }
    });
    expect(parsed.some((body) => body === undefined)).toBe(true);
    expect(parsed.some((body) => typeof body?.id === "string")).toBe(true);
    expect(bodies.some((body) => body.includes("__proto__"))).toBe(true);
  });
});
