// The tools together, as an agent uses them: through the executor, in a session, end to end.
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Client, eventsIn, freshId, newClient } from "../support";

type Hit = { id: string; content: string; type: string; confidence: number };

let client: Client;
beforeAll(async () => {
  client = await newClient();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A session that is created without an owner reaches only itself. */
async function newSession(): Promise<string> {
  return (await client.call("POST", "/v1/sessions", {})).body.id;
}

/** Runs a tool as a model calls it; gives what the model reads. */
async function tool(session_id: string, name: string, input: object) {
  const call = { type: "tool_use", id: freshId("toolu"), name, input };
  const { status, body } = await client.call("POST", "/v1/tools/execute", { session_id, call });
  expect(status).toBe(200);
  expect(body).toMatchObject({ type: "tool_result", tool_use_id: call.id });
  return { isError: body.is_error as boolean, result: JSON.parse(body.content) };
}

async function remember(session: string, input: object): Promise<string> {
  const { isError, result } = await tool(session, "remember", input);
  expect(isError).toBe(false);
  return result.memory_id;
}

async function recall(session: string, input: object = {}): Promise<Hit[]> {
  const { isError, result } = await tool(session, "recall", input);
  expect(isError).toBe(false);
  expect(result.count).toBe(result.memories.length);
  return result.memories;
}

const contents = (hits: Hit[]) => hits.map(({ content }) => content).sort();
const ids = (hits: Hit[]) => hits.map(({ id }) => id);

describe("tools, executed", () => {
  it("remember creates a memory that is accessible via recall at once", async () => {
    const session = await newSession();
    for (let i = 0; i < 5; i += 1) {
      const id = await remember(session, { content: `Observation ${i}` });
      expect(ids(await recall(session))).toContain(id);
    }
  });

  it("the flow from remember to recall returns the persisted memory as it was given", async () => {
    const session = await newSession();
    const input = {
      content: "The team decided on trunk-based development",
      type: "decision",
      confidence: 0.95,
      rationale: "Long-lived branches kept breaking the build",
    };
    const id = await remember(session, input);
    const hits = await recall(session, { query: "trunk development" });
    expect(hits).toEqual([expect.objectContaining({ ...input, id, source_type: "agent" })]);
  });

  it("recall returns memories filtered by type", async () => {
    const session = await newSession();
    await remember(session, { content: "Elm is the tree", type: "fact" });
    await remember(session, { content: "Elm may be the language", type: "hypothesis" });
    expect(contents(await recall(session, { type: "hypothesis" }))).toEqual(["Elm may be the language"]);
    expect(contents(await recall(session, { type: "fact", query: "elm" }))).toEqual(["Elm is the tree"]);
  });

  it("recall returns memories filtered by confidence", async () => {
    const session = await newSession();
    for (const confidence of [0.2, 0.6, 0.9])
      await remember(session, { content: `At ${confidence}`, confidence });
    expect(contents(await recall(session, { min_confidence: 0.61 }))).toEqual(["At 0.9"]);
    expect(contents(await recall(session))).toEqual(["At 0.6", "At 0.9"]);
    expect(contents(await recall(session, { min_confidence: 0.2 }))).toEqual(["At 0.2", "At 0.6", "At 0.9"]);
  });

  it("recall with a query filters by text content", async () => {
    const session = await newSession();
    await remember(session, { content: "The gateway retries three times" });
    await remember(session, { content: "The scheduler is written in Rust" });
    const asked = { query: "how often does the gateway retry", mode: "text" };
    expect(contents(await recall(session, asked))).toEqual(["The gateway retries three times"]);
  });

  it("forget removes a memory from normal recall results", async () => {
    const session = await newSession();
    const gone = await remember(session, { content: "Staging is down" });
    const stays = await remember(session, { content: "Staging is in Frankfurt" });
    const { result } = await tool(session, "forget", { memory_id: gone, reason: "It is up again" });
    expect(result).toMatchObject({ forgotten: true, memory_id: gone, reason: "It is up again" });
    expect(ids(await recall(session))).toEqual([stays]);
    expect(ids(await recall(session, { query: "staging down" }))).toEqual([stays]);
  });

  it("forgotten memories still exist for provenance", async () => {
    const session = await newSession();
    const id = await remember(session, { content: "Staging is down", evidence: ["log:4711"] });
    await tool(session, "forget", { memory_id: id, reason: "It is up again" });
    expect(ids(await recall(session, { include_superseded: true }))).toEqual([id]);
    const { status, body } = await client.call("GET", `/v1/memories/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      content: "Staging is down",
      evidence: ["log:4711"],
      forget_reason: "It is up again",
      session_id: session,
    });
  });

  it("forget with a replacement_id creates a supersession chain", async () => {
    const session = await newSession();
    const chain: string[] = [];
    for (const version of [16, 17, 18]) {
      chain.push(await remember(session, { content: `We run version ${version}` }));
      const [memory_id, replacement_id] = chain.slice(-2);
      if (replacement_id !== undefined) await tool(session, "forget", { memory_id, replacement_id });
    }
    for (const id of chain) {
      const { body } = await client.call("GET", `/v1/memories/${id}/history`);
      expect(ids(body.data)).toEqual(chain);
    }
    expect(contents(await recall(session))).toEqual(["We run version 18"]);
  });
});

describe("tools and sessions", () => {
  it("work with a valid session context, and make the session with the first write", async () => {
    const session = await newSession();
    const id = await remember(session, { content: "First words" });
    const { status, body } = await client.call("GET", `/v1/sessions/${session}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "active", counts: { memories: 1 } });
    expect(ids(await recall(session))).toEqual([id]);
    expect((await tool(session, "forget", { memory_id: id })).isError).toBe(false);
  });

  it.each([
    ["remember", { content: "Nowhere to go" }],
    ["recall", {}],
    ["forget", { memory_id: "some-memory" }],
  ])("return an appropriate error without a session id: %s", async (name, input) => {
    const call = { type: "tool_use", id: "toolu_1", name, input };
    const { status, body } = await client.call("POST", "/v1/tools/execute", { call });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: "invalid_request",
      errors: [{ path: "session_id", message: expect.stringContaining("required") }],
    });
  });

  it("respect session isolation", async () => {
    const [one, two] = [await newSession(), await newSession()];
    const mine = await remember(one, { content: "The password policy changed" });
    const theirs = await remember(two, { content: "The password policy changed" });
    expect(mine).not.toBe(theirs);
    expect(ids(await recall(one, { query: "password" }))).toEqual([mine]);
    expect(ids(await recall(two))).toEqual([theirs]);
    const refused = await tool(two, "forget", { memory_id: mine });
    expect(refused).toMatchObject({ isError: true, result: { code: "not_found" } });
    expect(ids(await recall(one))).toEqual([mine]);
  });

  it("can be used by multiple sessions concurrently", async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, newSession));
    const statements = Array.from({ length: 5 }, (_, i) => `Statement ${i}`);
    await Promise.all(
      sessions.map(async (session, n) => {
        const made = await Promise.all(
          statements.map((content) => remember(session, { content: `${content} of ${n}` })),
        );
        await tool(session, "forget", { memory_id: made[0] });
      }),
    );
    const found = await Promise.all(sessions.map((session) => recall(session, { limit: 50 })));
    for (const [n, hits] of found.entries())
      expect(contents(hits)).toEqual(statements.slice(1).map((content) => `${content} of ${n}`));
  });
});

