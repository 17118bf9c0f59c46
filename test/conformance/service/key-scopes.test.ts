// Scopes hold on every path: over every route the service lists, and over every tool.
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type Answer, type Client, fresh, sleep } from "../support/client";
import { fillEstate, fillSurfaces, readEstate } from "../support/estate";
import { bodyOf, expectProblem } from "../support/expectations";
import {
  type Belongings,
  fillPath,
  guardedRoutes,
  type OpenApi,
  openApi,
  type Route,
  type Schema,
  sample,
  sampleBody,
  scopeOf,
  shapeOf,
} from "../support/routes";
import { serviceUnderTest } from "../support/service";
import { connectMcp } from "../surfaces/mcp";

const kioku = serviceUnderTest();
const SECRET = `secret${Math.random().toString(36).slice(2)}`;

type Definition = { name: string; inputSchema: Schema; annotations: { readOnlyHint: boolean } };

type Metrics = { activity: { messages: number }[] };

let document: OpenApi;
let routes: Route[] = [];
let tools: Definition[] = [];
let owner: Client;
let tenant = "";
let own: Belongings = {};
/** The belongings without the secret, so that no answer has it from the request. */
let asked: Belongings = {};

function named(route: Route): string {
  return `${route.method} ${shapeOf(route.template)}`;
}

/** The order of a walk: first the calls after which the others still find what they are about. */
function rankHarm({ method, template }: Route): number {
  const parameters = template.split("{").length;
  if (method === "DELETE") return 10 - parameters;
  return ["forget", "close"].includes(template.split("/").at(-1) ?? "") ? 1 : 0;
}

/** Bodies of calls whose sample would be refused, so that the walk reaches the answers. */
const BODIES: Record<string, (asked: Belongings) => unknown> = {
  "POST /v1/sessions": () => ({ id: fresh("session") }),
  "PATCH /v1/sessions/{}": () => ({ metadata: { more: "Mine" } }),
  "PATCH /v1/sessions/{}/memory": () => ({ metadata: { more: "Mine" } }),
  "PUT /v1/sessions/{}/spaces/{}": () => ({ data: {}, ensure: true }),
  "POST /v1/sessions/{}/spaces/{}/ops": () => ({ ops: [{ op: "put", key: "more", value: "Mine" }] }),
  "PATCH /v1/sessions/{}/projectors/{}": () => ({ trigger: { tick: false } }),
  "PATCH /v1/memories/{}": () => ({ tags: ["mine"] }),
  "POST /v1/memories/batch": () => ({ memories: [{ content: "Mine" }] }),
  "PUT /v1/skills/{}": () => ({ name: "Mine", steps: ["Mine"] }),
  "POST /v1/skills": () => ({ slug: "mine", name: "Mine", steps: ["Mine"] }),
  "PUT /v1/ledgers/{}": () => ({ tasks_completed: 1 }),
  "POST /v1/handoffs/{}/acknowledge": ({ agent_id }) => ({ agent_id }),
  "POST /v1/contradictions/{}/resolve": () => ({ action: "keep_both" }),
  "POST /v1/sessions/{}/directives": ({ items }) => ({ type: "upsert", items }),
  "POST /v1/sessions/{}/forget": ({ memory_id }) => ({ memory_id }),
  "POST /v1/forget": ({ memory_id }) => ({ memory_id }),
  "POST /v1/prime": ({ project_id }) => ({ goal: "Mine", project_id }),
  "POST /v1/patterns": ({ project_id }) => ({ pattern: "Mine", project_id }),
  "PUT /v1/agents/{}": () => ({ properties: { agentName: "Mine" } }),
  "PUT /v1/agents/{}/policy": () => ({ capture: "conversation" }),
  "POST /v1/graph/create_entities": () => ({
    entities: [{ name: "Zoe", entityType: "x", observations: [] }],
  }),
  "POST /v1/graph/create_relations": () => ({ relations: [] }),
  "POST /v1/graph/add_observations": () => ({ observations: [{ entityName: "Mia", contents: ["Mine"] }] }),
  "POST /v1/graph/delete_entities": () => ({ entityNames: ["Zoe"] }),
  "POST /v1/graph/delete_observations": () => ({ deletions: [] }),
  "POST /v1/graph/delete_relations": () => ({ relations: [] }),
  "PUT /mem0/v1/memories/{}": () => ({ metadata: { more: "Mine" } }),
  "POST /v1/tools/execute": ({ session_id, task_id }) => ({
    session_id,
    call: { type: "tool_use", id: fresh("call"), name: "complete_task", input: { task_id } },
  }),
};

function send(client: Client, route: Route, headers: Record<string, string> = {}): Promise<Answer<unknown>> {
  const body = BODIES[named(route)]?.(asked) ?? sampleBody(document, route, asked);
  const given = body === undefined ? { headers } : { body, headers };
  return client.call(route.method, fillPath(route.template, asked), given);
}

function call(client: Client, { name, inputSchema }: Definition): Promise<Answer<unknown>> {
  const input = sample(document, inputSchema, asked);
  const body = { session_id: asked.session_id, call: { type: "tool_use", id: fresh("call"), name, input } };
  return client.post("/v1/tools/execute", body, { "Idempotency-Key": fresh("key") });
}

