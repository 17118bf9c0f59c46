// `kioku mcp`, the stdio bridge: the official client over stdio against the built service, and against a server with
// sessions and streams, which the service does not have.
import { mkdtemp, rm } from "node:fs/promises";
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { fresh } from "../conformance/support/client";
import { sharedServer } from "../conformance/support/http-service";
import { VERSIONS, type Version } from "../conformance/surfaces/mcp";
import { kioku, kiokuFile } from "./kioku-command";

const service = sharedServer();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-bridge-"));
});
afterAll(() => rm(folder, { recursive: true }));

type Bridge = Client & AsyncDisposable & { log: () => string };

/** The official client with the built command as its server. */
async function openBridge(
  env: Record<string, string>,
  { version = VERSIONS[0], args = [] }: { version?: Version; args?: string[] } = {},
): Promise<Bridge> {
  const client = new Client(
    { name: "bridge-test", version: "1.0.0" },
    version === "2026-07-28"
      ? { versionNegotiation: { mode: { pin: version } } }
      : { versionNegotiation: { mode: "legacy" }, supportedProtocolVersions: [version] },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [kiokuFile, "mcp", ...args],
    env: { PATH: process.env.PATH ?? "", ...env },
    cwd: folder,
    stderr: "pipe",
  });
  let log = "";
  transport.stderr?.on("data", (bytes: Buffer) => {
    log += bytes;
  });
  await client.connect(transport);
  return Object.assign(client, { log: () => log, [Symbol.asyncDispose]: () => client.close() });
}

const settings = () => ({ KIOKU_URL: service.api.url(""), KIOKU_API_KEY: service.api.key ?? "" });

describe("the bridge to the service", () => {
  it.each(VERSIONS)("serves tools, resources and errors in %s", async (version) => {
    const project = fresh("project");
    await using client = await openBridge(settings(), { version, args: ["--project", project] });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("remember");
    // A line separator, which is none between messages.
    const content = `記憶 lives\u2028in ${project}`;
    await client.callTool({ name: "remember", arguments: { content } });
    const found = await client.callTool({ name: "recall", arguments: { query: "where does it live?" } });
    expect(found.structuredContent).toMatchObject({ memories: [{ content, project_id: project }] });
    const { resources } = await client.listResources();
    const [first] = resources;
    expect((await client.readResource({ uri: first?.uri ?? "" })).contents).toHaveLength(1);
    await expect(client.callTool({ name: "no such tool ✗", arguments: {} })).rejects.toThrow(/no such tool/);
    expect(client.log()).toBe(`kioku mcp: ${service.api.url("")}/mcp\n`);
  });

  it("serves the tools of server-memory with --graph", async () => {
    await using client = await openBridge(settings(), { args: ["--graph"] });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("create_entities");
  });

  it("answers a pipe, and ends with it", async () => {
    const ask = (id: number, method: string) => `${JSON.stringify({ jsonrpc: "2.0", id, method })}\n`;
    const input = `${ask(1, "ping")}\nno message\n${ask(2, "no/method")}`;
    const { code, out } = await kioku(["mcp"], { env: settings(), input });
    expect(code).toBe(0);
    const answers = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(3);
    expect(answers).toContainEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(answers).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) }),
    );
    expect(answers).toContainEqual(
      expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32_601 }) }),
    );
  });

  it("answers with the fix when the key is wrong or missing, or the address is no service", async () => {
    const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;
    await using page = await serve((_request, _body, response) => void response.end("<html>"));
    const wrong: [Record<string, string>, RegExp][] = [
      [{ KIOKU_API_KEY: "kioku_wrong" }, /not known.*KIOKU_API_KEY/],
      [{ KIOKU_API_KEY: "kioku_wrong\nkioku_wrong" }, /key: has a character/],
      [{ KIOKU_API_KEY: "" }, /No key for .*KIOKU_API_KEY/],
      [{ KIOKU_URL: page.url.replace("//", "//ada:pw@") }, /url: must have no user name/],
      [{ KIOKU_URL: page.url }, /is no MCP server of Kioku. Check KIOKU_URL/],
    ];
    for (const [env, message] of wrong) {
      const { code, out, err } = await kioku(["mcp"], { env: { ...settings(), ...env }, input });
      expect(code).toBe(0);
      const answer = JSON.parse(out);
      expect(answer).toMatchObject({
        id: 1,
        error: { code: -32_603, message: expect.stringMatching(message) },
      });
      expect(err).toContain(`kioku mcp: ${answer.error.message}`);
      expect(out + err).not.toContain("kioku_wrong");
    }
  });
});

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** A server that answers as a test says. */
async function serve(handle: Handler, port = 0): Promise<HttpServer & AsyncDisposable & { url: string }> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const bytes of request) body += bytes;
    handle(request, body, response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(server, { url, [Symbol.asyncDispose]: close });
}

