// The limits on a tenant's reads of the database hold for every route that filters rows.
import { describe, expect, it } from "vitest";
import { newClient } from "../support";
import { slowDown, withSettings } from "./limits-support";

const LISTS: readonly [method: string, path: string, body?: object][] = [
  ["POST", "/v1/memories/search", { filter: { "metadata.team": "nobody" } }],
  ["GET", "/v1/memories"],
  ["GET", "/v1/namespaces"],
  ["GET", "/v1/entries"],
  ["POST", "/v1/entries/search", { filter: { "metadata.team": "nobody" } }],
  ["GET", "/v1/episodes"],
  ["GET", "/v1/users"],
  ["GET", "/v1/sessions"],
  ["GET", "/v1/patterns?project_id=lab"],
  ["GET", "/v1/learnings"],
  ["GET", "/v1/skills"],
  ["GET", "/v1/contradictions"],
  ["GET", "/v1/handoffs?to_agent=ada"],
  ["GET", "/v1/agents"],
  ["GET", "/v1/projects"],
  ["GET", "/v1/resources"],
  ["GET", "/v1/metrics"],
  ["POST", "/v1/graph/read_graph", {}],
  ["POST", "/mem0/v3/memories/", { filters: { user_id: "mia" } }],
  ["GET", "/mem0/v1/entities/"],
];

const callMcp = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });

const MCP_READS: readonly [path: string, body: object][] = [
  ["/mcp/graph", callMcp("tools/call", { name: "read_graph", arguments: {} })],
  ["/mcp/graph", callMcp("tools/call", { name: "search_nodes", arguments: { query: "a" } })],
  ["/mcp/graph", callMcp("resources/read", { uri: "memory://knowledge-graph" })],
  ["/mcp", callMcp("resources/list", {})],
  [
    "/mcp",
    callMcp("completion/complete", {
      ref: { type: "ref/resource", uri: "kioku://memories/{id}" },
      argument: { name: "id", value: "" },
    }),
  ],
];

describe("a read over MCP", () => {
  it.each(MCP_READS)("%s %o spends the tenant's time, and is refused without any", async (path, body) => {
    const client = await newClient();
    const settings = { READ_MS_PER_MINUTE: "50" };
    const accept = { Accept: "application/json, text/event-stream" };
    const slow = withSettings(client, { ...settings, DB: slowDown(100) });
    expect(JSON.stringify((await slow("POST", path, body, accept)).body)).not.toContain("took more than");
    const call = withSettings(client, settings);
    expect(JSON.stringify((await call("POST", path, body, accept)).body)).toContain(
      "took more than 50 ms of database time",
    );
  });
});

describe("a list of filtered rows", () => {
  it.each(
    LISTS,
  )("%s %s spends the tenant's time of a minute, and is refused without any", async (...list) => {
    const client = await newClient();
    const settings = { READ_MS_PER_MINUTE: "50" };
    const [method, path, body] = list;
    const slow = withSettings(client, { ...settings, DB: slowDown(100) });
    expect((await slow(method, path, body)).status).toBe(200);
    const call = withSettings(client, settings);
    const refused = await call(method, path, body);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: "rate_limited" });
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await call("POST", "/v1/recall", { query: "anything" })).status).toBe(429);
  });
});
