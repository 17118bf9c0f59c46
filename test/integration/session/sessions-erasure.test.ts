// DELETE of a session: the receipt counts what really left, and nothing of it is found anywhere afterwards.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { alarmOf, memoriesOf, objectsOf, offer } from "../../faults/support";
import { type Client, freshId, newClient, sessionStub, untilIndexed } from "../support";

const SECRET = "the vault code is 4711";

let client: Client;
let id: string;
let path: string;

beforeEach(async () => {
  client = await newClient();
  id = freshId("session");
  path = `/v1/sessions/${id}`;
});

/** A session with something of everything, some of it out of the window, superseded or forgotten. */
async function fill(): Promise<void> {
  const token_budget = { total: 1_000, conversation: 100, context: 900 };
  await client.call("POST", "/v1/sessions", { id, token_budget, metadata: { note: SECRET } });
  await client.call("POST", `${path}/messages`, {
    messages: [1, 2, 3, 4, 5].map((n) => ({ role: "user", content: `${SECRET}, ${n}`, token_count: 40 })),
  });
  await client.call("PUT", `${path}/context/framework`, { value: SECRET, source: "tool" });
  await client.call("PUT", `${path}/context/user_intent`, { value: SECRET });
  await offer(client, id, `A hunch: ${SECRET}`, { importance_score: 0.1 });
  const remember = (content: string, more: object = {}) =>
    client.call("POST", `${path}/remember`, { content, ...more });
  await remember(`First ${SECRET}`, { key: "code", evidence: ["doc:1", "doc:2"], rationale: SECRET });
  await remember(`Second ${SECRET}`, { key: "code" });
  const { body } = await remember(`Third ${SECRET}`);
  await client.call("POST", `${path}/forget`, { memory_id: body.memory_id, reason: SECRET });
}

