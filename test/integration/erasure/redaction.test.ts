// How far the redaction of an erased memory reaches: all renderings of it in tool results, nothing that others wrote, and
// no tenant waits for another.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openDatabase } from "../../../src/kernel/databases/d1";
import { redactQuotationsOfAll } from "../../../src/memories/redact-quotations";
import { createRedactionQueue } from "../../../src/memories/store/quotation-repository";
import type { SessionRpc } from "../../../src/sessions/session-rpc";
import { ADMIN_KEY, type Client, callWith, freshId, newClient } from "../support";
import { readObject, send } from "./support";

/** Executes a tool call in a session and returns what the tool returned. */
async function execute(client: Client, session_id: string, name: string, input: object) {
  const call = { type: "tool_use", id: freshId("call"), name, input };
  const { content, is_error } = await send(client, "POST", "/v1/tools/execute", { session_id, call });
  expect(is_error, content).toBe(false);
  return JSON.parse(content);
}

async function openSession(client: Client, owner: object): Promise<string> {
  const id = freshId("session");
  await send(client, "POST", "/v1/sessions", { id, ...owner });
  return id;
}

it("changes nothing in another owner's session but the tool results that render the memory", async () => {
  const client = await newClient();
  const { body: issued } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
    ...{ tenant: client.tenant, scopes: ["read", "write"], bind: { user_id: "mallory" } },
  });
  const text = "approved by the board";
  const { body: stored } = await callWith(issued.key, "POST", "/v1/remember", {
    ...{ content: text, project_id: "shared" },
  });
  const session = await openSession(client, { user_id: "victor", project_id: "shared", reach: "project" });
  const path = `/v1/sessions/${session}`;
  const mine = "Victor keeps bees on the roof";
  await send(client, "POST", "/v1/remember", { project_id: "shared", content: mine });
  const found = await execute(client, session, "recall", {
    query: "approved by the board; bees on the roof",
  });
  expect(JSON.stringify(found)).toContain(stored.memory_id);
  expect(JSON.stringify(found)).toContain(mine);
  await send(client, "PUT", `${path}/spaces/notes`, { data: { budget: `2 million, ${text} in May` } });
  await send(client, "POST", `${path}/pending`, {
    content: text,
    memory_type: "fact",
    importance_score: 0.1,
  });
  await send(client, "PUT", `${path}/context/state`, { value: text, memory_type: "fact" });
  const entries = [
    { kind: "tool_result", payload: { tool: "minutes", text: `The plan was ${text}` } },
    { kind: "note", payload: `It was ${text}, see ${stored.memory_id}` },
  ];
  await send(client, "POST", `${path}/thread`, { entries });
  const readOwn = async () => {
    const [notes, pending, context] = await Promise.all(
      ["spaces/notes", "pending", "context"].map((part) => client.call("GET", `${path}/${part}`)),
    );
    const values = context?.body.data.map(({ value }: { value: string }) => value);
    return { notes: notes?.body, pending: pending?.body, values };
  };
  const before = await readOwn();

  expect((await callWith(issued.key, "DELETE", `/v1/memories/${stored.memory_id}`)).status).toBe(200);

  expect(await readOwn()).toEqual(before);
  const { data } = (await client.call("GET", `${path}/thread`)).body;
  const payloads = data.map(({ payload }: { payload: unknown }) => payload);
  expect(payloads.slice(-2)).toEqual(entries.map(({ payload }) => payload));
  const [call, result] = payloads.map((payload: unknown) => JSON.stringify(payload));
  expect(call).toContain(text);
  expect(result).not.toContain(text);
  expect(result).toContain(mine);
});

