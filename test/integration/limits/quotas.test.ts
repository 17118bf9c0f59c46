// The quotas of a tenant, and GET /v1/usage.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EMPTY_SESSION_BYTES } from "../../../src/sessions/session-storage";
import { SEND_DELAY_MS } from "../../../src/sessions/short-term/message-progress";
import { ALL_TOOLS } from "../../../src/tools/registry";
import { type Client, callWith, freshId, newClient, sessionStub, skipWaits } from "../support";
import { type CallWithSettings, withSettings } from "./limits-support";

beforeEach(() => {
  skipWaits(SEND_DELAY_MS);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const readUsage = async (client: Pick<Client, "call">) => (await client.call("GET", "/v1/usage")).body;
const remember = (call: CallWithSettings, content = `About ${freshId()}`) =>
  call("POST", "/v1/remember", { content, project_id: "lab" });
const say = (call: CallWithSettings, session: string) =>
  call("POST", `/v1/sessions/${session}/messages`, { messages: [{ role: "user", content: "Hello there" }] });
const episode = (call: CallWithSettings) =>
  call("POST", "/v1/episodes", { project_id: "lab", context: { goal: "Try it" }, outcome: "success" });

const exceeded = (kind: string) => ({
  status: 429,
  body: { code: "limit_exceeded", detail: expect.stringContaining(`quota of ${kind}`) },
});

describe("the usage of a tenant", () => {
  it("counts a batch with all its texts, in bytes, and the same again not at all", async () => {
    const client = await newClient();
    const memories = Array.from({ length: 60 }, (_, i) => ({
      content: `Grüße ${i}`,
      project_id: "lab",
      ...(i % 2 === 0 && { rationale: "Größe", evidence: ["a-1"], tags: ["übrig"], metadata: { é: i } }),
    }));
    const write = async () =>
      expect((await client.call("POST", "/v1/memories/batch", { memories })).status).toBe(200);
    await write();
    const texts =
      "content || coalesce(rationale, '') || evidence || properties || metadata || tags FROM memories WHERE tenant = ?";
    const stored = await env.DB.prepare(`SELECT ${texts}`).bind(client.tenant).raw<[string]>();
    const bytes = stored.reduce((sum, [text]) => sum + new TextEncoder().encode(text).length, 0);
    expect(await readUsage(client)).toMatchObject({ memories: 60, bytes });
    await write();
    expect(await readUsage(client)).toMatchObject({ memories: 60, bytes });
  });

  it("counts what is stored, and no longer counts what is erased", async () => {
    const client = await newClient();
    const { call } = client;
    expect(await readUsage(client)).toEqual({
      memories: 0,
      messages: 0,
      sessions: 0,
      episodes: 0,
      bytes: 0,
      streams: 0,
      limits: {
        memories: 1_000_000,
        messages: 2_000_000,
        sessions: 200_000,
        episodes: 200_000,
        bytes: 1_000_000_000,
        streams: 128,
      },
    });
    const session = freshId("session");
    const { body: memory } = await call("POST", "/v1/remember", {
      content: "Grüße",
      project_id: "lab",
      metadata: { a: "b" },
    });
    const before = await readUsage(client);
    expect(before).toMatchObject({ memories: 1, messages: 0, sessions: 0, episodes: 0 });
    await call("PATCH", `/v1/memories/${memory.memory_id}`, { metadata: { a: "bcd" } });
    // The state before the change is kept as a version, which counts as well.
    const state = await env.DB.prepare(
      "SELECT length(CAST(state AS BLOB)) AS bytes FROM memory_versions WHERE memory_id = ?",
    )
      .bind(memory.memory_id)
      .first<number>("bytes");
    expect(state).toBeGreaterThan(0);
    expect((await readUsage(client)).bytes).toBe(before.bytes + 2 + (state ?? 0));
    await say(call, session);
    await episode(call);
    await vi.waitFor(async () => expect(await readUsage(client)).toMatchObject({ messages: 1, sessions: 1 }));
    expect(await readUsage(client)).toMatchObject({ memories: 1, messages: 1, sessions: 1, episodes: 1 });
    const listed = await call("GET", "/v1/episodes?project_id=lab");
    await call("DELETE", `/v1/memories/${memory.memory_id}`);
    await call("DELETE", `/v1/sessions/${session}?memories=true`);
    await call("DELETE", `/v1/episodes/${listed.body.data[0].id}`);
    expect(await readUsage(client)).toMatchObject({
      memories: 0,
      messages: 0,
      sessions: 0,
      episodes: 0,
      bytes: 0,
    });
  });

  it("counts what sessions store in their objects, without a call that waits for it", async () => {
    const client = await newClient();
    const session = freshId("session");
    const path = `/v1/sessions/${session}`;
    await say(client.call, session);
    await vi.waitFor(async () => expect(await readUsage(client)).toMatchObject({ messages: 1 }));
    const empty = await runInDurableObject(
      sessionStub(client.tenant, session),
      (_instance, { storage }) => storage.sql.databaseSize,
    );
    expect(empty).toBeLessThanOrEqual(EMPTY_SESSION_BYTES);
    expect(empty).toBeGreaterThan(EMPTY_SESSION_BYTES * 0.75);
    const { bytes: before } = await readUsage(client);
    const data = { text: "word ".repeat(40_000) };
    await client.call("PUT", `${path}/spaces/notes`, { data });
    await vi.waitFor(async () => {
      const { bytes } = await readUsage(client);
      expect(bytes).toBeGreaterThan(before + 150_000);
      expect(bytes).toBeLessThan(before + 250_000);
    });
    const full = withSettings(client, { QUOTA_BYTES: "100000" });
    expect(await full("PUT", `${path}/spaces/more`, { data })).toMatchObject(exceeded("bytes"));
    await client.call("DELETE", `${path}/spaces/notes`);
    await client.call("PUT", `${path}/context/editor`, { value: "vim", memory_type: "fact" });
    await vi.waitFor(async () => expect((await readUsage(client)).bytes).toBeLessThan(before + 50_000));
    await client.call("DELETE", path);
    expect((await readUsage(client)).bytes).toBe(0);
  });

  it("is the caller's own, needs the scope read, and does not exist for a bound key", async () => {
    const client = await newClient();
    await remember(client.call);
    expect(await readUsage(await newClient())).toMatchObject({ memories: 0 });
    expect((await (await newClient(["write"], client.tenant)).call("GET", "/v1/usage")).status).toBe(403);
    const { body } = await callWith("test-admin-key", "POST", "/v1/keys", {
      tenant: client.tenant,
      bind: { user_id: "ana" },
    });
    expect((await callWith(body.key, "GET", "/v1/usage")).status).toBe(404);
  });

  it("costs one read of one row, however much is stored", async () => {
    const { results } = await env.DB.prepare(
      "EXPLAIN QUERY PLAN SELECT * FROM api_keys LEFT JOIN tenant_usage u ON u.tenant = api_keys.tenant WHERE hash = ?",
    )
      .bind("x")
      .all<{ detail: string }>();
    for (const { detail } of results) expect(detail).toMatch(/^SEARCH/);
  });
});

describe("a quota that is used up", () => {
  it("of memories refuses new ones on every path, and leaves reading and erasing", async () => {
    const client = await newClient();
    const call = withSettings(client, { QUOTA_MEMORIES: "2" });
    const { body: first } = await remember(call);
    const session = freshId("session");
    const inSession = () =>
      call("POST", `/v1/sessions/${session}/remember`, { content: `About ${freshId()}` });
    expect((await inSession()).status).toBe(201);
    expect(await remember(call)).toMatchObject(exceeded("memories"));
    expect(await inSession()).toMatchObject(exceeded("memories"));
    const graph = { entities: [{ name: "Ada", entityType: "person", observations: [] }] };
    expect(await call("POST", "/v1/graph/create_entities", graph)).toMatchObject(exceeded("memories"));
    const patched = await call("PATCH", `/v1/memories/${first.memory_id}`, { content: "Another" });
    expect(patched).toMatchObject(exceeded("memories"));
    const batch = await call("POST", "/v1/memories/batch", {
      memories: [{ content: "One", project_id: "lab" }],
    });
    expect(batch.body.results).toMatchObject([{ error: { code: "limit_exceeded" } }]);
    expect((await call("POST", "/v1/recall", { query: "about", project_id: "lab" })).status).toBe(200);
    expect((await call("GET", "/v1/usage")).body).toMatchObject({ memories: 2, limits: { memories: 2 } });
    await call("DELETE", `/v1/memories/${first.memory_id}`);
    expect((await remember(call)).status).toBe(201);
  });

  it("of memories captures no new turn of a session, and answers a repeated one as before", async () => {
    const client = await newClient();
    const session = freshId("session");
    await client.call("POST", "/v1/sessions", { id: session, policy: { capture: "conversation" } });
    const capture = async (call: CallWithSettings, request_id: string) => {
      const turn = { input: "Is the fix ready?", output: `Yes, as of ${request_id}.`, request_id };
      return (await call("POST", `/v1/sessions/${session}/turns`, turn)).body;
    };
    const first = await capture(client.call, "turn-1");
    expect(first).toMatchObject({ captured: true });
    const full = withSettings(client, { QUOTA_MEMORIES: "1" });
    expect(await capture(full, "turn-2")).toEqual({
      captured: false,
      reason: expect.stringContaining("quota of memories"),
    });
    expect(await capture(full, "turn-1")).toEqual(first);
    expect((await readUsage(client)).memories).toBe(1);
  });

  it("of messages, episodes and bytes refuses them", async () => {
    const client = await newClient();
    const session = freshId("session");
    await say(client.call, session);
    await episode(client.call);
    await vi.waitFor(async () => expect(await readUsage(client)).toMatchObject({ messages: 1, episodes: 1 }));
    expect(await say(withSettings(client, { QUOTA_MESSAGES: "1" }), session)).toMatchObject(
      exceeded("messages"),
    );
    expect(await episode(withSettings(client, { QUOTA_EPISODES: "1" }))).toMatchObject(exceeded("episodes"));
    const small = withSettings(client, { QUOTA_BYTES: "5" });
    for (const refused of [await remember(small), await say(small, session), await episode(small)])
      expect(refused).toMatchObject(exceeded("bytes"));
    expect((await say(withSettings(client, { QUOTA_BYTES: "0" }), session)).status).toBe(201);
  });

  it("of sessions refuses new ones, also by a first write, and serves those that exist", async () => {
    const client = await newClient();
    const session = freshId("session");
    await client.call("POST", "/v1/sessions", { id: session });
    await vi.waitFor(async () => expect(await readUsage(client)).toMatchObject({ sessions: 1 }));
    const call = withSettings(client, { QUOTA_SESSIONS: "1" });
    const other = freshId("session");
    expect(await call("POST", "/v1/sessions", { id: other })).toMatchObject(exceeded("sessions"));
    expect(await say(call, other)).toMatchObject(exceeded("sessions"));
    const noted = await call("PUT", `/v1/sessions/${other}/context/editor`, {
      value: "vim",
      memory_type: "fact",
    });
    expect(noted).toMatchObject(exceeded("sessions"));
    expect((await call("GET", `/v1/sessions/${other}`)).status).toBe(404);
    expect((await say(call, session)).status).toBe(201);
  });
});

describe("a repeated call beyond a quota", () => {
  const NONE_LEFT = { QUOTA_MEMORIES: "1", QUOTA_MESSAGES: "1", QUOTA_EPISODES: "1", QUOTA_BYTES: "1" };

  it("gets its first answer, wherever that is stored, and a new one is refused", async () => {
    const client = await newClient();
    const session = freshId("session");
    const path = `/v1/sessions/${session}`;
    await client.call("POST", "/v1/sessions", { id: session });
    const calls: [string, object][] = [
      ["/v1/remember", { content: "Kept for all", project_id: "lab" }],
      ["/v1/memories/batch", { memories: [{ content: "Kept in a batch", project_id: "lab" }] }],
      [`${path}/remember`, { content: "Kept in the session" }],
      [`${path}/messages`, { messages: [{ role: "user", content: "Hello there" }] }],
      [`${path}/pending`, { content: "A candidate", memory_type: "fact", importance_score: 0.1 }],
      [`${path}/thread`, { entries: [{ kind: "note", payload: "A note" }] }],
      ["/v1/episodes", { project_id: "lab", context: { goal: "Try it" }, outcome: "success" }],
      [
        "/v1/tools/execute",
        { session_id: session, call: { name: "remember", arguments: { content: "Kept by a tool" } } },
      ],
      ["/v1/graph/create_entities", { entities: [{ name: "Ada", entityType: "person", observations: [] }] }],
    ];
    const keys = calls.map(() => ({ "Idempotency-Key": freshId("key") }));
    const first = [];
    for (const [n, [url, body]] of calls.entries()) first.push(await client.call("POST", url, body, keys[n]));
    expect(first.filter(({ status }) => status >= 300)).toEqual([]);
    await vi.waitFor(async () => expect(await readUsage(client)).toMatchObject({ messages: 1, episodes: 1 }));
    const full = withSettings(client, { ...NONE_LEFT, QUOTA_SESSIONS: "1" });
    for (const [n, [url, body]] of calls.entries()) {
      const { status, body: answer } = await full("POST", url, body, keys[n]);
      expect({ url, status, answer }).toEqual({ url, status: first[n]?.status, answer: first[n]?.body });
      const another = await full("POST", url, body, { "Idempotency-Key": freshId("key") });
      expect(JSON.stringify(another.body), url).toContain("quota of");
    }
    const [[url = "", body] = []] = calls;
    const reused = await full("POST", url, { ...body, content: "Other" }, keys[0]);
    expect(reused.status).toBe(409);
    expect((await readUsage(client)).memories).toBe(5);
  });

  it("gets it over MCP, too", async () => {
    const client = await newClient();
    const meta = { "dev.kioku/idempotency-key": freshId("key") };
    const send = (call: CallWithSettings, _meta: object) =>
      call(
        "POST",
        "/mcp",
        {
          ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
          params: { name: "remember", arguments: { content: "Kept", project_id: "lab" }, _meta },
        },
        { Accept: "application/json, text/event-stream" },
      );
    const first = await send(client.call, meta);
    expect(first.body.result.structuredContent.remembered).toBe(true);
    const full = withSettings(client, NONE_LEFT);
    expect((await send(full, meta)).body.result).toEqual(first.body.result);
    expect(JSON.stringify((await send(full, {})).body)).toContain("quota of");
  });
});

type Operation = {
  operationId: string;
  security: { bearer: string[] }[];
  parameters?: { name: string; in: string; example?: string }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  "x-quota"?: string[];
  "x-quota-exempt"?: string;
};

/** The routes that write and do not delete, as the OpenAPI document lists them. */
async function listWritingRoutes() {
  const { body } = await callWith(null, "GET", "/openapi.json");
  return Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const [scope] = operation.security?.flatMap(({ bearer }) => bearer) ?? [];
      const writes = ["post", "put", "patch"].includes(method) && scope !== "read" && scope !== "admin";
      return writes ? [{ method: method.toUpperCase(), path, operation }] : [];
    }),
  );
}