async function count(
  table: "triples" | "memories" | "messages" | "sessions",
  where = "true",
): Promise<number> {
  const row = await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE tenant = ? AND ${where}`)
    .bind(client.tenant)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

describe("erasing a session with its memories", () => {
  it("gives a receipt of what was there, in the session and in D1", async () => {
    await fill();
    const inWindow = (await client.call("GET", path)).body.counts.messages;
    expect(inWindow).toBeLessThan(5);
    const ofSession = await env.DB.prepare(
      "SELECT count(*) AS n FROM triples WHERE tenant = ? AND subject LIKE 'jido:session%'",
    )
      .bind(client.tenant)
      .first<{ n: number }>();
    const ofMemories = (await count("triples")) - (ofSession?.n ?? 0);
    await untilIndexed(client.tenant);
    const { status, body } = await client.call("DELETE", `${path}?memories=true`);
    expect(status).toBe(200);
    expect(body.deleted).toMatchObject({ messages: 5, context: 2, pending: 1, memories: 3, vectors: 8 });
    expect(await count("triples")).toBe(0);
    expect(body.deleted.triples).toBe(ofMemories);
  });

  it("leaves no row in D1 and no trace in the text index", async () => {
    await fill();
    await untilIndexed(client.tenant);
    const indexed = async (table: "memories_fts" | "messages_fts") =>
      (await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n ?? 0;
    const before = [await indexed("memories_fts"), await indexed("messages_fts")] as const;
    await client.call("DELETE", `${path}?memories=true`);
    for (const table of ["triples", "memories", "messages", "sessions"] as const)
      expect(await count(table)).toBe(0);
    expect(before[0] - (await indexed("memories_fts"))).toBe(3);
    expect(before[1] - (await indexed("messages_fts"))).toBe(5);
    for (const mode of ["text", "semantic", "hybrid"]) {
      const asked = { query: "vault", mode, include_superseded: true, sources: ["memories", "messages"] };
      expect((await client.call("POST", "/v1/recall", asked)).body.count).toBe(0);
    }
    expect((await client.call("GET", "/v1/sessions")).body.data).toEqual([]);
  });

  it("leaves no table and no alarm in its object", async () => {
    await fill();
    await offer(client, id, "This would be promoted");
    const stub = sessionStub(client.tenant, id);
    expect(await alarmOf(stub)).not.toBeNull();
    await client.call("DELETE", `${path}?memories=true`);
    const tables = await runInDurableObject(stub, (_instance, state) =>
      state.storage.sql
        .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
        .toArray(),
    );
    expect(tables).toEqual([]);
    expect(await alarmOf(stub)).toBeNull();
  });

  it.each([
    ["assemble", () => ["POST", `${path}/assemble`, { query: "vault" }] as const],
    ["recall", () => ["POST", `${path}/recall`, { query: "vault" }] as const],
    ["create", () => ["POST", "/v1/sessions", { id: `${id}-2`, metadata: { note: SECRET } }] as const],
  ])("leaves nothing in what is kept for the Idempotency-Key of a call of %s", async (_name, call) => {
    await fill();
    const [method, to, body] = call();
    const answer = await client.call(method, to, body, { "Idempotency-Key": freshId("key") });
    expect(JSON.stringify(answer.body)).toContain(SECRET);
    for (const session of [path, `${path}-2`]) await client.call("DELETE", `${session}?memories=true`);
    const kept = await env.DB.prepare(
      "SELECT count(*) AS n FROM operations WHERE tenant = ? AND instr(response, ?)",
    )
      .bind(client.tenant, SECRET)
      .first<{ n: number }>();
    expect(kept?.n).toBe(0);
  });
});

describe("erasing a session alone", () => {
  it("leaves its memories with their triples, and takes its own", async () => {
    await fill();
    const later = freshId("session");
    await client.call("POST", "/v1/sessions", { id: later, continues: id });
    const ofMemories = "subject LIKE 'jido:memory\\_%' ESCAPE '\\'";
    const before = await count("triples", ofMemories);
    const { body } = await client.call("DELETE", path);
    expect(body.deleted).toMatchObject({ messages: 5, context: 2, pending: 1, memories: 0 });
    expect(await memoriesOf(client.tenant)).toHaveLength(3);
    expect(await count("messages")).toBe(0);
    expect(await count("triples", ofMemories)).toBe(before);
    expect(await objectsOf(client.tenant, `jido:session_${id}`, "rdf:type")).toEqual([]);
    expect(await objectsOf(client.tenant, `jido:session_${later}`, "jido:continuesSession")).toEqual([]);
    const { body: found } = await client.call("POST", "/v1/recall", { query: "vault" });
    expect(found.count).toBe(1);
  });

  it("answers 404 the second time, and to every read", async () => {
    await fill();
    expect((await client.call("DELETE", path)).status).toBe(200);
    expect((await client.call("DELETE", path)).status).toBe(404);
    for (const of of ["", "/messages", "/context", "/pending"])
      expect((await client.call("GET", path + of)).status).toBe(404);
  });

  it("leaves the sessions beside it alone", async () => {
    await fill();
    const other = freshId("session");
    await client.call("POST", `/v1/sessions/${other}/remember`, { content: "Something else" });
    await client.call("DELETE", `${path}?memories=true`);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ content: "Something else", live: 1 }]);
    expect((await client.call("GET", `/v1/sessions/${other}`)).body.counts.memories).toBe(1);
  });
});

describe("an id that is used again after an erasure", () => {
  it("starts from nothing", async () => {
    await fill();
    await client.call("DELETE", `${path}?memories=true`);
    expect((await client.call("POST", "/v1/sessions", { id })).status).toBe(201);
    const { body } = await client.call("GET", path);
    expect(body.counts).toEqual({ messages: 0, tokens: 0, context: 0, pending: 0, memories: 0 });
    expect(body.promotion).toMatchObject({ runs: 0, total_promoted: 0, last_run: null, next_run: null });
    expect(body.metadata).toEqual({});
    expect(body.token_budget.total).toBe(32_000);
  });

  it("shows nothing of the erased messages, not even in a summary of messages with the same ids", async () => {
    const converse = (text: string) =>
      client.call("POST", `${path}/messages`, {
        messages: Array.from({ length: 40 }, (_, n) => ({
          id: `m${n}`,
          role: "user",
          content: `Important decision ${n}: ${text}`,
          token_count: 100,
        })),
      });
    const assemble = () =>
      client.call("POST", `${path}/assemble`, { token_budget: 1_000, include: ["conversation"] });
    await converse(SECRET);
    const first = JSON.stringify((await assemble()).body);
    expect(first).toContain("Summary of earlier messages");
    expect(first).toContain("4711");
    await client.call("DELETE", path);
    await converse("the garden is big");
    const second = JSON.stringify((await assemble()).body);
    expect(second).toContain("Summary of earlier messages");
    expect(second).not.toContain("4711");
  });
});
