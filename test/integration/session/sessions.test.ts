// A session's life: made by a call or by a first write, paused, resumed, closed; and what the registry and the
// triples of its jido:WorkSession say of it.
import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { NO_OWNER } from "../../../src/kernel/access";
import { memoriesOf, objectsOf, offer } from "../../faults/support";
import { type Client, freshId, newClient, sessionStub } from "../support";

let client: Client;
let id: string;
let path: string;

beforeEach(async () => {
  client = await newClient();
  id = freshId("session");
  path = `/v1/sessions/${id}`;
});

const create = (more: object = {}) => client.call("POST", "/v1/sessions", { id, ...more });
const triple = (predicate: string, of = id) => objectsOf(client.tenant, `jido:session_${of}`, predicate);
const listed = async (query = "") => (await client.call("GET", `/v1/sessions${query}`)).body.data;

type Sent = [method: string, path: string, body?: object];

/** Everything that writes into a session. */
const WRITES: readonly Sent[] = [
  ["POST", "/messages", { messages: [{ role: "user", content: "Hello" }] }],
  ["PUT", "/context/framework", { value: "Hono" }],
  ["POST", "/pending", { content: "The sky is up", memory_type: "fact" }],
  ["POST", "/remember", { content: "The sky is up" }],
];

describe("a session made by its first write", () => {
  it.each(WRITES)("%s %s is active, listed and stated", async (method, of, body) => {
    expect((await client.call(method, path + of, body)).status).toBeLessThan(300);
    const { body: session } = await client.call("GET", path);
    expect(session).toMatchObject({ id, status: "active", agent_id: null, continues: null, ended_at: null });
    expect(await listed()).toMatchObject([{ id, status: "active", created_at: session.created_at }]);
    expect(await triple("rdf:type")).toEqual(["jido:WorkSession"]);
    expect(await triple("jido:hasStatus")).toEqual(["jido:Active"]);
    expect(await triple("jido:startedAt")).toEqual([session.created_at]);
    expect(await triple("jido:endedAt")).toEqual([]);
    expect((await create()).status).toBe(409);
  });

  it("belongs to the agent and the project that the write named", async () => {
    const body = { session_id: id, agent_id: "agent-1", project_id: "project-1", content: "The sky is up" };
    expect((await client.call("POST", "/v1/remember", body)).status).toBe(201);
    expect((await client.call("GET", path)).body).toMatchObject({
      agent_id: "agent-1",
      project_id: "project-1",
    });
    expect(await listed("?agent_id=agent-1&project_id=project-1")).toMatchObject([{ id }]);
  });

  it("is not made by a write that is refused", async () => {
    expect((await client.call("PUT", `${path}/context/mood`, { value: "good" })).status).toBe(400);
    const tooMany = {
      messages: [
        { role: "user", content: "ok" },
        { role: "nobody", content: "?" },
      ],
    };
    expect((await client.call("POST", `${path}/messages`, tooMany)).status).toBe(400);
    expect((await client.call("GET", path)).status).toBe(404);
    expect(await listed()).toEqual([]);
  });
});

describe("an unknown session", () => {
  it.each<Sent>([
    ["GET", ""],
    ["PATCH", "", { metadata: {} }],
    ["DELETE", ""],
    ["POST", "/pause"],
    ["POST", "/resume"],
    ["POST", "/close"],
    ["GET", "/messages"],
    ["GET", "/context"],
    ["GET", "/context/framework"],
    ["DELETE", "/context/framework"],
    ["GET", "/pending"],
    ["POST", "/promote"],
    ["POST", "/forget", { memory_id: "x" }],
  ])("answers %s %s with 404 and is not made by it", async (method, of, body) => {
    expect(await client.call(method, path + of, body)).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    await expectNotMade();
  });

  it.each<[...Required<Sent>, answer: object]>([
    ["POST", "/assemble", {}, { messages: [], memories: [], recalled_messages: [], prompt: "" }],
    ["POST", "/recall", { query: "sky" }, { memories: [], count: 0 }],
    ["POST", "/preflight", { input: "Hello" }, { messages: [{ role: "user", content: "Hello" }] }],
  ])("answers %s %s like an empty one and is not made by it", async (method, of, body, answer) => {
    expect(await client.call(method, path + of, body)).toMatchObject({ status: 200, body: answer });
    await expectNotMade();
  });

  async function expectNotMade(): Promise<void> {
    expect(await listed()).toEqual([]);
    expect((await client.call("GET", path)).status).toBe(404);
    const tables = await runInDurableObject(sessionStub(client.tenant, id), (_instance, state) =>
      state.storage.sql
        .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
        .toArray(),
    );
    expect(tables).toEqual([]);
  }
});

