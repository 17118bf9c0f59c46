// A key that was used just now is not read again: its first access to D1 is compared with the database, so that a change
// made elsewhere holds there at once, and within seconds where no database is reached.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, type Answer, type Client, callWith, freshId, newClient } from "../support";

let client: Client;
let id: string;
let session: string;
let memory: string;

/** What a session alone answers. */
const note = () =>
  client.call("PUT", `/v1/sessions/${session}/context/active_file`, { value: freshId("file") });
const remember = (content: string) =>
  client.call("POST", "/v1/remember", { content, agent_id: "coder", type: "fact" });
const countStored = async (): Promise<unknown> =>
  env.DB.prepare("SELECT count(*) AS n FROM memories WHERE tenant = ?").bind(client.tenant).first("n");

beforeEach(async () => {
  client = await newClient();
  id = (await client.call("GET", "/v1/keys/self")).body.id;
  session = freshId("session");
  await client.call("POST", "/v1/sessions", { id: session });
  memory = (await remember("The vault is empty")).body.memory_id;
  expect(memory).toBeDefined();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Changes the database behind the back of this isolate, as another one would. */
const execute = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

function expectRefused({ status, body }: Answer): void {
  expect([status, body.code, body.detail]).toEqual([
    401,
    "unauthorized",
    "This key is not known. It was deleted, or mistyped.",
  ]);
}

describe("a key that another isolate has deleted", () => {
  const routes: [string, () => Promise<Answer>][] = [
    ["reading a memory", () => client.call("GET", `/v1/memories/${memory}`)],
    ["recalling", () => client.call("POST", "/v1/recall", { query: "vault" })],
    [
      "recalling in a session",
      () => client.call("POST", `/v1/sessions/${session}/recall`, { query: "vault" }),
    ],
    ["remembering", () => remember("The vault is full")],
    ["forgetting", () => client.call("POST", "/v1/forget", { memory_id: memory })],
    [
      "a model's tool call",
      () =>
        client.call("POST", "/v1/tools/execute", {
          call: { type: "tool_use", id: "1", name: "recall", input: { query: "vault" } },
          agent_id: "coder",
        }),
    ],
  ];

  it.each(routes)("is refused at once: %s", async (_name, call) => {
    await execute("DELETE FROM api_keys WHERE id = ?", id);
    expectRefused(await call());
    expectRefused(await note());
    expect(await countStored()).toBe(1);
    const stored = await env.DB.prepare("SELECT live FROM memories WHERE id = ?").bind(memory).first("live");
    expect(stored).toBe(1);
  });

  it("is refused within 10 seconds where only a session answers", async () => {
    await execute("DELETE FROM api_keys WHERE id = ?", id);
    expect((await note()).status).toBe(200);
    const now = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => now + 10_000);
    expectRefused(await note());
  });
});

describe("a key that this isolate has changed", () => {
  it("is refused at once when it is deleted, even where only a session answers", async () => {
    expect((await note()).status).toBe(200);
    await callWith(ADMIN_KEY, "DELETE", `/v1/keys/${id}`);
    expectRefused(await note());
  });

  it("is refused at once when it was rotated without an overlap", async () => {
    expect((await note()).status).toBe(200);
    await callWith(ADMIN_KEY, "POST", `/v1/keys/${id}/rotate`, { overlap_seconds: 0 });
    expect((await note()).status).toBe(401);
  });
});

it("ends when its time has come, remembered or not", async () => {
  const expires_at = new Date(Date.now() + 5_000).toISOString();
  const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant: client.tenant, expires_at });
  const read = () => callWith(body.key, "GET", `/v1/memories/${memory}`);
  expect((await read()).status).toBe(200);
  const now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => now + 5_000);
  expect((await read()).status).toBe(401);
});

it("ends earlier if another isolate has said so", async () => {
  await execute("UPDATE api_keys SET expires_at = ? WHERE id = ?", new Date(0).toISOString(), id);
  const { status, body } = await client.call("GET", `/v1/memories/${memory}`);
  expect([status, body.detail]).toEqual([401, expect.stringContaining("expired")]);
});

describe("a privacy policy that another isolate has tightened", () => {
  const tighten = () =>
    execute(
      "INSERT INTO privacy_policies (tenant, rules, updated_at) VALUES (?, ?, '')",
      client.tenant,
      JSON.stringify({ tenant: { privacy: "standard", personal_data: { email: "refuse" } }, projects: {} }),
    );

  it("holds at once for what is written to D1, and the call is served once", async () => {
    await tighten();
    expect((await remember("Write to mia@example.org")).status).toBe(422);
    expect(await countStored()).toBe(1);
    expect((await remember("The vault is full")).status).toBe(201);
    expect(await countStored()).toBe(2);
  });

  it("does not repeat a call that has changed a session before it reached the database", async () => {
    const path = `/v1/sessions/${session}/remember`;
    await tighten();
    expect((await client.call("POST", path, { content: "The vault is full" })).status).toBe(201);
    expect(await countStored()).toBe(2);
  });
});
