// Telemetry: every event with its fields, in the logs always and in Analytics Engine when bound; never content.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createTelemetry, type TelemetryEvent } from "../../src/kernel/telemetry";
import { DAY_MS } from "../../src/kernel/time";
import { type Client, freshId, newClient, sessionStub } from "./support";

const SINKS = ["log", "info", "warn", "error", "debug"] as const;

let client: Client;
let session: string;
let lines: string[];

beforeAll(async () => {
  client = await newClient();
});
beforeEach(() => {
  session = freshId("session");
  lines = [];
  for (const sink of SINKS) vi.spyOn(console, sink).mockImplementation((line) => lines.push(String(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
});

function events(...names: string[]): TelemetryEvent[] {
  return lines.map((line): TelemetryEvent => JSON.parse(line)).filter(({ event }) => names.includes(event));
}

/** What every event carries, with a duration that was really measured. */
function about(session_id: string | null = session) {
  return { tenant: client.tenant, session_id, duration_ms: expect.any(Number) };
}

/** From here on, every look at the clock finds it 7 ms later. */
function tick() {
  let now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => {
    now += 7;
    return now;
  });
}

const post = (path: string, body: object = {}) =>
  client.call("POST", `/v1/sessions/${session}/${path}`, body);

async function pending(content: string, importance_score = 0.9) {
  const { status } = await post("pending", { content, memory_type: "fact", importance_score });
  expect(status).toBe(201);
}

describe("telemetry of the tools", () => {
  it("remember: type, and whether it was known", async () => {
    await post("remember", { content: "Known twice", type: "convention" });
    await post("remember", { content: "Known twice", type: "convention" });
    const agent_id = freshId("agent");
    await client.call("POST", "/v1/remember", { content: "Outside sessions", agent_id });
    expect(events("remember")).toEqual([
      { event: "remember", status: "ok", ...about(), memory_type: "convention", deduplicated: false },
      { event: "remember", status: "ok", ...about(), memory_type: "convention", deduplicated: true },
      { event: "remember", status: "ok", ...about(null), memory_type: "fact", deduplicated: false },
    ]);
  });

  it("recall: type, parameters, whether there was a query, mode, scope, result count", async () => {
    await post("remember", { content: "The moon is round" });
    await post("recall", { query: "moon" });
    await post("recall", { query: "sun", type: "decision", limit: 1, min_confidence: 0, mode: "text" });
    await post("recall", { query: " ", scope: "tenant", limit: 1 });
    const recall = { event: "recall", status: "ok", ...about(), scope: "session", degraded: false };
    const defaults = { memory_type: "all", min_confidence: 0.5, limit: 10, mode: "hybrid" };
    expect(events("recall")).toEqual([
      { ...recall, ...defaults, has_query: true, result_count: 1 },
      {
        ...recall,
        memory_type: "decision",
        min_confidence: 0,
        limit: 1,
        mode: "text",
        has_query: true,
        result_count: 0,
      },
      // Without a query there is nothing to search for by meaning.
      {
        ...recall,
        ...defaults,
        limit: 1,
        scope: "tenant",
        mode: "text",
        has_query: false,
        result_count: 1,
      },
    ]);
  });

  it("forget: has_replacement and has_reason", async () => {
    const { body: one } = await post("remember", { content: "One" });
    const { body: two } = await post("remember", { content: "Two" });
    await post("forget", {
      memory_id: one.memory_id,
      replacement_id: two.memory_id,
      reason: "Two is better",
    });
    await post("forget", { memory_id: two.memory_id });
    expect(events("forget")).toEqual([
      {
        event: "forget",
        status: "ok",
        ...about(),
        memory_type: "fact",
        memory_id: one.memory_id,
        has_replacement: true,
        has_reason: true,
      },
      {
        event: "forget",
        status: "ok",
        ...about(),
        memory_type: "fact",
        memory_id: two.memory_id,
        has_replacement: false,
        has_reason: false,
      },
    ]);
  });

  const refused = (event: string, code: string, session_id: string | null = session) => ({
    event,
    ...about(session_id),
    status: "refused",
    code,
  });

  it("a refused call: its code, once", async () => {
    await client.call("POST", "/v1/sessions", { id: session });
    await post("remember", { content: "" });
    await post("recall", { limit: 0 });
    await post("recall", { mode: "psychic", query: "xyzzy" });
    await post("forget", { memory_id: "unknown" });
    await post("close");
    await post("remember", { content: "Too late" });
    expect(events("remember", "recall", "forget")).toEqual([
      refused("remember", "invalid_request"),
      refused("recall", "invalid_request"),
      refused("recall", "invalid_request"),
      refused("forget", "not_found"),
      refused("remember", "conflict"),
    ]);
  });

  it("a refused call without a session in the path: with the session of its body, if that is one", async () => {
    await client.call("POST", "/v1/remember", { content: "", session_id: session });
    await client.call("POST", "/v1/recall", { session_id: "no id at all!" });
    await client.call("POST", "/v1/forget", "{not json");
    expect(events("remember", "recall", "forget")).toEqual([
      refused("remember", "invalid_request"),
      refused("recall", "invalid_request", null),
      refused("forget", "invalid_request", null),
    ]);
  });

  it("a refused call of a key without the scope, on every surface", async () => {
    const reader = await newClient(["read"], client.tenant);
    await reader.call("POST", `/v1/sessions/${session}/remember`, { content: "Mine" });
    const call = { name: "remember", arguments: { content: "Mine" } };
    await reader.call("POST", "/v1/tools/execute", { session_id: session, call });
    await reader.call("POST", "/v1/tools/execute", { session_id: session, call: [call] });
    await callMcp(reader, "remember", { session_id: session, content: "Mine" });
    expect(events("remember")).toEqual(Array.from({ length: 4 }, () => refused("remember", "forbidden")));
  });

  it("every call of a model's answer that is rejected as a whole", async () => {
    const call = [
      { name: "remember" },
      { name: "learn" },
      ...Array.from({ length: 63 }, () => ({ name: "recall" })),
    ];
    expect((await client.call("POST", "/v1/tools/execute", { session_id: session, call })).status).toBe(400);
    expect(events("remember")).toEqual([refused("remember", "invalid_request")]);
    expect(events("recall")).toHaveLength(63);
  });

  it("the calls of a model, each once: refused by validation, reach and unknown ids, and done", async () => {
    const calls = [
      ["remember", {}, "invalid_request"],
      ["recall", { scope: "tenant" }, "forbidden"],
      ["forget", { memory_id: "unknown" }, "not_found"],
      ["remember", { content: "The moon is round" }, "ok"],
    ] as const;
    await client.call("POST", "/v1/sessions", { id: session });
    for (const [name, input] of calls)
      await client.call("POST", "/v1/tools/execute", {
        session_id: session,
        call: { type: "tool_use", id: "c", name, input },
      });
    const list = calls.map(([name, args]) => ({ name, arguments: args }));
    await client.call("POST", "/v1/tools/execute", { session_id: session, call: list });
    for (const [name, args] of calls) await callMcp(client, name, { session_id: session, ...args });
    const expected = calls.map(([name, , code]) =>
      code === "ok" ? expect.objectContaining({ event: name, status: "ok" }) : refused(name, code),
    );
    expect(events("remember", "recall", "forget")).toEqual([...expected, ...expected, ...expected]);
  });
});

function callMcp(caller: Client, name: string, args: object) {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  return caller.call("POST", "/mcp", message, {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  });
}

describe("telemetry of promotion", () => {
  const run = (trigger: string, promoted: number, remaining: number) => [
    { event: "promotion.triggered", ...about(), trigger, candidates: promoted },
    { event: "promotion.completed", ...about(), trigger, promoted, remaining },
  ];
  const promotions = () => events("promotion.triggered", "promotion.completed");

  it("on demand: triggered with its candidates, completed with what was promoted and what remains", async () => {
    await pending("The well is deep");
    await pending("The road is long");
    await pending("Not worth it", 0.5);
    await post("promote");
    expect(promotions()).toEqual(run("demand", 2, 1));
  });

  it.each(["pause", "close"])("on %s", async (transition) => {
    await pending("Worth it");
    await post(transition);
    expect(promotions()).toEqual(run(transition, 1, 0));
    const status = transition === "pause" ? "paused" : "closed";
    expect(events("session.status")).toEqual([{ event: "session.status", ...about(), status }]);
  });

  it("by the alarm", async () => {
    await pending("Worth it");
    expect(await runDurableObjectAlarm(sessionStub(client.tenant, session))).toBe(true);
    expect(promotions()).toEqual(run("alarm", 1, 0));
  });

  it.each(["promote", "pause", "close"])("of the extraction from new messages, on %s", async (call) => {
    await post("messages", {
      messages: [
        { role: "user", content: "We decided to use PostgreSQL for the ledger." },
        { role: "user", content: "Thanks!" },
      ],
    });
    await post(call);
    const trigger = call === "promote" ? "demand" : call;
    expect(events("extraction.completed")).toEqual([
      { event: "extraction.completed", ...about(), trigger, by: "rules", messages: 2, candidates: 1 },
    ]);
  });

  it("on abandonment", async () => {
    await pending("Worth it", 0.45);
    await runInDurableObject(sessionStub(client.tenant, session), (object) => {
      object.now = () => Date.now() + 2 * DAY_MS;
    });
    expect((await client.call("GET", `/v1/sessions/${session}`)).body.status).toBe("abandoned");
    expect(promotions()).toEqual(run("abandon", 1, 0));
  });
});

describe("telemetry of the assembled context", () => {
  it("context.assembled: tokens, budget, memories, what was left out", async () => {
    await post("remember", { content: "The well is deep" });
    const { body } = await post("assemble", { query: "well", token_budget: 4_000 });
    expect(events("context.assembled")).toEqual([
      {
        event: "context.assembled",
        ...about(),
        tokens: body.tokens.total,
        budget: 4_000,
        memories: 1,
        left_out: 0,
      },
    ]);
    expect(body.tokens.total).toBeGreaterThan(0);
  });

  it("context.summarized: once for a conversation over its share, again when its messages change", async () => {
    const messages = Array.from({ length: 40 }, (_, i) => ({
      role: "user",
      content:
        `Message ${i}: we decided to keep the archive in the north tower, for reason number ${i}. `.repeat(3),
    }));
    await post("messages", { messages });
    const { body } = await post("assemble", { token_budget: 1_000 });
    await post("assemble", { token_budget: 1_000 });
    const summarized = { event: "context.summarized", ...about(), tokens: expect.any(Number) };
    const cut = body.left_out.length;
    expect(cut).toBeGreaterThan(0);
    expect(events("context.summarized")).toEqual([{ ...summarized, messages: cut }]);
    expect(events("context.assembled")).toHaveLength(2);
    expect(events("context.assembled")[0]).toMatchObject({ left_out: cut });
    await post("messages", { messages: messages.slice(0, 1) });
    await post("assemble", { token_budget: 1_000 });
    expect(events("context.summarized")).toHaveLength(2);
  });
});

describe("telemetry", () => {
  it("measures durations", async () => {
    tick();
    await pending("Worth it");
    const { body } = await post("remember", { content: "Timed" });
    await post("recall", { query: "timed" });
    await post("forget", { memory_id: body.memory_id });
    await post("promote");
    await post("assemble");
    const timed = ["remember", "recall", "forget", "promotion.completed", "context.assembled"];
    const found = events(...timed);
    expect(found.map(({ event }) => event)).toEqual(timed);
    for (const { duration_ms } of found) expect(duration_ms).toBeGreaterThan(0);
  });

  it("never contains what was remembered, asked, given as reason, said or kept, not even of failures", async () => {
    let secrets = 0;
    const secret = () => {
      secrets += 1;
      return `xyzzy${secrets}plugh`;
    };
    const { body } = await post("remember", {
      content: `Content ${secret()}`,
      rationale: `Rationale ${secret()}`,
      evidence: [`file:${secret()}`],
      key: secret(),
    });
    const { body: other } = await post("remember", { content: `Replacement ${secret()}` });
    await post("recall", { query: `Content ${secret()} xyzzy1plugh` });
    await post("recall", { query: `"${secret()}* AND (` });
    await post("forget", { memory_id: body.memory_id, reason: secret(), replacement_id: other.memory_id });
    await client.call("PUT", `/v1/sessions/${session}/context/framework`, {
      value: secret(),
      source: "tool",
    });
    await pending(`Pending ${secret()}`);
    const long = `We decided on ${secret()} because it is important. `.repeat(60);
    await post("messages", { messages: [1, 2, 3, 4].map(() => ({ role: "user", content: long })) });
    await post("assemble", { query: secret(), token_budget: 1_000 });
    await post("promote");
    await post("remember", { content: secret(), type: secret() });
    await post("recall", { query: secret(), [secret()]: true });
    await client.call("POST", "/v1/tools/execute", {
      session_id: session,
      call: { id: "call_1", type: "function", function: { name: secret(), arguments: `{"${secret()}` } },
    });
    await client.call("POST", "/v1/remember", `{"content": "${secret()}`);
    await post("close");
    await post("remember", { content: secret() });
    await client.call("DELETE", `/v1/memories/${other.memory_id}`);
    await client.call("DELETE", `/v1/sessions/${session}?memories=true`);

    await vi.waitFor(() => expect(events("vectors.indexed").length).toBeGreaterThan(0));
    const seen = new Set(lines.map((line) => JSON.parse(line).event));
    for (const event of ["remember", "recall", "forget", "promotion.completed", "context.summarized"])
      expect(seen).toContain(event);
    expect(lines.filter((line) => /xyzzy|plugh/i.test(line))).toEqual([]);
  });

  it("goes to Analytics Engine when bound: tenant as index, texts as blobs, numbers as doubles", () => {
    const points: AnalyticsEngineDataPoint[] = [];
    const dataset = {
      writeDataPoint: (point?: AnalyticsEngineDataPoint) => void (point && points.push(point)),
    };
    const telemetry = createTelemetry(dataset);
    const common = { tenant: "acme", session_id: "s1", duration_ms: 12 };
    telemetry({ ...common, event: "remember", status: "ok", memory_type: "fact", deduplicated: false });
    telemetry({ ...common, event: "remember", status: "refused", code: "not_found" });
    telemetry({ ...common, session_id: null, event: "promotion.failed", attempts: 2, waiting: 5 });
    const asked = {
      scope: "session",
      mode: "text",
      has_query: true,
      min_confidence: 0.5,
      limit: 10,
      result_count: 3,
      degraded: false,
    };
    telemetry({ ...common, event: "recall", status: "ok", memory_type: "all", ...asked });
    // Both lists in the order of the fields' names, after the event, its session and its duration.
    expect(points).toEqual([
      { indexes: ["acme"], blobs: ["remember", "s1", "false", "fact", "ok"], doubles: [12] },
      { indexes: ["acme"], blobs: ["remember", "s1", "not_found", "refused"], doubles: [12] },
      { indexes: ["acme"], blobs: ["promotion.failed", ""], doubles: [12, 2, 5] },
      {
        indexes: ["acme"],
        blobs: ["recall", "s1", "false", "true", "all", "text", "session", "ok"],
        doubles: [12, 10, 0.5, 3],
      },
    ]);
    expect(events("remember", "promotion.failed", "recall")).toHaveLength(4);
  });

  it("goes to the logs alone when no dataset is bound", () => {
    const event: TelemetryEvent = { event: "session.status", ...about(), duration_ms: 0, status: "active" };
    createTelemetry(undefined)(event);
    expect(events("session.status")).toEqual([event]);
  });
});