describe("a session made by a call", () => {
  it("states its agent, its project and the session it continues", async () => {
    const earlier = freshId("session");
    expect((await create({ agent_id: "a1", project_id: "p1", continues: earlier })).status).toBe(201);
    expect(await triple("jido:continuesSession")).toEqual([`jido:session_${earlier}`]);
    expect(await triple("jido:hasPrimaryAgent")).toEqual(["jido:agent_a1"]);
    expect(await triple("jido:partOfProject")).toEqual(["jido:project_p1"]);
    expect((await client.call("GET", path)).body.continues).toBe(earlier);
  });

  it("belongs to whom the session that it continues belonged to, as far as it does not say", async () => {
    const earlier = freshId("session");
    const owner = { user_id: "ann", agent_id: "a1", project_id: "p1" };
    expect((await create({ id: earlier, ...owner, reach: "agent" })).status).toBe(201);
    expect((await create({ continues: earlier, project_id: "p2" })).body).toMatchObject({
      ...{ ...owner, project_id: "p2" },
      reach: "user",
    });
    expect(await triple("jido:partOfProject")).toEqual(["jido:project_p2"]);
    const inherits = async (body: object) =>
      (await create({ id: freshId("session"), continues: earlier, ...body })).body;
    expect(await inherits({})).toMatchObject({ ...owner, continues: earlier });
    // Another person's session takes nothing over.
    expect(await inherits({ user_id: "ben" })).toMatchObject({
      ...{ user_id: "ben", agent_id: null, project_id: null },
    });
    expect(await inherits({ continues: freshId("unknown") })).toMatchObject({
      ...{ user_id: null, agent_id: null, project_id: null, reach: "session" },
    });
  });

  it("is refused when its id is taken, and stays as it was", async () => {
    await create({ metadata: { color: "red" } });
    expect(await create({ metadata: { color: "blue" } })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
    expect((await client.call("GET", path)).body.metadata).toEqual({ color: "red" });
  });

  it("counts what it holds, and of its memories the live ones", async () => {
    await create();
    await client.call("POST", `${path}/messages`, {
      messages: [
        { role: "user", content: "one", token_count: 7 },
        { role: "user", content: "two", token_count: 5 },
      ],
    });
    await client.call("PUT", `${path}/context/framework`, { value: "Hono" });
    await offer(client, id, "A hunch", { importance_score: 0.1 });
    const { body } = await client.call("POST", `${path}/remember`, { content: "The sky is up" });
    await client.call("POST", `${path}/remember`, { content: "The sea is down" });
    const counts = async () => (await client.call("GET", path)).body.counts;
    expect(await counts()).toEqual({ messages: 2, tokens: 12, context: 1, pending: 1, memories: 2 });
    await client.call("POST", `${path}/forget`, { memory_id: body.memory_id });
    expect((await counts()).memories).toBe(1);
  });
});

describe("a pause", () => {
  beforeEach(async () => {
    await create();
    await offer(client, id, "Worth it", { importance_score: 0.6 });
    await offer(client, id, "Almost worth it", { importance_score: 0.59 });
  });

  it("promotes by the session's threshold, says how many, and is stated", async () => {
    const { status, body } = await client.call("POST", `${path}/pause`);
    expect([status, body.promoted, body.status, body.ended_at]).toEqual([200, 1, "paused", null]);
    expect(body.counts).toMatchObject({ pending: 1, memories: 1 });
    expect(await triple("jido:hasStatus")).toEqual(["jido:Paused"]);
    expect(await triple("jido:endedAt")).toEqual([]);
    expect(await listed("?status=paused")).toMatchObject([{ id }]);
    expect((await client.call("POST", `${path}/pause`)).body.promoted).toBe(0);
  });

  it("takes reads and writes, and ends with a resume", async () => {
    await client.call("POST", `${path}/pause`);
    for (const [method, of, body] of WRITES)
      expect((await client.call(method, path + of, body)).status).toBeLessThan(300);
    expect((await client.call("GET", path)).body.status).toBe("paused");
    expect((await client.call("POST", `${path}/resume`)).body.status).toBe("active");
    expect(await triple("jido:hasStatus")).toEqual(["jido:Active"]);
  });

  it("promotes everything that deserves it, however many runs that takes", async () => {
    await client.call("PATCH", path, { promotion: { max_per_run: 2 } });
    for (let i = 0; i < 5; i += 1) await offer(client, id, `Thing ${i}`);
    expect((await client.call("POST", `${path}/pause`)).body.promoted).toBe(6);
    expect(await memoriesOf(client.tenant)).toHaveLength(6);
  });
});

describe("a close", () => {
  beforeEach(async () => {
    await create();
    await offer(client, id, "Worth it at the end", { importance_score: 0.4 });
    await offer(client, id, "Never worth it", { importance_score: 0.39 });
  });

  it("promotes by the lower threshold, says how many, and is stated with its end", async () => {
    const { status, body } = await client.call("POST", `${path}/close`);
    expect([status, body.promoted, body.status]).toEqual([200, 1, "closed"]);
    expect(body.counts).toMatchObject({ pending: 1, memories: 1 });
    expect(await triple("jido:hasStatus")).toEqual(["jido:Closed"]);
    expect(await triple("jido:endedAt")).toEqual([body.ended_at]);
    expect(await triple("jido:startedAt")).toEqual([body.created_at]);
    expect(await listed("?status=closed")).toMatchObject([{ id, ended_at: body.ended_at }]);
  });

  it("a second time answers the same session and promotes nothing", async () => {
    const first = await client.call("POST", `${path}/close`);
    const second = await client.call("POST", `${path}/close`);
    expect(second).toMatchObject({ status: 200, body: { ...first.body, promoted: 0 } });
    expect(await triple("jido:endedAt")).toEqual([first.body.ended_at]);
  });

  it("refuses every write and every way back, and changes nothing by it", async () => {
    await client.call("POST", `${path}/close`);
    const before = (await client.call("GET", path)).body;
    const refused: readonly Sent[] = [
      ...WRITES,
      ["DELETE", "/context/framework"],
      ["PATCH", "", { metadata: { color: "red" } }],
      ["POST", "/pause"],
      ["POST", "/resume"],
    ];
    for (const [method, of, body] of refused)
      expect((await client.call(method, path + of, body)).status, `${method} ${of}`).toBe(409);
    expect((await client.call("GET", path)).body).toEqual(before);
  });

  it("leaves everything readable, and its memories to forget", async () => {
    await client.call("POST", `${path}/close`);
    for (const [method, of, body] of [
      ["GET", "/messages"],
      ["GET", "/context"],
      ["GET", "/pending"],
      ["POST", "/assemble", {}],
      ["POST", "/recall", { query: "worth" }],
    ] as const)
      expect((await client.call(method, path + of, body)).status).toBe(200);
    const [memory] = await memoriesOf(client.tenant);
    const { status } = await client.call("POST", `${path}/forget`, { memory_id: memory?.id });
    expect(status).toBe(200);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ live: 0 }]);
  });
});

describe("a write of a bound caller", () => {
  const binding = { agent_id: "ada" };
  const access = { owner: { ...NO_OWNER, agent_id: "ada" }, scope: null, binding };

  it("does not reach a session that another owner has created in the meantime", async () => {
    await create({ agent_id: "ben" });
    const ref = { tenant: client.tenant, id };
    const messages = [{ role: "user" as const, content: "Hello" }];
    const added = await sessionStub(client.tenant, id).addMessages(ref, messages, null, access);
    expect(added).toMatchObject({ ok: false, failure: { code: "not_found" } });
    expect((await client.call("GET", `${path}/messages`)).body.data).toEqual([]);
  });
});
