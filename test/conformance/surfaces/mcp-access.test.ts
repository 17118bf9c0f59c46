// Who may use the Model Context Protocol server: keys, scopes, tenants, and pages in a browser.
import { describe, expect, it } from "vitest";
import { type Client, fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { configuredService } from "../support/service";
import { call, connectMcp, failing } from "./mcp";

/** Without OAuth: test/integration/oauth has the service with it. */
const service = configuredService({ OAUTH_KV: undefined });

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const HEADERS = { Accept: "application/json, text/event-stream" };
const METADATA = "/.well-known/oauth-protected-resource";

function list(api: Client, headers: Record<string, string> = {}) {
  return api.post<{ result?: object }>("/mcp", LIST, { ...HEADERS, ...headers });
}

describe("without a valid key", () => {
  it("the answer says where to learn how to get one", async () => {
    const answer = await list(service.anonymous);
    expectProblem(answer, "unauthorized");
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer resource_metadata="${service.anonymous.url(`${METADATA}/mcp`)}"`,
    );
  });

  it("one that was given is called invalid", async () => {
    const answer = await list(service.anonymous.withKey("kioku_wrong"));
    expectProblem(answer, "unauthorized");
    expect(answer.headers.get("www-authenticate")).toMatch(
      /^Bearer resource_metadata=".*\/mcp", error="invalid_token"$/,
    );
  });

  it("the official client does not connect", async () => {
    await expect(connectMcp(service.anonymous)).rejects.toThrow(/401|[Uu]nauthorized/);
  });

  it("the metadata of the resource are there for everyone, pages of any origin included", async () => {
    for (const path of [METADATA, `${METADATA}/mcp`]) {
      const answer = await service.anonymous.get(path, { Origin: "https://app.example" });
      expect(bodyOf(answer, 200)).toEqual({
        resource: service.anonymous.url("/mcp"),
        bearer_methods_supported: ["header"],
        scopes_supported: ["read", "write"],
        resource_name: "Kioku",
        resource_documentation: service.anonymous.url("/docs"),
      });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
  });
});

it("the admin key has no memory of its own: it is told to make a key for a tenant", async () => {
  expect(expectProblem(await list(service.admin), "forbidden").detail).toContain("POST /v1/keys");
});

describe("a key that may only read", () => {
  it("recalls, lists and reads, and is refused what writes, with the scope that it lacks", async () => {
    const tenant = fresh("tenant");
    const [writer, reader] = [
      await service.tenant({ name: tenant }),
      await service.tenant({ name: tenant, scopes: ["read"] }),
    ];
    const project_id = fresh("project");
    await using writing = await connectMcp(writer);
    await call(writing, "remember", { project_id, content: "The office is closed on Fridays" });
    await using reading = await connectMcp(reader);
    expect(await call(reading, "recall", { project_id, query: "office" })).toMatchObject({ count: 1 });
    expect((await reading.listResources()).resources).toHaveLength(1);
    await expect(
      reading.callTool({ name: "remember", arguments: { project_id, content: "Not this" } }),
    ).rejects.toThrow();

    const params = { name: "remember", arguments: { project_id, content: "Not this" } };
    const answer = await reader.post("/mcp", { ...LIST, method: "tools/call", params }, HEADERS);
    expect(expectProblem(answer, "forbidden").detail).toContain('lacks the scope "write"');
    expect(answer.headers.get("www-authenticate")).toMatch(
      /^Bearer resource_metadata="[^"]+", error="insufficient_scope", scope="write"$/,
    );
    expect(await call(reading, "recall", { project_id, query: "" })).toMatchObject({ count: 1 });
  });
});

it("another tenant's memories, skills and sessions are not there", async () => {
  await using mine = await connectMcp(service.api);
  await using theirs = await connectMcp(await service.tenant());
  const session_id = fresh("session");
  const { memory_id } = await call<{ memory_id: string }>(mine, "remember", {
    session_id,
    content: "The safe is behind the painting",
  });
  const slug = fresh("skill");
  await call(mine, "save_skill", { slug, name: "Open the safe", steps: ["Turn left"] });

  expect(await call(theirs, "recall", { query: "safe" })).toMatchObject({ count: 0 });
  expect(await call(theirs, "recall", { session_id, query: "safe" })).toMatchObject({ count: 0 });
  expect(await call(theirs, "find_skill", { query: "safe" })).toMatchObject({ count: 0 });
  expect(await failing(theirs, "forget", { memory_id })).toMatchObject({ code: "not_found" });
  expect(await failing(theirs, "continuity", { session_id })).toMatchObject({ code: "not_found" });
  expect((await theirs.listResources()).resources).toEqual([]);
  for (const uri of [
    `kioku://memories/${memory_id}`,
    `kioku://skills/${slug}`,
    `kioku://sessions/${session_id}/continuity`,
  ]) {
    expect((await mine.readResource({ uri })).contents).toHaveLength(1);
    await expect(theirs.readResource({ uri })).rejects.toThrow(/not found/i);
  }
});

/** Set up its own way. */
const own = configuredService({
  OAUTH_KV: undefined,
  ALLOWED_ORIGINS: "https://app.example, http://localhost:6274",
  MCP_AUTHORIZATION_SERVERS: "https://login.example/tenant/",
  RATE_LIMIT_WRITE: "5",
});

describe("a page in a browser", () => {
  const preflight = (origin: string) =>
    own.anonymous.call("OPTIONS", "/mcp", {
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version",
      },
    });

  it("of the service itself, or of an origin that is allowed, may call", async () => {
    for (const origin of [new URL(own.api.url("/")).origin, "https://app.example", "http://localhost:6274"]) {
      const answer = await list(own.api, { Origin: origin });
      expect(answer.status, origin).toBe(200);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      const asked = await preflight(origin);
      expect(asked.status).toBe(204);
      expect(asked.headers.get("access-control-allow-origin")).toBe(origin);
      expect(asked.headers.get("access-control-allow-methods")).toBe("POST");
      expect(asked.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version");
    }
  });

  it("of any other origin is refused, with or without a key", async () => {
    for (const origin of ["https://evil.example", "http://localhost:1", "null"]) {
      expectProblem(await list(own.api, { Origin: origin }), "forbidden", "Origin");
      expectProblem(await preflight(origin), "forbidden", "Origin");
    }
  });

  it("can read why it was refused a key", async () => {
    const answer = await list(own.anonymous, { Origin: "https://app.example" });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(answer.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
  });

  it("learns who gives out keys, if the service is set up with one", async () => {
    expect(bodyOf(await own.anonymous.get(METADATA), 200)).toMatchObject({
      authorization_servers: ["https://login.example/tenant/"],
    });
  });
});

it("writing tools count as writes, and a key beyond its limit is told when to come back", async () => {
  const params = { name: "remember", arguments: { project_id: "p", content: "It rains" } };
  const remember = () => own.api.post("/mcp", { ...LIST, method: "tools/call", params }, HEADERS);
  for (let i = 0; i < 5; i += 1) expect((await remember()).status).toBe(200);
  const refused = await remember();
  expectProblem(refused, "rate_limited");
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  expect((await list(own.api)).status).toBe(200);
});
