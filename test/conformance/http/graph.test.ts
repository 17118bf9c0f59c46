// A knowledge graph as `@modelcontextprotocol/server-memory` serves it: every story is told to the real one, over
// stdio, and to Kioku, and both must answer the same.
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as McpClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { contents } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Recalled } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { sharedServer } from "../support/http-service";
import { GRAPH_CASES, type GraphCall } from "../surfaces/graph-cases";

const kioku = sharedServer();
const original = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/dist/index.js");

const ADA_LIKE = { name: "Ada", entityType: "person" };
const ADA = { ...ADA_LIKE, observations: ["Speaks Japanese", "Lives in Basel"] };

type Told = { content: unknown; structuredContent?: unknown; isError?: boolean };

const tellOriginal = (story: readonly GraphCall[]) => withOriginal((client) => tell(client, story));

/** Over stdio, with a file of its own. */
async function withOriginal<T>(use: (client: McpClient) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "server-memory-"));
  const client = new McpClient({ name: "test", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [original],
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
      stderr: "ignore",
    }),
  );
  try {
    return await use(client);
  } finally {
    await client.close();
    await rm(folder, { recursive: true });
  }
}

async function tell(client: McpClient, story: readonly GraphCall[]): Promise<Told[]> {
  const answers: Told[] = [];
  for (const { tool, input } of story) {
    const { content, structuredContent, isError } = await client.callTool({
      name: tool,
      arguments: { ...input },
    });
    answers.push({
      content,
      ...(structuredContent !== undefined && { structuredContent }),
      ...(isError === true && { isError }),
    });
  }
  return answers;
}

type Graph = { entities: { name: string; observations: string[] }[]; relations: unknown[] };

function graphCall<T>(api: Client, tool: string, input: object) {
  return api.post<T>(`/v1/graph/${tool}`, input);
}

async function readGraph(api: Client, of: object = {}): Promise<Graph> {
  return bodyOf(await graphCall<Graph>(api, "read_graph", of), 200);
}