describe("tools and the executor", () => {
  it("execute through the same flow as over HTTP: one memory, whichever way it came", async () => {
    const session = await newSession();
    const content = "There is one road to the sea";
    const direct = await client.call("POST", `/v1/sessions/${session}/remember`, { content });
    const { result } = await tool(session, "remember", { content });
    expect(result).toMatchObject({ memory_id: direct.body.memory_id, deduplicated: true });
    const over = await client.call("POST", `/v1/sessions/${session}/recall`, { query: "sea" });
    expect(contents(over.body.memories)).toEqual(contents(await recall(session, { query: "sea" })));
  });

  it.each([
    ["remember", {}, /content: is required/],
    ["remember", { content: "x", confidense: 1 }, /confidense: is not a known field/],
    ["remember", { content: "x", type: "opinion" }, /type: must be one of: fact/],
    ["recall", { limit: 51 }, /limit: must be at most 50/],
    ["recall", { min_confidence: 2 }, /min_confidence: must be at most 1/],
    ["forget", {}, /memory_id: is required/],
  ])("reject invalid arguments: %s %j", async (name, input, message) => {
    const { isError, result } = await tool(freshId("session"), name, input);
    expect(isError).toBe(true);
    expect(result).toEqual({ error: expect.stringMatching(message), code: "invalid_request" });
  });

  it("format results for a model: one JSON text, under the id of its call", async () => {
    const session = await newSession();
    const call = {
      id: "call_abc",
      type: "function",
      function: { name: "remember", arguments: '{"content":"Ünïcödé 🧠 \\"quoted\\""}' },
    };
    const { body } = await client.call("POST", "/v1/tools/execute", { session_id: session, call });
    expect(Object.keys(body).sort()).toEqual(["content", "role", "tool_call_id"]);
    expect(body).toMatchObject({ role: "tool", tool_call_id: "call_abc" });
    expect(JSON.parse(body.content)).toMatchObject({ remembered: true, memory_type: "fact" });
    expect(contents(await recall(session))).toEqual(['Ünïcödé 🧠 "quoted"']);
  });

  it("give error messages that are clear and actionable, and never a stack", async () => {
    const session = await newSession();
    const id = await remember(session, { content: "Something" });
    const missing = freshId("memory");
    const failures: [string, object, RegExp][] = [
      ["forget", { memory_id: missing }, new RegExp(`^Memory not found: ${missing}\\. Check the id`)],
      [
        "forget",
        { memory_id: id, replacement_id: missing },
        new RegExp(`^Replacement memory not found: ${missing}\\. Remember the replacement first`),
      ],
      ["forget", { memory_id: id, replacement_id: id }, /cannot replace itself\. Give the id of another/],
      [
        "remember",
        { content: "a".repeat(2001) },
        /content: must have at most 2000 characters, has 2001: shorten/,
      ],
      ["remember", { content: "", type: "x" }, /content: must not be empty; type: must be one of/],
    ];
    for (const [name, input, message] of failures) {
      const { isError, result } = await tool(session, name, input);
      expect(isError).toBe(true);
      expect(result.error).toMatch(message);
      expect(JSON.stringify(result)).not.toMatch(/\bat \S+:\d+|SELECT|SQLITE|\.ts\b/);
    }
    const call = { id: "call_1", type: "function", function: { name: "recall", arguments: "{not json" } };
    const { status, body } = await client.call("POST", "/v1/tools/execute", { session_id: session, call });
    expect(status).toBe(200);
    expect(JSON.parse(body.content).error).toMatch(/not valid JSON\. Send one JSON object/);
  });
});

