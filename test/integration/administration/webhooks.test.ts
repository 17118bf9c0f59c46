// Webhooks: events in the batch of their change, signed deliveries, retries, dead letters.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WebhookObject } from "../../../durable-objects/webhooks";
import { sweep } from "../../../src/administration/sweep";
import { hmacHex } from "../../../src/kernel/hash";
import { RETRY_DELAYS_MS } from "../../../src/trust/webhooks/deliver-events";
import { breakBatches, COMMIT, mendD1 } from "../../faults/support";
import { ADMIN_KEY, type Client, callWith, freshId, newClient } from "../support";

type Sent = { url: string; headers: Headers; body: string; redirect: string | undefined };

let sent: Sent[];
let respond: () => Promise<Response>;
const url = "https://hooks.example.com/kioku";

beforeEach(() => {
  sent = [];
  respond = async () => new Response(null, { status: 204 });
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (!String(input).startsWith("https://hooks.example.com")) return real(input, init);
    const { redirect } = init ?? {};
    sent.push({
      url: String(input),
      headers: new Headers(init?.headers),
      body: String(init?.body),
      redirect,
    });
    return respond();
  });
});
afterEach(() => {
  mendD1();
  vi.restoreAllMocks();
});

function delivererOf({ tenant }: Client): DurableObjectStub<WebhookObject> {
  return env.WEBHOOKS.getByName(tenant) as unknown as DurableObjectStub<WebhookObject>;
}

/** Moves the deliverer's clock on and runs its alarm. */
async function runDeliverer(client: Client, later = 0): Promise<void> {
  const at = Date.now() + later;
  await runInDurableObject(delivererOf(client), (instance) => {
    instance.now = () => at;
  });
  await runDurableObjectAlarm(delivererOf(client));
}

async function hook(client: Client, events: string[], more = {}) {
  const { status, body } = await client.call("POST", "/v1/webhooks", { url, events, ...more });
  expect(status).toBe(201);
  return body;
}

const remember = async (client: Client, content: string, more = {}) =>
  (await client.call("POST", "/v1/remember", { content, project_id: "shop", ...more })).body.memory_id;
const eventsOf = () => sent.map(({ body }) => JSON.parse(body));
const untilSent = (count: number) => vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(count));
const deliveriesOf = async (client: Client, id: string, query = "") =>
  (await client.call("GET", `/v1/webhooks/${id}/deliveries${query}`)).body.data;

