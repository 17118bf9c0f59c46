// The working context of a session, what assistant replies bring into it, its budget and its access log.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionObject } from "../../../durable-objects/session";
import { type Client, freshId, newClient, sessionStub } from "../support";

let client: Client;
let id: string;
let path: string;

beforeEach(async () => {
  client = await newClient();
  id = freshId("session");
  path = `/v1/sessions/${id}`;
});

const put = (key: string, value: unknown, more: object = {}) =>
  client.call("PUT", `${path}/context/${key}`, { value, ...more });
const peek = async (key: string) => (await client.call("GET", `${path}/context/${key}?peek=true`)).body;
const keys = async () =>
  (await client.call("GET", `${path}/context`)).body.data.map((item: { key: string }) => item.key);
const reply = (content: string, role = "assistant") =>
  client.call("POST", `${path}/messages`, { messages: [{ role, content }] });

describe("an assistant's reply", () => {
  it("enters the working context as inferred with 0.6", async () => {
    await reply("I opened src/app.ts. Your project uses Hono and is written in TypeScript.");
    for (const [key, value] of [
      ["active_file", "src/app.ts"],
      ["framework", "Hono"],
      ["primary_language", "TypeScript"],
    ] as const)
      expect(await peek(key)).toMatchObject({ value, source: "inferred", confidence: 0.6, access_count: 1 });
  });

  it.each(["explicit", "tool"])("never displaces a value whose source is %s", async (source) => {
    await put("framework", "Rails", { source, confidence: 0.2 });
    await reply("Your project uses Hono.");
    expect(await peek("framework")).toMatchObject({
      value: "Rails",
      source,
      confidence: 0.2,
      access_count: 1,
    });
  });

  it("takes the place of what was inferred before, and keeps the higher confidence", async () => {
    await put("framework", "Rails", { confidence: 0.9 });
    await reply("Your project uses Hono.");
    expect(await peek("framework")).toMatchObject({ value: "Hono", source: "inferred", confidence: 0.9 });
  });

  it("is read only when it is the assistant's, and only for what it states", async () => {
    await reply("Our project uses Django.", "user");
    await reply("You could try Django. Is it built with Rails?");
    await reply("For example:\n```\nYour project uses Flask.\n```");
    expect(await keys()).toEqual([]);
  });
});

describe("an item", () => {
  it("keeps its first_seen and its higher confidence, and counts puts and reads but not peeks", async () => {
    const first = (await put("framework", "Hono", { confidence: 0.9 })).body;
    expect(first).toMatchObject({ access_count: 1, source: "inferred", confidence: 0.9 });
    const second = (await put("framework", "Express", { confidence: 0.1 })).body;
    expect(second).toMatchObject({ access_count: 2, confidence: 0.9, first_seen: first.first_seen });
    expect((await client.call("GET", `${path}/context/framework`)).body.access_count).toBe(3);
    expect((await peek("framework")).access_count).toBe(3);
    await client.call("GET", `${path}/context`);
    expect((await peek("framework")).access_count).toBe(3);
  });

  it("rises in importance with every access, by frequency alone", async () => {
    const { importance } = (await put("framework", "Hono")).body;
    const again = (await client.call("GET", `${path}/context/framework`)).body.importance;
    expect(again - importance).toBeCloseTo(0.03, 4);
  });
});

describe("the context's budget", () => {
  const long = (word: string) => `${word} `.repeat(60);

  beforeEach(async () => {
    await client.call("POST", "/v1/sessions", {
      id,
      token_budget: { total: 1_000, conversation: 800, context: 200 },
    });
  });

  it("lets the least important leave first, to wait for promotion if it has a type", async () => {
    await put("discovered_patterns", long("pattern"), { confidence: 0.2 });
    await put("framework", long("hono"), { source: "tool", confidence: 1 });
    await client.call("GET", `${path}/context/framework`);
    await put("project_root", long("root"), { source: "tool", confidence: 1 });
    expect(await keys()).toEqual(["framework", "project_root"]);
    const { body } = await client.call("GET", `${path}/pending`);
    expect(body.data).toMatchObject([{ memory_type: "discovery", suggested_by: "implicit" }]);
    expect(body.data[0].content).toMatch(/^discovered_patterns: pattern/);
  });

  it("lets errors of the moment leave without a trace", async () => {
    await put("active_errors", long("error"), { confidence: 0 });
    await put("framework", long("hono"), { source: "tool", confidence: 1 });
    await put("project_root", long("root"), { source: "tool", confidence: 1 });
    expect(await keys()).toEqual(["framework", "project_root"]);
    expect((await client.call("GET", path)).body.counts.pending).toBe(0);
  });

  it("refuses a value that would not fit alone, and says what to do", async () => {
    const { status, body } = await put("framework", long("hono").repeat(5));
    expect([status, body.code, body.errors[0].path]).toEqual([400, "invalid_request", "value"]);
    expect(await keys()).toEqual([]);
  });

  it("made smaller by PATCH takes effect at once", async () => {
    await put("discovered_patterns", long("pattern"), { confidence: 0.2 });
    await put("framework", long("hono"), { source: "tool", confidence: 1 });
    expect(await keys()).toHaveLength(2);
    await client.call("PATCH", path, { token_budget: { context: 150 } });
    expect(await keys()).toEqual(["framework"]);
  });
});