describe("tools and telemetry", () => {
  const about = (session_id: string) => ({
    tenant: client.tenant,
    session_id,
    duration_ms: expect.any(Number),
  });

  it("remember emits telemetry with session_id and type", async () => {
    const session = await newSession();
    const log = vi.spyOn(console, "log");
    await remember(session, { content: "Measured", type: "discovery" });
    expect(eventsIn(log, "remember")).toEqual([
      { event: "remember", status: "ok", ...about(session), memory_type: "discovery", deduplicated: false },
    ]);
  });

  it("recall emits telemetry with its query parameters", async () => {
    const session = await newSession();
    await remember(session, { content: "Measured" });
    const log = vi.spyOn(console, "log");
    const asked = { min_confidence: 0.3, limit: 3, mode: "text", scope: "session" };
    await recall(session, { ...asked, query: "measured", type: "risk" });
    expect(eventsIn(log, "recall")).toEqual([
      {
        event: "recall",
        status: "ok",
        ...about(session),
        ...asked,
        memory_type: "risk",
        has_query: true,
        result_count: 0,
        degraded: false,
      },
    ]);
  });

  it("forget emits telemetry with memory_id", async () => {
    const session = await newSession();
    const memory_id = await remember(session, { content: "Measured" });
    const log = vi.spyOn(console, "log");
    await tool(session, "forget", { memory_id });
    expect(eventsIn(log, "forget")).toEqual([
      {
        event: "forget",
        status: "ok",
        ...about(session),
        memory_type: "fact",
        memory_id,
        has_replacement: false,
        has_reason: false,
      },
    ]);
  });
});
