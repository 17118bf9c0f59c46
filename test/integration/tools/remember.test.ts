// What remember promises, line by line.
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { MEMORY_CLASS, MEMORY_TYPES } from "../../../src/ontology/generated/terms.generated";
import { type Answer, type Client, eventsIn, freshId, newClient } from "../support";

let client: Client;
beforeAll(async () => {
  client = await newClient();
});
afterEach(() => {
  vi.restoreAllMocks();
});

function remember(session: string, input: object): Promise<Answer> {
  return client.call("POST", `/v1/sessions/${session}/remember`, input);
}

describe("a model's call in a session that reaches the whole tenant", () => {
  it("remembers for the user that it names, and recalls what that user knows", async () => {
    const id = freshId("session");
    await client.call("POST", "/v1/sessions", { id, reach: "tenant" });
    const execute = async (name: string, input: object) => {
      const call = { type: "tool_use", id: freshId("call"), name, input };
      const body = { session_id: id, user_id: "mia", call };
      return JSON.parse((await client.call("POST", "/v1/tools/execute", body)).body.content);
    };
    const { memory_id, scope } = await execute("remember", { content: "Mia prefers tea" });
    expect(scope).toEqual({ kind: "user", id: "mia" });
    const { memories } = await execute("recall", { query: "tea", scope: "user" });
    expect(memories).toMatchObject([{ id: memory_id, user_id: "mia" }]);
  });
});

/** The memory as it reads back after remembering it. */
async function remembered(input: object, session = freshId("session")) {
  const { status, body } = await remember(session, input);
  expect(status).toBe(201);
  return (await client.call("GET", `/v1/memories/${body.memory_id}`)).body;
}

async function memoriesIn(session: string): Promise<number> {
  const row = await env.DB.prepare("SELECT count(*) AS n FROM memories WHERE tenant = ? AND session_id = ?")
    .bind(client.tenant, session)
    .first<{ n: number }>();
  return row?.n ?? -1;
}

async function expectRefused(input: object, path: string, message: RegExp) {
  const session = freshId("session");
  const { status, body } = await remember(session, input);
  expect(status).toBe(400);
  expect(body.code).toBe("invalid_request");
  expect(body.errors).toContainEqual({ path, message: expect.stringMatching(message) });
  expect(body.detail).toMatch(message);
  expect(await memoriesIn(session)).toBe(0);
}

