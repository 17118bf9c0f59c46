// Capabilities of agents: an agent that has any reads and writes long-term memory only if they allow it.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/kernel/databases/d1";
import { sha256Hex } from "../../../src/kernel/hash";
import { findApiKey } from "../../../src/trust/keys/key-repository";
import { type Answer, type Client, callWith, freshId, newClient } from "../support";

let client: Client;
let memoryId: string;

/** Reads, but does not write. */
const READER = "reader";
/** Writes, but does not read. */
const WRITER = "writer";

beforeEach(async () => {
  client = await newClient();
  memoryId = (await client.call("POST", "/v1/remember", { content: "Tea is hot", agent_id: "free" })).body
    .memory_id;
  await client.call("PUT", `/v1/agents/${READER}`, {
    class: "primary_agent",
    properties: { hasCapability: ["CanPlan", "CanWriteCode", "CanQueryMemory"] },
  });
  await client.call("PUT", `/v1/agents/${WRITER}`, {
    class: "sub_agent",
    properties: { hasRole: "MemoryWriter", hasCapability: "CanWriteMemory", reportsTo: READER },
  });
});

const post = (path: string, body: object) => client.call("POST", path, body);

function expectRefused(answer: Answer, agent: string, capability: string): void {
  expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
  expect(answer.body.detail).toContain(`Agent ${agent} lacks the capability ${capability}`);
  expect(answer.body.detail).toContain(`PUT /v1/agents/${agent}`);
}

const WRITES: [path: string, body: object][] = [
  ["/v1/remember", { content: "Ice is cold" }],
  ["/v1/forget", { memory_id: "x" }],
  ["/v1/entries", { content: "Ice is cold" }],
  ["/v1/graph/create_entities", { entities: [] }],
];
const READS: [path: string, body: object][] = [
  ["/v1/recall", { query: "tea" }],
  ["/v1/prime", { goal: "Make tea" }],
  ["/v1/memories/search", { filter: { type: "fact" } }],
  ["/v1/graph/read_graph", {}],
  ["/v1/entries/recall", { query: "tea" }],
];

describe("an agent in the body of a call", () => {
  it.each(WRITES)("writes with %s only if it may", async (path, body) => {
    expectRefused(await post(path, { ...body, agent_id: READER }), READER, "CanWriteMemory");
    for (const agent_id of [WRITER, "free"])
      expect((await post(path, { ...body, agent_id })).status).not.toBe(403);
  });

  it.each(READS)("reads with %s only if it may", async (path, body) => {
    expectRefused(await post(path, { ...body, agent_id: WRITER }), WRITER, "CanQueryMemory");
    for (const agent_id of [READER, "free"])
      expect((await post(path, { ...body, agent_id })).status).toBe(200);
  });

  it("has a result of its own for each memory of a batch", async () => {
    const memories = [READER, WRITER, "free", READER].map((agent_id, i) => ({
      content: `Number ${i} is a number`,
      agent_id,
    }));
    const { results } = (await post("/v1/memories/batch", { memories })).body;
    expect(results.map((one: { error?: { code: string } }) => one.error?.code ?? "stored")).toEqual([
      ...["forbidden", "stored", "stored", "forbidden"],
    ]);
  });
});

describe("the agent of a session", () => {
  it("writes and reads only if it may, and always takes part in the conversation", async () => {
    const [reading, writing] = [freshId("session"), freshId("session")];
    await post("/v1/sessions", { id: reading, agent_id: READER });
    await post("/v1/sessions", { id: writing, agent_id: WRITER });
    const messages = [{ role: "user", content: "Hello" }];
    for (const id of [reading, writing])
      expect((await post(`/v1/sessions/${id}/messages`, { messages })).status).toBe(201);

    const content = "Ice is cold";
    expectRefused(await post(`/v1/sessions/${reading}/remember`, { content }), READER, "CanWriteMemory");
    expect((await post(`/v1/sessions/${writing}/remember`, { content })).status).toBe(201);
    for (const [call, body] of [
      ["recall", { query: "ice" }],
      ["assemble", { query: "ice" }],
      ["preflight", { input: "ice" }],
    ] as const) {
      expectRefused(await post(`/v1/sessions/${writing}/${call}`, body), WRITER, "CanQueryMemory");
      expect((await post(`/v1/sessions/${reading}/${call}`, body)).status).toBe(200);
    }
    expectRefused(await post("/v1/prime", { goal: "ice", session_id: writing }), WRITER, "CanQueryMemory");
    expectRefused(await post("/v1/recall", { query: "ice", session_id: writing }), WRITER, "CanQueryMemory");
  });

  it("is not passed by naming another, unless that one participates", async () => {
    const id = freshId("session");
    await post("/v1/sessions", { id, agent_id: READER });
    const named = { content: "Ice is cold", agent_id: WRITER };
    expectRefused(await post(`/v1/sessions/${id}/remember`, named), READER, "CanWriteMemory");
    await client.call("PATCH", `/v1/sessions/${id}`, { participating_agents: [WRITER] });
    const { status, body } = await post(`/v1/sessions/${id}/remember`, named);
    expect(status).toBe(201);
    expect((await client.call("GET", `/v1/memories/${body.memory_id}`)).body.agent_id).toBe(WRITER);
  });

  it("has its turns skipped, not failed", async () => {
    await client.call("PUT", `/v1/agents/${READER}/policy`, { capture: "conversation" });
    const id = freshId("session");
    const turn = { agent_id: READER, input: "My name is Alex.", output: "Hello, Alex." };
    const { status, body } = await post(`/v1/sessions/${id}/turns`, turn);
    expect(status).toBe(200);
    expect(body).toMatchObject({ captured: false, reason: expect.stringContaining("CanWriteMemory") });
  });
});