it("removes every field of learnings and skills, clipped and rendered text, and what was replaced in place", async () => {
  const client = await newClient();
  const author = await openSession(client, { agent_id: "ada", project_id: "shop" });
  const reader = await openSession(client, { agent_id: "bob", project_id: "shop" });
  const lesson = {
    trigger: "Zanzibar checkout failed for guests",
    root_cause: "The zanzibar payment step read the customer id",
    prevention: `Test zanzibar as a guest ${"again and ".repeat(30)}`,
    project_id: "shop",
  };
  await execute(client, author, "learn", { ...lesson, fix: "Use the zanzibar telephone number" });
  const { id } = await execute(client, author, "learn", { ...lesson, fix: "Use the zanzibar *e-mail*" });
  const { memory_id } = await execute(client, author, "save_skill", {
    slug: "deploy-shop",
    project_id: "shop",
    name: "Deploy the checkout to zanzibar",
    description: "How zanzibar gets a checkout for guests",
    prerequisites: ["zanzibar"],
    steps: ["Call zanzibar first", "Push"],
    common_errors: [{ error: "zanzibar is down", fix: "Wait for zanzibar" }],
    exit_criteria: ["zanzibar answers"],
    example_usage: "zanzibar ".repeat(2_500),
  });
  await send(client, "PUT", `/v1/sessions/${reader}/context/goal`, {
    ...{ value: "Repair the failed checkout for guests", memory_type: "fact" },
  });
  await execute(client, reader, "prime", { goal: "Repair the failed checkout for guests" });
  await execute(client, reader, "continuity", {});
  await execute(client, reader, "find_skill", { query: "deploy the checkout for guests" });
  await execute(client, reader, "read_skill", { slug: "deploy-shop" });
  const readAll = async () =>
    (await readObject(client.tenant, author)) + (await readObject(client.tenant, reader));
  expect(await readAll()).toMatch(/zanzibar/i);
  for (const erased of [id, memory_id])
    expect((await client.call("DELETE", `/v1/memories/${erased}`)).status).toBe(200);
  expect(await readAll()).not.toMatch(/zanzibar/i);
});

it.each([
  [
    "a session with its memories",
    async (client: Client) => {
      const id = await openSession(client, { project_id: "shop" });
      await send(client, "POST", `/v1/sessions/${id}/remember`, { content: "The zanzibar office moved" });
      return `/v1/sessions/${id}?memories=true`;
    },
  ],
  [
    "a namespace",
    async (client: Client) => {
      const entry = { namespace: "shared:team", content: "The zanzibar office moved", agent_id: "ada" };
      await send(client, "POST", "/v1/entries", entry);
      return `/v1/namespaces/${encodeURIComponent("shared:team")}`;
    },
  ],
  [
    "a memory of a mem0 client",
    async (client: Client) => {
      const messages = [{ role: "user", content: "The zanzibar office moved" }];
      await send(client, "POST", "/mem0/v3/memories/add", { messages, user_id: "alex", infer: false });
      return "/mem0/v1/memories?user_id=alex";
    },
  ],
])("the erasure of %s returns when the sessions that quote it are redacted", async (_, store) => {
  const client = await newClient();
  const path = await store(client);
  const { meta } = await env.DB.prepare(
    "INSERT INTO quotations SELECT tenant, id, 'reader' FROM memories WHERE tenant = ?",
  )
    .bind(client.tenant)
    .run();
  expect(meta.changes).toBeGreaterThan(0);
  expect((await client.call("DELETE", path)).status).toBe(200);
  for (const table of ["quotations", "redactions"]) {
    const left = env.DB.prepare(`SELECT * FROM ${table} WHERE tenant = ?`).bind(client.tenant);
    expect((await left.all()).results).toEqual([]);
  }
});

it("postpones what fails, so that neither the tenant nor others wait for it", async () => {
  const [broken, other] = [freshId("a"), freshId("b")];
  const insert = env.DB.prepare(
    "INSERT INTO redactions (tenant, session_id, memory_id, own, text) VALUES (?, ?, 'm', 1, 'Some text')",
  );
  await env.DB.batch([
    ...Array.from({ length: 120 }, () => insert.bind(broken, "stuck")),
    ...[insert.bind(broken, "sound"), insert.bind(other, "sound")],
  ]);
  const redacted: string[] = [];
  const open = (tenant: string, id: string) =>
    ({
      redact: async () => {
        if (id === "stuck") throw new Error("The object does not start");
        redacted.push(tenant);
        return { ok: true, value: null };
      },
    }) as unknown as SessionRpc;
  const now = Date.now();
  const db = openDatabase(env.DB);
  await redactQuotationsOfAll(db, (tenant) => createRedactionQueue(db, tenant), open, now);
  expect(redacted).toEqual([other, broken]);
  const countQueued = async () => {
    const { results } = await env.DB.prepare(
      "SELECT attempts, due_at - ? AS delay, count(*) AS n FROM redactions WHERE tenant IN (?, ?) GROUP BY 1, 2",
    )
      .bind(now, broken, other)
      .all();
    return results;
  };
  expect(await countQueued()).toEqual([{ attempts: 1, delay: 60_000, n: 120 }]);
  await redactQuotationsOfAll(db, (tenant) => createRedactionQueue(db, tenant), open, now + 59_999);
  expect(await countQueued()).toEqual([{ attempts: 1, delay: 60_000, n: 120 }]);
  await redactQuotationsOfAll(db, (tenant) => createRedactionQueue(db, tenant), open, now + 60_000);
  expect(await countQueued()).toEqual([{ attempts: 2, delay: 180_000, n: 120 }]);
});