const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "x", version: "1" },
};

function answerJson(response: ServerResponse, message: object, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

describe("the bridge to a server with sessions and streams", () => {
  it("keeps the session, passes notifications on both ways, and cancels", async () => {
    const received: Record<"method" | "session" | "version" | "connection", unknown>[] = [];
    const closed: number[] = [];
    let toClient: ServerResponse | undefined;
    const event = (message: object) => `id: 7\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
    await using server = await serve((request, body, response) => {
      const message = body === "" ? {} : JSON.parse(body);
      const { "mcp-session-id": session, "mcp-protocol-version": version, connection } = request.headers;
      received.push({ method: message.method ?? request.method, session, version, connection });
      if (message.method === "initialize")
        return answerJson(response, { id: message.id, result: INITIALIZED }, { "mcp-session-id": "s1" });
      if (request.method === "GET" || message.method === "tools/call") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        if (request.method === "GET") {
          toClient = response;
          response.flushHeaders();
        } else {
          const progress = { progressToken: message.params._meta?.progressToken, progress: 1 };
          response.write(event({ method: "notifications/progress", params: progress }));
          if (message.params.name === "slow") response.on("close", () => closed.push(message.id));
          else response.end(event({ id: message.id, result: { content: [] } }));
        }
        return;
      }
      response.writeHead(202).end();
    });
    const env = { KIOKU_URL: server.url, KIOKU_API_KEY: "k" };
    await using client = await openBridge(env, { version: "2025-11-25" });
    expect(await client.callTool({ name: "quick", arguments: {} })).toEqual({ content: [] });

    const told = new Promise((resolve) =>
      client.setNotificationHandler("notifications/tools/list_changed", resolve),
    );
    await vi.waitFor(() => expect(toClient).toBeDefined());
    toClient?.write(event({ method: "notifications/tools/list_changed" }));
    await told;

    const abort = new AbortController();
    const slow = client.callTool(
      { name: "slow", arguments: {} },
      { signal: abort.signal, onprogress: () => abort.abort() },
    );
    await expect(slow).rejects.toThrow();
    await vi.waitFor(() => expect(closed).toHaveLength(1));
    await vi.waitFor(() => expect(received.map(({ method }) => method)).toContain("notifications/cancelled"));
    expect(received[0]).toMatchObject({ method: "initialize", session: undefined });
    for (const call of received.slice(1))
      expect(call).toMatchObject({ session: "s1", version: "2025-11-25", connection: "close" });
  });

  it("answers with the fix when the service stops in the middle of an answer", async () => {
    const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;
    for (const type of ["application/json", "text/event-stream"]) {
      await using server = await serve((_request, _body, response) => {
        response.writeHead(200, { "content-type": type, "content-length": "100" });
        response.write('{"jsonrpc":', () => response.destroy());
      });
      const { out } = await kioku(["mcp"], { env: { KIOKU_URL: server.url, KIOKU_API_KEY: "k" }, input });
      const message = expect.stringMatching(/^The service ended its answer too early\. Start the service/);
      expect(JSON.parse(out)).toMatchObject({ id: 1, error: { message, data: { code: "network" } } });
    }
  });

  it("answers with the fix while the service is down, and goes on when it is back", async () => {
    const handle: Handler = (_request, body, response) => {
      const { id, method } = JSON.parse(body);
      answerJson(response, { id, result: method === "ping" ? {} : INITIALIZED });
    };
    const first = await serve((request, body, response) => {
      if (request.method === "GET") return void response.writeHead(405).end();
      if (body.includes("notifications/")) return void response.writeHead(202).end();
      handle(request, body, response);
    });
    await using client = await openBridge(
      { KIOKU_URL: first.url, KIOKU_API_KEY: "k" },
      { version: "2025-11-25" },
    );
    await first[Symbol.asyncDispose]();
    await expect(client.ping()).rejects.toThrow(/No answer from http:.*ECONNREFUSED.*Start the service/);
    await using _again = await serve(handle, Number(new URL(first.url).port));
    await client.ping();
  });
});