describe("the conversation's budget", () => {
  it("made smaller by PATCH moves the window, and made larger does not bring messages back", async () => {
    await client.call("POST", `${path}/messages`, {
      messages: [1, 2, 3, 4, 5, 6].map((n) => ({
        id: `m${n}`,
        role: "user",
        content: `${n}`,
        token_count: 50,
      })),
    });
    const ids = async () =>
      (await client.call("GET", `${path}/messages`)).body.data.map((message: { id: string }) => message.id);
    expect(await ids()).toHaveLength(6);
    const { body } = await client.call("PATCH", path, { token_budget: { conversation: 120 } });
    expect(body.counts).toMatchObject({ messages: 2, tokens: 100 });
    expect(body.token_budget).toMatchObject({ total: 32_000, conversation: 120 });
    expect(await ids()).toEqual(["m5", "m6"]);
    await client.call("PATCH", path, { token_budget: { conversation: 20_000, context: 12_000 } });
    expect(await ids()).toEqual(["m5", "m6"]);
    const again = await client.call("POST", `${path}/messages`, {
      messages: [{ id: "m1", role: "user", content: "1" }],
    });
    expect(again.body).toMatchObject({ added: 0, duplicates: 1 });
  });

  it("refuses parts that together exceed the total, and changes nothing", async () => {
    await client.call("POST", "/v1/sessions", { id });
    const { status } = await client.call("PATCH", path, {
      metadata: { color: "red" },
      token_budget: { total: 1_000, conversation: 800, context: 300 },
    });
    expect(status).toBe(400);
    const { body } = await client.call("GET", path);
    expect([body.token_budget.total, body.metadata]).toEqual([32_000, {}]);
  });
});

describe("the access log", () => {
  const logged = () =>
    runInDurableObject(sessionStub(client.tenant, id), (_instance, state) =>
      state.storage.sql
        .exec<{ key: string; n: number }>(
          "SELECT key, count(*) AS n FROM access_log GROUP BY key ORDER BY key",
        )
        .toArray(),
    );

  it("keeps the last 1,000 accesses, and frequency is read from those, also after an eviction", async () => {
    const stub = sessionStub(client.tenant, id);
    const ref = { tenant: client.tenant, id };
    for (let i = 0; i < 5; i += 1) await put("framework", "Hono", { source: "tool" });
    const { importance } = await peek("framework");
    await put("project_root", "/work", { source: "tool" });
    await runInDurableObject<SessionObject, void>(stub, async (instance) => {
      for (let i = 0; i < 997; i += 1) await instance.getContext(ref, "project_root", { peek: false });
    });
    expect(await logged()).toEqual([
      { key: "context:framework", n: 2 },
      { key: "context:project_root", n: 998 },
    ]);
    const later = (await peek("framework")).importance;
    expect(importance - later).toBeCloseTo(0.3 * 0.3, 2);
    await evictDurableObject(stub);
    expect((await peek("framework")).importance).toBeCloseTo(later, 2);
  });

  it("is about the working context: a recall only shows that the session is in use, once an hour", async () => {
    const { body: made } = await client.call("POST", `${path}/remember`, { content: "The sky is up" });
    const { body: before } = await client.call("GET", path);
    const recallAfter = async (ms: number) => {
      const at = Date.parse(before.updated_at) + ms;
      await runInDurableObject<SessionObject, void>(sessionStub(client.tenant, id), (session) => {
        session.now = () => at;
      });
      await client.call("POST", `${path}/recall`, { query: "sky" });
    };
    await recallAfter(59 * 60_000);
    await vi.waitFor(async () => {
      const { body: memory } = await client.call("GET", `/v1/memories/${made.memory_id}`);
      expect(memory.access_count).toBe(1);
    });
    expect((await client.call("GET", path)).body.updated_at).toBe(before.updated_at);
    await recallAfter(60 * 60_000);
    await vi.waitFor(async () => {
      const { body: after } = await client.call("GET", path);
      expect(Date.parse(after.updated_at)).toBe(Date.parse(before.updated_at) + 60 * 60_000);
    });
    expect(await logged()).toEqual([]);
  });
});