describe("a model's tool call", () => {
  const execute = (agent_id: string, name: string, input: object) =>
    post("/v1/tools/execute", { agent_id, call: { type: "tool_use", id: "c1", name, input } });

  it("is answered by a tool error", async () => {
    const refused = await execute(READER, "remember", { content: "Ice is cold" });
    expect(refused).toMatchObject({ status: 200, body: { is_error: true } });
    expect(JSON.parse(refused.body.content)).toMatchObject({
      code: "forbidden",
      error: expect.stringContaining("Agent reader lacks the capability CanWriteMemory"),
    });
    expect((await execute(WRITER, "remember", { content: "Ice is cold" })).body.is_error).toBe(false);
    expect((await execute(WRITER, "recall", { query: "ice" })).body.is_error).toBe(true);
  });

  const speak = (agent_id: string, method: string, params: object) =>
    client.call(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", id: 1, method, params },
      {
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
        "Kioku-Agent-Id": agent_id,
      },
    );

  it("is answered by a tool error over MCP, for the agent of the header", async () => {
    const call = { name: "remember", arguments: { content: "Ice is cold" } };
    const refused = (await speak(READER, "tools/call", call)).body.result;
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0].text).toContain("lacks the capability CanWriteMemory");
    const stored = (await speak(WRITER, "tools/call", call)).body.result;
    expect(stored.structuredContent).toMatchObject({ remembered: true });
  });

  it("sees memories as resources over MCP only if its agent may", async () => {
    expect((await speak(READER, "resources/list", {})).body.result.resources).toEqual([]);
    const refused = (await speak(WRITER, "resources/list", {})).body.error;
    expect(refused.message).toContain("Agent writer lacks the capability CanQueryMemory");
  });
});

describe("a key bound to an agent", () => {
  async function open(agent_id: string) {
    const made = { tenant: client.tenant, scopes: ["read", "write"], bind: { agent_id } };
    const { body } = await callWith("test-admin-key", "POST", "/v1/keys", made);
    return (method: string, path: string, sent?: object) => callWith(body.key, method, path, sent);
  }

  it("has the capabilities of its agent, over every route of memories", async () => {
    const [reader, writer] = await Promise.all([open(READER), open(WRITER)]);
    const { memory_id } = (await writer("POST", "/v1/remember", { content: "Ice is cold" })).body;
    for (const path of [
      "/v1/memories",
      `/v1/memories/${memory_id}`,
      `/v1/memories/${memory_id}/triples`,
      `/v1/memories/${memory_id}/history`,
    ])
      expectRefused(await writer("GET", path), WRITER, "CanQueryMemory");
    expect((await reader("GET", "/v1/memories")).status).toBe(200);
    expectRefused(await reader("POST", "/v1/remember", { content: "No" }), READER, "CanWriteMemory");
    expect((await writer("PATCH", `/v1/memories/${memory_id}`, { confidence: 1 })).status).toBe(200);
  });

  it("reads its declaration, and cannot change it", async () => {
    const reader = await open(READER);
    expect((await reader("GET", `/v1/agents/${READER}`)).body.properties.hasCapability).toHaveLength(3);
    expect((await reader("GET", "/v1/agents")).body.data).toMatchObject([{ id: READER }]);
    expect((await reader("GET", `/v1/agents/${WRITER}`)).status).toBe(404);
    const more = { properties: { hasCapability: ["CanWriteMemory", "CanQueryMemory"] } };
    expect((await reader("PUT", `/v1/agents/${READER}`, more)).status).toBe(404);
  });
});

describe("the limit", () => {
  it("ends when the capability is added, or the declaration removed", async () => {
    const write = async () =>
      (await post("/v1/remember", { content: "Ice is cold", agent_id: READER })).status;
    expect(await write()).toBe(403);
    const all = { properties: { hasCapability: ["CanQueryMemory", "CanWriteMemory"] } };
    await client.call("PUT", `/v1/agents/${READER}`, all);
    expect(await write()).toBe(201);
    await client.call("PUT", `/v1/agents/${READER}`, { properties: { hasCapability: "CanPlan" } });
    expect(await write()).toBe(403);
    await client.call("PUT", `/v1/agents/${READER}`, { properties: { agentName: "Free again" } });
    expect(await write()).toBe(200);
  });

  it("concerns no call without an agent, and no other tenant", async () => {
    expect((await post("/v1/recall", { query: "tea" })).body.count).toBe(1);
    expect((await client.call("GET", `/v1/memories/${memoryId}`)).status).toBe(200);
    const other = await newClient();
    expect(
      (await other.call("POST", "/v1/remember", { content: "Ice is cold", agent_id: READER })).status,
    ).toBe(201);
  });

  it("is found out by the key's own lookup, from an index", async () => {
    const statements: string[] = [];
    const d1 = new Proxy(env.DB, {
      get(target, name) {
        if (name !== "prepare") return Reflect.get(target, name);
        return (sql: string) => {
          statements.push(sql);
          return target.prepare(sql);
        };
      },
    });
    const hash = await sha256Hex(client.key);
    const other = await sha256Hex((await newClient()).key);
    expect(await findApiKey(openDatabase(d1), { hash })).toMatchObject({ hasCapabilities: true });
    expect(await findApiKey(openDatabase(d1), { hash: other })).toMatchObject({ hasCapabilities: false });
    expect(statements).toHaveLength(2);
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statements[0]}`)
      .bind(hash)
      .all<{ detail: string }>();
    const steps = plan.results.map(({ detail }) => detail).join("\n");
    expect(steps).toContain("statements_by_object (tenant=? AND key=? AND predicate=?)");
    expect(steps).not.toMatch(/SCAN/);
  });
});