describe("a webhook", () => {
  it("gets the events that it asked for, signed, with ids and without content", async () => {
    const client = await newClient();
    const all = [
      "memory.created",
      "memory.superseded",
      "memory.forgotten",
      "memory.erased",
      "episode.created",
    ];
    const { secret, id } = await hook(client, all);
    const first = await remember(client, "The launch is in May", { key: "launch", user_id: "mia" });
    const second = await remember(client, "The launch is in June", { key: "launch", user_id: "mia" });
    await client.call("POST", "/v1/forget", { memory_id: second });
    await client.call("DELETE", `/v1/memories/${second}`);
    await client.call("POST", "/v1/episodes", {
      context: { goal: "Fix it" },
      outcome: "success",
      project_id: "shop",
    });
    await untilSent(6);
    const events = eventsOf();
    expect(events.map(({ type, subject }) => [type, subject]).toSorted()).toEqual(
      [
        ["memory.created", `memories/${first}`],
        ["memory.created", `memories/${second}`],
        ["memory.superseded", `memories/${first}`],
        ["memory.forgotten", `memories/${second}`],
        ["memory.erased", `memories/${second}`],
        ["episode.created", expect.stringMatching(/^episodes\//)],
      ].toSorted(),
    );
    const superseded = events.find(({ type }) => type === "memory.superseded");
    expect(superseded).toMatchObject({
      specversion: "1.0",
      source: `/tenants/${client.tenant}`,
      data: {
        memory_id: first,
        memory_type: "fact",
        user_id: "mia",
        project_id: "shop",
        superseded_by: second,
      },
    });
    expect(new Set(events.map((event) => event.id)).size).toBe(6);
    expect(JSON.stringify(sent)).not.toMatch(/launch is|Fix it/);
    for (const { headers, body, redirect } of sent) {
      const [, t = "", v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers.get("Kioku-Signature") ?? "") ?? [];
      expect(v1).toBe(await hmacHex(secret, `${t}.${body}`));
      expect([headers.get("Content-Type"), redirect]).toEqual(["application/cloudevents+json", "manual"]);
    }
    await vi.waitFor(async () =>
      expect((await deliveriesOf(client, id)).map(({ status }: { status: string }) => status)).toEqual(
        Array(6).fill("delivered"),
      ),
    );
  });

  it("hears of promotions and consolidations", async () => {
    const client = await newClient();
    await hook(client, ["memory.promoted", "consolidation.completed"]);
    const path = `/v1/sessions/${freshId("session")}`;
    await client.call("POST", `${path}/pending`, {
      content: "The invoices are in Lisbon",
      memory_type: "fact",
      suggested_by: "agent",
    });
    await client.call("POST", `${path}/promote`);
    await client.call("POST", "/v1/consolidate", { project_id: "shop" });
    await untilSent(2);
    expect(
      eventsOf()
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(["consolidation.completed", "memory.promoted"]);
  });

  it("hears nothing of a change that failed, and once of one that was repeated", async () => {
    const client = await newClient();
    const { id } = await hook(client, ["memory.created"]);
    const body = { content: "The vault is empty", project_id: "shop" };
    const header = { "Idempotency-Key": freshId("key") };
    breakBatches({ moment: "before", matching: COMMIT });
    expect((await client.call("POST", "/v1/remember", body, header)).status).toBe(503);
    mendD1();
    expect(await deliveriesOf(client, id)).toEqual([]);
    breakBatches({ moment: "after", matching: COMMIT, times: 1 });
    await client.call("POST", "/v1/remember", body, header);
    mendD1();
    await client.call("POST", "/v1/remember", body, header);
    expect(await deliveriesOf(client, id)).toHaveLength(1);
  });

  it("is sent to again with back-off under the same id, then listed as dead, and retried on demand", async () => {
    const client = await newClient();
    const { id } = await hook(client, ["memory.created"]);
    respond = async () => new Response("no", { status: 302, headers: { Location: "https://10.0.0.1/" } });
    await remember(client, "The sea is deep");
    await untilSent(1);
    let later = 0;
    for (const delay of RETRY_DELAYS_MS) {
      await vi.waitFor(async () =>
        expect((await deliveriesOf(client, id))[0].next_attempt_at).not.toBeNull(),
      );
      later += delay + 1_000;
      await runDeliverer(client, later);
    }
    expect(sent).toHaveLength(1 + RETRY_DELAYS_MS.length);
    expect(new Set(eventsOf().map((event) => event.id)).size).toBe(1);
    const [dead] = await deliveriesOf(client, id, "?status=dead");
    expect(dead).toMatchObject({
      status: "dead",
      attempts: sent.length,
      response_status: 302,
      error: expect.stringContaining("302"),
    });
    respond = async () => new Response(null, { status: 200 });
    const retry = `/v1/webhooks/${id}/deliveries/${dead.id}/retry`;
    expect((await client.call("POST", retry)).status).toBe(202);
    await runDeliverer(client, later + 1_000);
    await vi.waitFor(async () => expect(await deliveriesOf(client, id, "?status=delivered")).toHaveLength(1));
    expect((await client.call("POST", retry)).status).toBe(409);
    expect((await client.call("GET", `/v1/webhooks/${id}`)).body.failing_since).toBeNull();
  });

  it("is woken by the cron if the first call was lost", async () => {
    const client = await newClient();
    await hook(client, ["memory.created"]);
    await env.DB.prepare("UPDATE webhooks SET events = ? WHERE tenant = ?").bind("[]", client.tenant).run();
    await env.DB.prepare(
      `INSERT INTO webhook_deliveries (tenant, webhook_id, id, type, subject, data, time, status, attempts, due_at)
        SELECT tenant, id, 'evt_1', 'memory.created', 'memories/x', '{}', '2026-01-01T00:00:00.000Z', 'pending', 0, 0
        FROM webhooks WHERE tenant = ?`,
    )
      .bind(client.tenant)
      .run();
    await sweep(env, Date.now());
    await untilSent(1);
  });

  it("is the tenant's alone, shows its secret once, and stops when it is deleted", async () => {
    const client = await newClient();
    const header = { "Idempotency-Key": freshId("key") };
    const body = { url, events: ["memory.created"] };
    const made = (await client.call("POST", "/v1/webhooks", body, header)).body;
    expect((await client.call("POST", "/v1/webhooks", body, header)).body).toEqual(made);
    expect((await client.call("GET", "/v1/webhooks")).body.data).toHaveLength(1);
    const path = `/v1/webhooks/${made.id}`;
    expect(JSON.stringify((await client.call("GET", path)).body)).not.toContain(made.secret);
    const stranger = await newClient();
    for (const method of ["GET", "DELETE"]) expect((await stranger.call(method, path)).status).toBe(404);
    const bound = { tenant: client.tenant, bind: { user_id: "mia" } };
    const { key } = (await callWith(ADMIN_KEY, "POST", "/v1/keys", bound)).body;
    expect((await callWith(key, "GET", "/v1/webhooks")).status).toBe(404);
    expect((await client.call("DELETE", path)).status).toBe(204);
    await remember(client, "The sea is deep");
    expect((await client.call("GET", `${path}/deliveries`)).status).toBe(404);
    expect(sent).toEqual([]);
  });

  it("is refused with a private address, an unknown event, a weak secret, or one too many", async () => {
    const client = await newClient();
    const refuse = async (body: object) =>
      (await client.call("POST", "/v1/webhooks", body)).body.errors?.[0].path;
    const events = ["memory.created"];
    expect(await refuse({ url: "https://169.254.169.254/", events })).toBe("url");
    expect(await refuse({ url: "http://example.com/", events })).toBe("url");
    expect(await refuse({ url, events: ["memory.read"] })).toMatch(/^events/);
    expect(await refuse({ url, events: [] })).toBe("events");
    expect(await refuse({ url, events, secret: "short" })).toBe("secret");
    for (let count = 0; count < 10; count += 1) await hook(client, events);
    expect((await client.call("POST", "/v1/webhooks", { url, events })).status).toBe(429);
  });
});

describe("a tenant without webhooks", () => {
  it("writes no row and wakes nobody for events", async () => {
    const client = await newClient();
    await remember(client, "The sea is deep");
    const { results } = await env.DB.prepare("SELECT 1 FROM webhook_deliveries WHERE tenant = ?")
      .bind(client.tenant)
      .all();
    expect(results).toEqual([]);
    const alarm = await runInDurableObject(delivererOf(client), (_instance, state) =>
      state.storage.getAlarm(),
    );
    expect(alarm).toBeNull();
  });
});

it("shows its secret to no other key under the Idempotency-Key of the one that made it", async () => {
  const client = await newClient();
  const other = await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant: client.tenant });
  const header = { "Idempotency-Key": freshId("key") };
  const body = { url, events: ["memory.created"] };
  const first = await client.call("POST", "/v1/webhooks", body, header);
  expect((await client.call("POST", "/v1/webhooks", body, header)).body).toEqual(first.body);
  const replayed = await callWith(other.body.key, "POST", "/v1/webhooks", body, header);
  expect(replayed.body.secret).not.toBe(first.body.secret);
  expect(replayed.body.id).not.toBe(first.body.id);
});