async function connectGraph(project: string): Promise<McpClient> {
  const client = new McpClient({ name: "test", version: "1.0.0" });
  const headers = { Authorization: `Bearer ${kioku.api.key}`, "Kioku-Project-Id": project };
  const url = new URL(kioku.api.url("/mcp/graph"));
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

describe("the same as the original", () => {
  it.each(Object.entries(GRAPH_CASES))("%s", async (_, story) => {
    const expected = await tellOriginal(story);
    const client = await connectGraph(fresh("project"));
    expect(await tell(client, story)).toEqual(expected);
    await client.close();

    if (!story.every(isStrict)) return;
    const project_id = fresh("project");
    const answers: unknown[] = [];
    for (const { tool, input } of story) {
      const { status, body } = await graphCall<object>(kioku.api, tool, { ...input, project_id });
      answers.push(status === 200 ? body : "refused");
    }
    expect(answers).toEqual(
      expected.map(({ structuredContent, isError }) => (isError === true ? "refused" : structuredContent)),
    );
  });

  it("names, descriptions, inputs and hints of the tools", async () => {
    const ours = await connectGraph(fresh("project"));
    const essence = async (client: McpClient) =>
      (await client.listTools()).tools.map(({ name, title, description, inputSchema, annotations }) => {
        const { $schema: _schema, ...input } = inputSchema;
        const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
        const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
        return { name, title, description, input: JSON.parse(JSON.stringify(input)), hints };
      });
    expect(await essence(ours)).toEqual(await withOriginal(essence));
    await ours.close();
  });

  it("the graph as a resource", async () => {
    const ours = await connectGraph(fresh("project"));
    const story: GraphCall[] = [{ tool: "create_entities", input: { entities: [ADA] } }];
    const attached = async (client: McpClient) => {
      await tell(client, story);
      const { resources } = await client.listResources();
      return { resources, read: await client.readResource({ uri: "memory://knowledge-graph" }) };
    };
    const [mine, theirs] = [await attached(ours), await withOriginal(attached)];
    expect(mine.resources).toEqual(theirs.resources);
    expect(mine.read.contents).toEqual(theirs.read.contents);
    await ours.close();
  });
});

describe("beyond the original", () => {
  it("recall finds an observation by its meaning, with whom it is about", async () => {
    const project_id = fresh("project");
    await graphCall(kioku.api, "create_entities", { entities: [ADA], project_id });
    const { body } = await kioku.api.post<Recalled>("/v1/recall", {
      query: "Which languages does Ada speak?",
      project_id,
    });
    expect(contents(body.memories)[0]).toBe("Ada: Speaks Japanese");
  });

  it("agents, projects and the tenant have a graph each, and another tenant sees none of them", async () => {
    const [project_id, agent_id] = [fresh("project"), fresh("agent")];
    const own = await kioku.tenant();
    for (const of of [{ project_id }, { agent_id }, {}])
      await graphCall(own, "create_entities", {
        entities: [{ ...ADA, observations: [JSON.stringify(of)] }],
        ...of,
      });
    for (const of of [{ project_id }, { agent_id }, {}]) {
      expect((await readGraph(own, of)).entities.map(({ observations }) => observations)).toEqual([
        [JSON.stringify(of)],
      ]);
      expect(await readGraph(kioku.api, of)).toEqual({ entities: [], relations: [] });
    }
  });

  it("a call under one Idempotency-Key is done once, and answered the same", async () => {
    const project_id = fresh("project");
    const call = () =>
      kioku.api.post(
        "/v1/graph/create_entities",
        { entities: [ADA], project_id },
        { "Idempotency-Key": "k" },
      );
    const [first, again] = [await call(), await call()];
    expect(again.body).toEqual(first.body);
    expect((await readGraph(kioku.api, { project_id })).entities).toHaveLength(1);
  });

  it("what a caller of remember says cannot make it part of a graph", async () => {
    const answer = await kioku.api.post("/v1/remember", {
      content: "Ada (person)",
      project_id: fresh("project"),
      properties: { inGraph: "tenant" },
    });
    expectProblem(answer, "invalid_request", "inGraph");
  });

  it.each([
    ["entityType", "create_entities", { entities: [{ name: "Ada", observations: [] }] }],
    ["age", "create_entities", { entities: [{ ...ADA_LIKE, age: 36 }] }],
    ["entities", "create_entities", { entities: [{ ...ADA_LIKE, observations: Array(2_000).fill("x") }] }],
    ["observations", "create_entities", { entities: [{ ...ADA_LIKE, observations: ["a\u0000b"] }] }],
    ["entityName", "add_observations", { observations: [{ entityName: "Nobody", contents: ["x"] }] }],
    ["project_id", "read_graph", { project_id: "p", agent_id: "a" }],
    ["query", "search_nodes", {}],
  ])("bad input names the field %s of %s, and changes nothing", async (field, tool, input) => {
    const own = await kioku.tenant();
    const answer = await graphCall(own, tool, input);
    expectProblem(answer, field === "entityName" ? "not_found" : "invalid_request", field);
    expect(await readGraph(own)).toEqual({ entities: [], relations: [] });
  });

  it("a key that may only read may read, search and open, and nothing else", async () => {
    const reader = await kioku.tenant({ scopes: ["read"] });
    bodyOf(await graphCall(reader, "search_nodes", { query: "x" }), 200);
    expectProblem(await graphCall(reader, "create_entities", { entities: [] }), "forbidden");
    expectProblem(await graphCall(reader, "delete_entities", { entityNames: [] }), "forbidden");
  });
});

/** Over HTTP a member that is not known is refused. */
function isStrict({ input }: GraphCall): boolean {
  return !/"(?:age|verbose)"/.test(JSON.stringify(input));
}