beforeAll(async () => {
  document = await openApi(kioku.anonymous);
  routes = guardedRoutes(document);
  tenant = fresh("tenant");
  owner = await kioku.tenant({ name: tenant });
  const [user_id, agent_id, project_id] = [fresh("user"), fresh("agent"), fresh("project")];
  own = {
    ...(await fillEstate(owner, SECRET, { user_id, agent_id, project_id })),
    ...(await fillSurfaces(owner, SECRET, user_id)),
  };
  const mine = Object.fromEntries(["query", "goal", "input", "output"].map((name) => [name, "Mine"]));
  asked = { ...own, ...mine, value: "Mine", text: "Mine", session_id: own.session_id };
  tools = bodyOf(await owner.get<Definition[]>("/v1/tools?format=mcp&set=all"), 200);
  // A session sends its messages to D1 after its answer, and the metrics count them there.
  await vi.waitFor(async () => {
    const { activity } = bodyOf(await owner.get<Metrics>(`/v1/metrics?project_id=${project_id}`), 200);
    expect(activity.reduce((sum, { messages }) => sum + messages, 0)).toBe(1);
  });
});

/** All that may change by a call, as the owner sees it. */
async function readEverything(): Promise<string> {
  const { project_id, mem0_id, user_id } = own;
  const more = [
    `/v1/metrics?project_id=${project_id}`,
    `/v1/episodes?project_id=${project_id}`,
    `/v1/memories?user_id=${user_id}`,
    `/mem0/v1/memories/${mem0_id}/`,
  ];
  const parts = [await readEstate(owner, own)];
  for (const path of more) parts.push((await owner.get(path)).text);
  return parts.map((text) => text.replace(/"importance":[\d.]+/g, "")).join("\n");
}

describe("a key without write", () => {
  it("changes nothing over any route or tool, and stores no answer", async () => {
    const reader = await kioku.tenant({ name: tenant, scopes: ["read"] });
    const before = await readEverything();
    expect(before).toContain(SECRET);
    const served: string[] = [];
    for (const route of routes) {
      const headers = route.method === "POST" ? { "Idempotency-Key": "once" } : {};
      const answer = await send(reader, route, headers);
      const scope = scopeOf(route);
      if (scope === "write" || scope === "admin") expectProblem(answer, "forbidden");
      else if (answer.status < 300) served.push(named(route));
    }
    expect(served).toEqual(expect.arrayContaining(["POST /v1/recall", "POST /v1/prime"]));
    for (const tool of tools) {
      const answer = await call(reader, tool);
      expect(answer.status, tool.name).toBe(tool.annotations.readOnlyHint ? 200 : 403);
    }
    await using mcp = await connectMcp(reader);
    await mcp.getPrompt({ name: "session_context", arguments: { session_id: String(own.session_id) } });
    for (const { name, inputSchema } of tools.filter(({ annotations }) => annotations.readOnlyHint)) {
      const input = sample(document, inputSchema, asked) as Record<string, unknown>;
      await mcp.callTool({ name, arguments: { ...input, session_id: own.session_id } });
    }
    // What a call counts, it counts after its answer.
    await sleep(200);
    expect(await readEverything()).toBe(before);
  });
});

describe("a key without read or write", () => {
  it("is refused by every route that reads or writes", async () => {
    const other = await kioku.tenant({ name: tenant, scopes: ["admin"] });
    const guarded = routes.filter((route) => ["read", "write"].includes(scopeOf(route) ?? ""));
    expect(guarded.length).toBeGreaterThan(100);
    for (const route of guarded) expect((await send(other, route)).status, named(route)).toBe(403);
    for (const tool of tools) expectProblem(await call(other, tool), "forbidden");
  });
});

describe("a key without read", () => {
  it("gets ids, revisions and counts back, never stored content", async () => {
    const writer = await kioku.tenant({ name: tenant, scopes: ["write"] });
    const writes = routes.filter((route) => scopeOf(route) === "write");
    for (const route of routes.filter((one) => scopeOf(one) === "read"))
      expectProblem(await send(writer, route), "forbidden");
    const served: string[] = [];
    for (const tool of tools.filter(({ annotations }) => !annotations.readOnlyHint)) {
      const answer = await call(writer, tool);
      expect(answer.status, tool.name).toBe(200);
      expect(answer.text, tool.name).not.toContain(SECRET);
    }
    for (const route of writes.toSorted((a, b) => rankHarm(a) - rankHarm(b))) {
      const answer = await send(writer, route);
      expect(answer.status, named(route)).toBeLessThan(500);
      expect(answer.text, named(route)).not.toContain(SECRET);
      if (answer.status < 300) served.push(named(route));
      else
        expect(Object.keys(route.operation.responses ?? {}), named(route)).toContain(String(answer.status));
    }
    expect(served.length).toBeGreaterThan(writes.length * 0.75);
  });

  it("gets no structured content from an MCP tool, and a text without stored content", async () => {
    const id = fresh("session");
    bodyOf(await owner.post("/v1/sessions", { id }), 201);
    const task = { id: "look", text: `${SECRET} in a task` };
    bodyOf(await owner.post(`/v1/sessions/${id}/tasks`, task), 201);
    const writer = await kioku.tenant({ name: tenant, scopes: ["write"] });
    await using mcp = await connectMcp(writer);
    const listed = await mcp.listTools();
    expect(listed.tools.some(({ outputSchema }) => outputSchema !== undefined)).toBe(false);
    const given = { session_id: id, task_id: "look" };
    const result = await mcp.callTool({ name: "complete_task", arguments: given });
    expect(result).toMatchObject({ content: [{ text: '{"id":"look","status":"done"}' }] });
    expect(result.structuredContent).toBeUndefined();
  });

  it("does not get the stored answer of another key", async () => {
    const id = fresh("session");
    const once = { "Idempotency-Key": fresh("key") };
    const execute = { session_id: id, call: { id: "c", name: "add_task", arguments: { text: SECRET } } };
    const writer = await kioku.tenant({ name: tenant, scopes: ["write"] });
    expect((await owner.post("/v1/tools/execute", execute, once)).text).toContain(SECRET);
    expect((await writer.post("/v1/tools/execute", execute, once)).text).not.toContain(SECRET);
  });
});
