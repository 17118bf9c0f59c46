// Tools over the Model Context Protocol, called by the official client, which checks every result against the
// output schema that was listed.
import type { JsonSchemaType } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { describe, expect, it } from "vitest";
import page from "../../../docs/mcp.md?raw";
import { fresh } from "../support/client";
import { expectNoInternals } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { call, connectMcp, failing, textOf, VERSIONS } from "./mcp";

const service = serviceUnderTest();

type Remembered = { memory_id: string; memory_type: string; deduplicated: boolean };
type Recalled = { count: number; memories: { id: string; content: string }[] };

const READ_ONLY = [
  ...["recall", "recall_entries", "assemble", "continuity", "prime"],
  ...["read_world", "list_tasks", "next_task"],
  ...["read_checkpoint", "list_handoffs", "find_skill", "read_skill"],
  "query_graph",
];
const WRITING = [
  ...["remember", "forget", "add_messages", "record_episode", "learn"],
  ...["note_fact", "add_task", "complete_task"],
  ...["save_checkpoint", "hand_off", "acknowledge_handoff", "save_skill"],
];

describe("the list of tools", () => {
  it("has every tool of the registry, in every version", async () => {
    const registry = await service.api.get<{ name: string }[]>("/v1/tools?format=mcp&set=all");
    const names = registry.body.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...READ_ONLY, ...WRITING].toSorted());
    for (const version of VERSIONS) {
      await using client = await connectMcp(service.api, { version });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(names);
    }
  });

  it("is the one that docs/mcp.md has, with the scope that each needs", async () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (read|write) \| \S/gm)].map(([, name, scope]) => [
      name,
      scope,
    ]);
    await using client = await connectMcp(service.api);
    const { tools } = await client.listTools();
    expect(rows).toEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint ? "read" : "write"]),
    );
  });

  it("describes each tool with schemas that are valid JSON Schema of 2020-12, and every parameter in words", async () => {
    await using client = await connectMcp(service.api);
    const validator = new AjvJsonSchemaValidator();
    for (const { name, title, description, inputSchema, outputSchema } of (await client.listTools()).tools) {
      expect(title, name).toMatch(/\S/);
      expect(description?.length, name).toBeGreaterThan(60);
      for (const schema of [inputSchema, outputSchema]) {
        expect(schema, name).toMatchObject({ type: "object" });
        expect(() => validator.getValidator(schema as JsonSchemaType), name).not.toThrow();
      }
      const wordless = Object.entries(inputSchema.properties ?? {}).filter(
        ([, schema]) => !("description" in Object(schema)),
      );
      expect(wordless.map(([parameter]) => `${name}.${parameter}`)).toEqual([]);
    }
  });

  it("says which tools only read, and that only forget takes something away", async () => {
    await using client = await connectMcp(service.api);
    for (const { name, annotations } of (await client.listTools()).tools) {
      expect(annotations, name).toMatchObject({
        readOnlyHint: READ_ONLY.includes(name),
        destructiveHint: name === "forget",
        openWorldHint: false,
      });
      expect(annotations?.idempotentHint, name).toBeTypeOf("boolean");
    }
  });
});

describe.each(VERSIONS)("in version %s", (version) => {
  it("what is remembered is recalled, and what is forgotten no longer is", async () => {
    await using client = await connectMcp(service.api, { version });
    const session_id = fresh("session");
    const content = "The staging cluster runs in Frankfurt";
    const { memory_id, deduplicated } = await call<Remembered>(client, "remember", {
      session_id,
      content,
      type: "decision",
      evidence: ["adr-7"],
    });
    expect(deduplicated).toBe(false);
    const found = await call<Recalled>(client, "recall", { session_id, query: "where is staging?" });
    expect(found.memories).toMatchObject([{ id: memory_id, content, type: "decision" }]);
    expect(await call(client, "forget", { session_id, memory_id, reason: "moved" })).toMatchObject({
      forgotten: true,
    });
    expect(await call<Recalled>(client, "recall", { session_id, query: "where is staging?" })).toMatchObject({
      count: 0,
    });
  });

  it("a wrong argument is a result that names the field and the fix", async () => {
    await using client = await connectMcp(service.api, { version });
    const session_id = fresh("session");
    expect(await failing(client, "remember", { session_id, content: "x", type: "gossip" })).toEqual({
      code: "invalid_request",
      error: expect.stringMatching(/^type: must be one of: fact, /),
    });
  });
});