describe("every route that writes", () => {
  it("has quotas, or a reason to have none", async () => {
    const routes = await listWritingRoutes();
    expect(routes.length).toBeGreaterThan(40);
    const without = routes.filter(
      ({ operation }) => operation["x-quota"] === undefined && operation["x-quota-exempt"] === undefined,
    );
    expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it("has quotas as a tool, unless it only changes a status", () => {
    const without = ALL_TOOLS.filter(({ scope, quota }) => scope === "write" && quota === undefined);
    expect(without.map(({ name }) => name).toSorted()).toEqual([
      "acknowledge_handoff",
      "complete_task",
      "forget",
    ]);
  });

  it("is refused when the bytes that it would use are used up", async () => {
    const client = await newClient();
    await remember(client.call);
    const call = withSettings(client, { QUOTA_BYTES: "1" });
    const served: string[] = [];
    for (const { method, path, operation } of await listWritingRoutes()) {
      if (operation["x-quota"]?.includes("bytes") !== true) continue;
      const url = (operation.parameters ?? []).reduce(
        (whole, { name, in: place, example = "" }) =>
          place === "path" ? whole.replace(`{${name}}`, encodeURIComponent(example)) : whole,
        path,
      );
      const { status, body } = await call(
        method,
        url,
        operation.requestBody?.content["application/json"]?.example,
      );
      if (status !== 429 || body.code !== "limit_exceeded") served.push(operation.operationId);
    }
    // A batch has a result for each memory, and a capture that fails is reported in the answer.
    expect(served.toSorted()).toEqual(["captureTurn", "rememberBatch"]);
    expect((await readUsage(client)).memories).toBe(1);
  });

  it("is refused as a tool of a model, too, and as a candidate of a promotion", async () => {
    const client = await newClient();
    const session = freshId("session");
    const pend = (call: CallWithSettings) =>
      call("POST", `/v1/sessions/${session}/pending`, {
        content: `The build ${freshId()} takes long`,
        memory_type: "fact",
        importance_score: 0.95,
      });
    expect((await pend(client.call)).status).toBe(201);
    await remember(client.call);
    const full = withSettings(client, { QUOTA_MEMORIES: "1", QUOTA_BYTES: "1" });
    expect(await pend(full)).toMatchObject(exceeded("memories"));
    const noted = await full("POST", "/v1/tools/execute", {
      session_id: session,
      call: { name: "note_fact", arguments: { subject: "build", text: "It is slow" } },
    });
    expect(JSON.stringify(noted.body)).toContain("quota of bytes");
    // What was accepted before goes on, and so do deletions.
    const promoted = await full("POST", `/v1/sessions/${session}/promote`);
    expect(promoted).toMatchObject({ status: 200 });
    expect((await readUsage(client)).memories).toBe(2);
    const removed = await full("POST", `/v1/sessions/${session}/directives`, { type: "delete", keys: ["a"] });
    expect(removed.status).toBe(202);
  });
});