describe("remember", () => {
  it.each(MEMORY_TYPES)("creates a memory item with the correct type: %s", async (type) => {
    const session = freshId("session");
    const { body } = await remember(session, { content: `A memory of type ${type}`, type });
    expect(body.memory_type).toBe(type);
    expect((await client.call("GET", `/v1/memories/${body.memory_id}`)).body.type).toBe(type);
    const triples = await client.call("GET", `/v1/memories/${body.memory_id}/triples`);
    expect(triples.body.data).toContainEqual(
      expect.objectContaining({ object: `https://jido.ai/ontology#${MEMORY_CLASS[type]}` }),
    );
  });

  it("sets the default type to fact when none is provided", async () => {
    expect((await remembered({ content: "The API listens on port 4000" })).type).toBe("fact");
  });

  it("sets the default confidence of 0.8 when none is provided", async () => {
    expect((await remembered({ content: "The API listens on port 4000" })).confidence).toBe(0.8);
  });

  it.each([
    [-0.5, 0],
    [-1e300, 0],
    [0, 0],
    [0.42, 0.42],
    [1, 1],
    [1.7, 1],
    [42, 1],
    ["high", 0.9],
    ["medium", 0.6],
    ["low", 0.3],
  ])("clamps confidence to the range 0 to 1 and reads levels: %s is %s", async (given, kept) => {
    expect((await remembered({ content: "Deploys run on Fridays", confidence: given })).confidence).toBe(
      kept,
    );
  });

  it.each([
    ["an unknown level", "certain"],
    ["a number in a string", "0.7"],
    ["nothing", null],
  ])("refuses a confidence that is %s", async (_what, confidence) => {
    await expectRefused(
      { content: "Deploys run on Fridays", confidence },
      "confidence",
      /number from 0 to 1/,
    );
  });

  it.each([
    ["empty", { content: "" }, /must not be empty/],
    ["only white space", { content: " \n\t\u3000 " }, /must not be empty/],
    ["missing", {}, /is required/],
    ["not a text", { content: 42 }, /must be a string/],
  ])("validates that content is non-empty: refuses one that is %s", async (_what, input, message) => {
    await expectRefused(input, "content", message);
  });

  it("validates the content's maximum length of 2000 characters, counted as code points after trimming", async () => {
    for (const character of ["a", "é", "記", "🧠"]) {
      const longest = character.repeat(2000);
      const memory = await remembered({ content: `  ${longest}\n` });
      expect(memory.content).toBe(longest);
      await expectRefused(
        { content: `${longest}${character}` },
        "content",
        /at most 2000 characters, has 2001/,
      );
    }
  });

  it.each([
    "opinion",
    "Fact",
    "all",
    "memory_item",
    "",
    7,
  ])("validates the type against the allowed names: refuses %j", async (type) => {
    await expectRefused(
      { content: "Something", type },
      "type",
      /must be one of: fact, preference, assumption/,
    );
  });

  it("generates a unique memory id for each content, type and session", async () => {
    const [one, two] = [freshId("session"), freshId("session")];
    const inputs = Array.from({ length: 20 }, (_, i) => ({ content: `Statement number ${i}` }));
    const answers = await Promise.all([
      ...inputs.map((input) => remember(one, input)),
      ...inputs.map((input) => remember(two, input)),
      ...inputs.map((input) => remember(one, { ...input, type: "assumption" })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const ids = answers.map(({ body }) => body.memory_id);
    expect(new Set(ids).size).toBe(60);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
  });

  it("keeps one memory, and says so, when the same content is remembered again", async () => {
    const session = freshId("session");
    const first = await remember(session, { content: "Tabs, not spaces", confidence: 0.6 });
    const again = await remember(session, { content: "  tabs, not  spaces. ", confidence: 0.9 });
    expect(first.body.deduplicated).toBe(false);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ memory_id: first.body.memory_id, deduplicated: true });
    expect(await memoriesIn(session)).toBe(1);
    const { body } = await client.call("GET", `/v1/memories/${first.body.memory_id}`);
    expect(body).toMatchObject({ content: "Tabs, not spaces", confidence: 0.9, access_count: 1 });
  });

  it("sets source_type to agent unless the caller names another source", async () => {
    expect((await remembered({ content: "Redis is the cache" })).source_type).toBe("agent");
    const told = await remembered({ content: "Redis is the cache", source_type: "user" });
    expect(told.source_type).toBe("user");
  });

  it("sets the importance to 1, the maximum, whatever the confidence", async () => {
    expect(
      (await remembered({ content: "A wild guess", confidence: 0, type: "hypothesis" })).importance,
    ).toBe(1);
  });

  it("promotes immediately: past any threshold, with promotion off, and leaves nothing pending", async () => {
    const session = freshId("session");
    await client.call("POST", "/v1/sessions", { id: session, promotion: { enabled: false, threshold: 1 } });
    await remember(session, { content: "The build needs Node 22", confidence: 0.1 });
    const { body } = await client.call("GET", `/v1/sessions/${session}`);
    expect(body.counts).toMatchObject({ memories: 1, pending: 0 });
    expect(body.promotion).toMatchObject({ runs: 0, next_run: null });
    const recalled = await client.call("POST", `/v1/sessions/${session}/recall`, { min_confidence: 0 });
    expect(recalled.body.memories.map(({ content }: { content: string }) => content)).toEqual([
      "The build needs Node 22",
    ]);
  });

  it("persists to the long-term store as triples and in the read model", async () => {
    const session = freshId("session");
    const { body } = await remember(session, { content: "The queue is Kafka" });
    const { results } = await env.DB.prepare(
      "SELECT predicate, object FROM triples WHERE tenant = ? AND subject = ?",
    )
      .bind(client.tenant, `jido:memory_${body.memory_id}`)
      .all();
    expect(results).toContainEqual({ predicate: "rdf:type", object: "jido:Fact" });
    expect(results).toContainEqual({ predicate: "jido:summary", object: "The queue is Kafka" });
    expect(results).toContainEqual({ predicate: "jido:assertedIn", object: `jido:session_${session}` });
    expect(await memoriesIn(session)).toBe(1);
  });

  it("returns a formatted success message with the memory id and type", async () => {
    const session = freshId("session");
    const { status, body } = await remember(session, { content: "Prefer pnpm", type: "risk" });
    expect(status).toBe(201);
    expect(body).toEqual({
      remembered: true,
      memory_id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
      memory_type: "risk",
      message: `Stored risk memory ${body.memory_id}`,
      deduplicated: false,
      superseded: [],
      scope: { kind: "session", id: session },
    });
  });

  it("stores what nobody owns in the project default, says so, and finds it there", async () => {
    const { status, body } = await client.call("POST", "/v1/remember", { content: "Nobody's memory" });
    expect(status).toBe(201);
    expect(body.scope).toEqual({ kind: "project", id: "default" });
    const found = await client.call("POST", "/v1/recall", { query: "nobody", project_id: "default" });
    expect(found.body.memories.map(({ id }: { id: string }) => id)).toEqual([body.memory_id]);
  });

  it("answers a tool call's missing session id with the same clear error", async () => {
    const given = { content: "Nobody's memory" };
    const call = { id: "call_1", type: "function", function: { name: "remember", arguments: given } };
    const { status, body } = await client.call("POST", "/v1/tools/execute", { call });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ path: "session_id", message: expect.stringContaining("required") }]);
    expect(body.detail).toContain("Session ID is required");
  });

  it("takes an agent or a project in place of the session", async () => {
    for (const owner of [{ agent_id: freshId("agent") }, { project_id: freshId("project") }]) {
      const { status } = await client.call("POST", "/v1/remember", { content: "Shared ground", ...owner });
      expect(status).toBe(201);
      const { body } = await client.call("POST", "/v1/recall", { ...owner, query: "ground" });
      expect(body.memories).toEqual([expect.objectContaining({ session_id: null, ...owner })]);
    }
  });

  it("handles the optional rationale parameter", async () => {
    const rationale = "Every outage so far came from it";
    expect((await remembered({ content: "Watch the cron job", rationale })).rationale).toBe(rationale);
    expect((await remembered({ content: "Watch the cron job" })).rationale).toBeNull();
    await expectRefused({ content: "Watch the cron job", rationale: "" }, "rationale", /must not be empty/);
  });

  it("emits a telemetry event with session, type and duration", async () => {
    const log = vi.spyOn(console, "log");
    const session = freshId("session");
    await remember(session, { content: "Emit me", type: "lesson_learned" });
    expect(eventsIn(log, "remember")).toEqual([
      {
        event: "remember",
        status: "ok",
        tenant: client.tenant,
        session_id: session,
        duration_ms: expect.any(Number),
        memory_type: "lesson_learned",
        deduplicated: false,
      },
    ]);
  });
});