describe("every tool", () => {
  it("of a session: messages are added, assembled, and told as a page", async () => {
    await using client = await connectMcp(service.api);
    const session_id = fresh("session");
    const messages = [{ role: "user", name: "Mia", content: "We ship the beta on Monday" }];
    expect(await call(client, "add_messages", { session_id, messages })).toMatchObject({ added: 1 });
    await call(client, "remember", { session_id, content: "The beta needs a changelog" });
    expect(await call(client, "assemble", { session_id, query: "beta", token_budget: 2_000 })).toMatchObject({
      messages: [{ content: "We ship the beta on Monday" }],
      memories: [{ content: "The beta needs a changelog" }],
      tokens: { budget: 2_000 },
    });
    expect(await call(client, "continuity", { session_id })).toEqual({
      session_id,
      markdown: expect.stringContaining("The beta needs a changelog"),
      memory_ids: expect.any(Array),
    });
  });

  it("of experience: an attempt and a lesson are what the next task is prepared with", async () => {
    await using client = await connectMcp(service.api);
    const project_id = fresh("project");
    const episode = await call<{ id: string }>(client, "record_episode", {
      project_id,
      context: { goal: "Upgrade the npm package zod" },
      action_log: [{ action: "read_changelog" }, { action: "run_tests" }],
      outcome: "success",
    });
    await call(client, "learn", {
      project_id,
      trigger: "Upgrading an npm package without reading its changelog",
      root_cause: "A breaking change was not seen",
      fix: "Pin the package",
      prevention: "Read the changelog first",
    });
    expect(await call(client, "prime", { project_id, goal: "Upgrade the npm package hono" })).toMatchObject({
      kind: "implementation",
      avoid_these: [{ kind: "learning" }],
      similar_episodes: [{ id: episode.id, outcome: "success" }],
    });
  });

  it("of handing over: a checkpoint is read again, and a handoff goes to the first who takes it", async () => {
    await using client = await connectMcp(service.api);
    const [ada, bob, eve] = [fresh("ada"), fresh("bob"), fresh("eve")];
    await call(client, "save_checkpoint", {
      agent_id: ada,
      current_task: "Write the parser",
      state: { at: 3 },
    });
    expect(await call(client, "read_checkpoint", { agent_id: ada })).toMatchObject({
      current_task: "Write the parser",
      state: { at: 3 },
      version: 1,
    });
    const { id } = await call<{ id: string }>(client, "hand_off", {
      from_agent: ada,
      to_agent: bob,
      context: { what_was_done: "The parser, without errors" },
    });
    expect(await call(client, "list_handoffs", { to_agent: bob })).toMatchObject({
      count: 1,
      handoffs: [{ id, from_agent: ada, status: "pending" }],
    });
    expect(await call(client, "acknowledge_handoff", { handoff_id: id, agent_id: bob })).toMatchObject({
      status: "acknowledged",
      acknowledged_by: bob,
    });
    expect(await failing(client, "acknowledge_handoff", { handoff_id: id, agent_id: eve })).toMatchObject({
      code: "conflict",
      error: expect.stringContaining(bob),
    });
    expect(await call(client, "list_handoffs", { to_agent: bob })).toMatchObject({ count: 0 });
  });

  it("of skills: one is saved, found by what it is for, and read", async () => {
    await using client = await connectMcp(service.api);
    const slug = fresh("rotate");
    const skill = {
      slug,
      name: "Rotate the signing certificate",
      description: "When the certificate of the update server is about to expire",
      steps: ["Make a new key", "Publish both", "Retire the old one"],
    };
    await call(client, "save_skill", skill);
    const found = await call<{ skills: { slug: string }[] }>(client, "find_skill", {
      query: "the certificate expires",
    });
    expect(found.skills.map((one) => one.slug)).toContain(slug);
    expect(await call(client, "read_skill", { slug })).toMatchObject(skill);
    expect(await failing(client, "read_skill", { slug: "no-such-skill" })).toMatchObject({
      code: "not_found",
      error: expect.stringContaining("find_skill"),
    });
  });
});

