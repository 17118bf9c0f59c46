// The Model Context Protocol as it goes over the wire: versions, statuses, headers, and what is refused.
import { describe, expect, it } from "vitest";
import { type Answer, type Client, fresh } from "../support/client";
import { bodyOf, expectNoInternals } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { connectMcp, VERSIONS } from "./mcp";

const service = serviceUnderTest();

type Rpc = {
  jsonrpc: string;
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
};

const ACCEPT = { Accept: "application/json, text/event-stream" };

/** One message as it stands, from a client of the versions of 2025. */
function send(api: Client, message: object, headers: Record<string, string> = {}): Promise<Answer<Rpc>> {
  return api.post<Rpc>("/mcp", { jsonrpc: "2.0", id: 1, ...message }, { ...ACCEPT, ...headers });
}

/** One message of 2026-07-28, which carries all that a server must know. */
function sendModern(api: Client, method: string, params: object = {}, name?: string): Promise<Answer<Rpc>> {
  const about = "io.modelcontextprotocol";
  const _meta = {
    [`${about}/protocolVersion`]: "2026-07-28",
    [`${about}/clientInfo`]: { name: "raw", version: "1" },
    [`${about}/clientCapabilities`]: {},
  };
  const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method };
  return send(
    api,
    { method, params: { ...params, _meta } },
    { ...headers, ...(name === undefined ? {} : { "Mcp-Name": name }) },
  );
}

function initialize(version: string) {
  const clientInfo = { name: "raw", version: "1" };
  return { method: "initialize", params: { protocolVersion: version, capabilities: {}, clientInfo } };
}

describe("versions", () => {
  it.each(
    VERSIONS,
  )("the official client connects in %s, and is told how to use the service", async (version) => {
    await using client = await connectMcp(service.api, { version });
    expect(client.getServerVersion()).toMatchObject({ name: "kioku", title: "Kioku" });
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {} });
    expect(client.getInstructions()).toMatch(/recall[\s\S]*remember/);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
  });

  it.each([
    "2025-11-25",
    "2025-06-18",
  ])("%s is agreed on by initialize, without a session", async (version) => {
    const answer = await send(service.api, initialize(version));
    expect(bodyOf(answer, 200).result).toMatchObject({ protocolVersion: version });
    expect(answer.headers.get("mcp-session-id")).toBeNull();
  });

  it("initialize with an unknown version offers the newest that has initialize", async () => {
    const answer = await send(service.api, initialize("2031-01-01"));
    expect(bodyOf(answer, 200).result).toMatchObject({ protocolVersion: "2025-11-25" });
  });

  it("2026-07-28 is discovered", async () => {
    const { result } = bodyOf(await sendModern(service.api, "server/discover"), 200);
    expect(result).toMatchObject({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
  });

  it("a header with an unknown version is refused with the versions there are", async () => {
    const answer = await send(
      service.api,
      { method: "tools/list" },
      { "MCP-Protocol-Version": "1999-01-01" },
    );
    expect(bodyOf(answer, 400).error?.message).toContain(VERSIONS.join(", "));
  });
});

describe("every request stands alone", () => {
  it("and is answered as JSON, with the headers of every answer", async () => {
    for (const answer of [
      await send(service.api, { method: "tools/list" }, { "MCP-Protocol-Version": "2025-06-18" }),
      await sendModern(service.api, "tools/list"),
    ]) {
      expect(bodyOf(answer, 200)).toMatchObject({
        jsonrpc: "2.0",
        id: 1,
        result: { tools: expect.any(Array) },
      });
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(answer.headers.get("x-request-id")).toMatch(/\S/);
      expect(answer.headers.get("server-timing")).toMatch(/auth;dur=.*mcp;dur=/);
    }
  });

  it("a tool is called without anything before", async () => {
    const params = { name: "remember", arguments: { project_id: fresh("project"), content: "It rains" } };
    const old = bodyOf(await send(service.api, { method: "tools/call", params }), 200);
    expect(old.result).toMatchObject({ structuredContent: { remembered: true, deduplicated: false } });
    const modern = bodyOf(await sendModern(service.api, "tools/call", params, "remember"), 200);
    expect(modern.result).toMatchObject({ structuredContent: { remembered: true, deduplicated: true } });
  });

  it("a notification is accepted, and answered with nothing", async () => {
    const answer = await service.api.post(
      "/mcp",
      { jsonrpc: "2.0", method: "notifications/initialized" },
      ACCEPT,
    );
    expect(answer.status).toBe(202);
    expect(answer.text).toBe("");
  });
});

describe("what is refused", () => {
  it.each(["GET", "DELETE", "PUT"])("%s: there is neither a stream nor a session", async (method) => {
    const answer = await service.api.call<Rpc>(method, "/mcp");
    expect(bodyOf(answer, 405).error?.message).toContain("POST");
    expect(answer.headers.get("allow")).toBe("POST, OPTIONS");
  });

  it("a body that is not JSON", async () => {
    const answer = await service.api.call<Rpc>("POST", "/mcp", { raw: "{", headers: ACCEPT });
    expect(bodyOf(answer, 400).error).toMatchObject({ code: -32_700 });
  });

  it("a body that is nested too deep", async () => {
    const raw = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    const answer = await service.api.call<Rpc>("POST", "/mcp", { raw, headers: ACCEPT });
    expect(bodyOf(answer, 400).error?.message).toContain("nested");
  });

  it("a batch", async () => {
    const messages = [{ jsonrpc: "2.0", id: 1, method: "ping" }];
    const answer = await service.api.post<Rpc>("/mcp", messages, ACCEPT);
    expect(bodyOf(answer, 400).error).toMatchObject({
      code: -32_600,
      message: expect.stringContaining("one by one"),
    });
  });

  it("another Content-Type", async () => {
    const answer = await service.api.call<Rpc>("POST", "/mcp", {
      raw: "{}",
      headers: { ...ACCEPT, "content-type": "text/plain" },
    });
    expect(bodyOf(answer, 415).error?.message).toContain("application/json");
  });

  it("an Accept that takes no JSON", async () => {
    const answer = await send(service.api, { method: "tools/list" }, { Accept: "text/html" });
    expect(answer.status).toBe(406);
  });

  it("a method that is not there", async () => {
    expect(bodyOf(await send(service.api, { method: "dream" }), 200).error).toMatchObject({ code: -32_601 });
    expect((await sendModern(service.api, "dream")).body.error).toMatchObject({ code: -32_601 });
  });

  it.each([
    { method: { toString: 1 } },
    { method: "tools/call", params: null },
    { method: "tools/call", params: { name: { toString: 1 } } },
    { method: "tools/call", params: { name: "recall", arguments: "all" } },
    { method: "resources/read", params: {} },
    {},
  ])("a message that is none: %j", async (message) => {
    const answer = await send(service.api, message);
    expect([200, 400]).toContain(answer.status);
    expect(answer.body.error?.code, answer.text).toBeLessThanOrEqual(-32_000);
    expectNoInternals(answer.text);
  });

  it("a body that is too large", async () => {
    const params = { name: "remember", arguments: { content: "x".repeat(2 ** 20) } };
    expect((await send(service.api, { method: "tools/call", params })).status).toBe(413);
  });

  it("headers that say another thing than the message", async () => {
    const answer = await sendModern(service.api, "tools/call", { name: "recall", arguments: {} }, "forget");
    expect(answer.status).toBe(400);
  });
});
