// Telemetry: every event with its fields, in the logs always and in Analytics Engine when bound; never content.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createTelemetry, type TelemetryEvent } from "../../src/platform/telemetry";
import { DAY_MS } from "../../src/platform/time";
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
      { event: "remember", ...about(), memory_type: "convention", deduplicated: false },
      { event: "remember", ...about(), memory_type: "convention", deduplicated: true },
      { event: "remember", ...about(null), memory_type: "fact", deduplicated: false },
    ]);
  });

  it("recall: type, parameters, result count", async () => {
    await post("remember", { content: "The moon is round" });
    await post("recall", { query: "moon" });
    await post("recall", { query: "sun", type: "decision", limit: 1, min_confidence: 0 });
    const recall = { event: "recall", ...about(), scope: "session", mode: "hybrid", degraded: false };
    expect(events("recall")).toEqual([
      { ...recall, memory_type: "all", min_confidence: 0.5, limit: 10, result_count: 1 },
      { ...recall, memory_type: "decision", min_confidence: 0, limit: 1, result_count: 0 },
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
        ...about(),
        memory_type: "fact",
        memory_id: one.memory_id,
        has_replacement: true,
        has_reason: true,
      },
      {
        event: "forget",
        ...about(),
        memory_type: "fact",
        memory_id: two.memory_id,
        has_replacement: false,
        has_reason: false,
      },
    ]);
  });

  it("says nothing of a call that was refused", async () => {
    await post("remember", { content: "" });
    await post("recall", { limit: 0 });
    await post("forget", { memory_id: "unknown" });
    expect(events("remember", "recall", "forget")).toEqual([]);
  });
});

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
    telemetry({ ...common, event: "remember", memory_type: "fact", deduplicated: false });
    telemetry({ ...common, session_id: null, event: "promotion.failed", attempts: 2, waiting: 5 });
    const asked = {
      scope: "session",
      mode: "text",
      min_confidence: 0.5,
      limit: 10,
      result_count: 3,
      degraded: false,
    };
    telemetry({ ...common, event: "recall", memory_type: "all", ...asked });
    // Both lists in the order of the fields' names, after the event, its session and its duration.
    expect(points).toEqual([
      { indexes: ["acme"], blobs: ["remember", "s1", "false", "fact"], doubles: [12] },
      { indexes: ["acme"], blobs: ["promotion.failed", ""], doubles: [12, 2, 5] },
      {
        indexes: ["acme"],
        blobs: ["recall", "s1", "false", "all", "text", "session"],
        doubles: [12, 10, 0.5, 3],
      },
    ]);
    expect(events("remember", "promotion.failed", "recall")).toHaveLength(3);
  });

  it("goes to the logs alone when no dataset is bound", () => {
    const event: TelemetryEvent = { event: "session.status", ...about(), duration_ms: 0, status: "active" };
    createTelemetry(undefined)(event);
    expect(events("session.status")).toEqual([event]);
  });
});