describe("where a call belongs", () => {
  it("is what the call leaves out: the agent and the project of its session", async () => {
    await using client = await connectMcp(service.api);
    const [session_id, agent_id, project_id] = [fresh("session"), fresh("agent"), fresh("project")];
    await service.api.post("/v1/sessions", { id: session_id, agent_id, project_id });
    const context = { goal: "Write the release notes" };
    expect(await call(client, "record_episode", { session_id, context, outcome: "partial" })).toMatchObject({
      agent: agent_id,
      project_id,
    });
    expect(await call(client, "save_checkpoint", { session_id, current_task: "Notes" })).toMatchObject({
      agent_id,
    });
    const to_agent = fresh("other");
    expect(
      await call(client, "hand_off", { session_id, to_agent, context: { what_was_done: "Half of it" } }),
    ).toMatchObject({ from_agent: agent_id, project_id });
  });

  it("may be said once, by headers of the connection", async () => {
    const project_id = fresh("project");
    await using client = await connectMcp(service.api, { headers: { "Kioku-Project-Id": project_id } });
    await call(client, "remember", { content: "Branches are named after tickets" });
    const { body } = await service.api.get<{ data: object[] }>(`/v1/memories?project_id=${project_id}`);
    expect(body.data).toMatchObject([{ content: "Branches are named after tickets", session_id: null }]);
    expect(await call<Recalled>(client, "recall", { query: "branches" })).toMatchObject({ count: 1 });

    const session_id = fresh("session");
    await using inSession = await connectMcp(service.api, { headers: { "Kioku-Session-Id": session_id } });
    await call(inSession, "add_messages", { messages: [{ role: "user", content: "Hello" }] });
    expect(await call(inSession, "assemble", { token_budget: 1_000 })).toMatchObject({
      messages: [{ content: "Hello" }],
    });
  });

  it("must be known where it matters, and the model is told what to give", async () => {
    await using client = await connectMcp(service.api);
    expect(await failing(client, "assemble", {})).toMatchObject({
      error: expect.stringContaining("session_id: is required"),
    });
    expect(await failing(client, "read_checkpoint", {})).toMatchObject({
      error: expect.stringContaining("agent_id: is required"),
    });
  });
});

describe("a call that fails", () => {
  it("names every wrong field, and changes nothing", async () => {
    await using client = await connectMcp(service.api);
    const session_id = fresh("session");
    const { error } = await failing(client, "remember", { session_id, content: "", colour: "red" });
    expect(error).toContain("content: must not be empty");
    expect(error).toContain("colour: is not a known field");
    expect((await service.api.get(`/v1/sessions/${session_id}`)).status).toBe(404);
  });

  it("of an unknown memory or session says so, without internals", async () => {
    await using client = await connectMcp(service.api);
    for (const [name, given] of [
      ["forget", { memory_id: "nothing" }],
      ["continuity", { session_id: "no-such-session" }],
    ] as const) {
      const failure = await failing(client, name, given);
      expect(failure.code, name).toBe("not_found");
      expectNoInternals(failure.error);
    }
  });

  it("of a tool that is not there is an error that lists those that are", async () => {
    await using client = await connectMcp(service.api);
    await expect(client.callTool({ name: "dream", arguments: {} })).rejects.toThrow(
      /Unknown tool: dream\. The tools are remember, recall, forget, /,
    );
  });
});

describe("an idempotency key in _meta", () => {
  const meta = (key: string) => ({ _meta: { "dev.kioku/idempotency-key": key } });

  it("does the work once, and answers the same", async () => {
    await using client = await connectMcp(service.api);
    const learning = {
      project_id: fresh("project"),
      trigger: "Deploying on a Friday",
      root_cause: "Nobody is there",
      fix: "Roll back",
      prevention: "Deploy on Mondays",
    };
    const params = { name: "learn", arguments: learning, ...meta(fresh("key")) };
    const [first, second] = [await client.callTool(params), await client.callTool(params)];
    expect(first.structuredContent).toMatchObject({ occurrences: 1 });
    expect(second.structuredContent).toEqual(first.structuredContent);
    const other = await client.callTool({ ...params, arguments: { ...learning, fix: "Wait" } });
    expect(other.isError).toBe(true);
    expect(textOf(other)).toContain("conflict");
  });
});

it("calls that arrive together do not meet each other", async () => {
  await using client = await connectMcp(service.api);
  const project_id = fresh("project");
  const contents = Array.from({ length: 20 }, (_, i) => `Shelf ${i} holds the boxes of ${i}`);
  const ids = await Promise.all(
    contents.map((content) => call<Remembered>(client, "remember", { project_id, content })),
  );
  expect(new Set(ids.map(({ memory_id }) => memory_id)).size).toBe(20);
  const { memories } = await call<Recalled>(client, "recall", { project_id, limit: 50 });
  expect(memories.map(({ content }) => content).toSorted()).toEqual(contents.toSorted());
});
