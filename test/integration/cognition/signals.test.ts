// Directives and signals in their session: carried out in order, each answered once, live over sockets that outlive
// the object's sleep, and kept within bounds.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MAX_DIRECTIVE_ATTEMPTS } from "../../../src/cognition/runtime/directive-runner";
import { COGNITION } from "../../../src/kernel/limits";
import {
  alarmOf,
  breakBatches,
  failuresOfD1,
  kill,
  mendD1,
  newSession,
  offer,
  outboxOf,
  runAlarm,
  setClock,
  stickBatches,
  type TestSession,
  untilProjected,
} from "../../faults/support";
import { ADMIN_KEY, type Client, callWith, freshId, newClient, sessionStub } from "../support";

afterEach(mendD1);

type Signal = { seq: number; type: string; data: { request_id: string; status: string; result: unknown } };

const ITEMS = /INTO items/;

function upsert(client: Client, path: string, request_id: string, provider = "inline") {
  return client.call("POST", `${path}/directives`, {
    type: "upsert",
    provider,
    request_id,
    items: [{ key: request_id, value: `value of ${request_id}` }],
  });
}

async function signalsOf({ client, path }: Pick<TestSession, "client" | "path">): Promise<Signal[]> {
  return (await client.call("GET", `${path}/signals?limit=100`)).body.data;
}

/** What a live connection has brought so far, as sequence numbers. */
type Live = { seqs: number[]; closed: { code: number } | null; close(): void };

async function connect(key: string, path: string, after: number): Promise<Live> {
  const response = await exports.default.fetch(`https://kioku.test${path}/signals?after=${after}`, {
    headers: { Authorization: `Bearer ${key}`, Upgrade: "websocket" },
  });
  expect(response.status).toBe(101);
  const socket = response.webSocket;
  if (socket === null) throw new Error("no WebSocket");
  const live: Live = { seqs: [], closed: null, close: () => socket.close() };
  socket.addEventListener("message", ({ data }) => {
    live.seqs.push(JSON.parse(String(data)).seq);
  });
  socket.addEventListener("close", ({ code }) => {
    live.closed = { code };
  });
  socket.accept();
  return live;
}

describe("a live connection", () => {
  it("goes on after the object has slept, from where it was", async () => {
    const client = await newClient();
    const id = freshId("session");
    const path = `/v1/sessions/${id}`;
    await upsert(client, path, "a");
    await vi.waitFor(async () => expect(await signalsOf({ client, path })).toHaveLength(1));
    const live = await connect(client.key, path, 0);
    await vi.waitFor(() => expect(live.seqs).toEqual([1]));
    await evictDurableObject(sessionStub(client.tenant, id), { webSockets: "hibernate" });
    await upsert(client, path, "b");
    await vi.waitFor(() => expect(live.seqs).toEqual([1, 2]));
    live.close();
  });

  it("ends when its key is deleted, before anything more is sent", async () => {
    const client = await newClient();
    const { body: other } = await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant: client.tenant });
    const path = `/v1/sessions/${freshId("session")}`;
    await upsert(client, path, "a");
    const [kept, ended] = [await connect(client.key, path, 0), await connect(other.key, path, 0)];
    await vi.waitFor(() => expect([kept.seqs, ended.seqs]).toEqual([[1], [1]]));
    await callWith(ADMIN_KEY, "DELETE", `/v1/keys/${other.id}`);
    await upsert(client, path, "b");
    await vi.waitFor(() => expect(ended.closed).toEqual({ code: 4401 }));
    await vi.waitFor(() => expect(kept.seqs).toEqual([1, 2]));
    expect(ended.seqs).toEqual([1]);
    kept.close();
  });

  it("brings promotions, whoever asked for them", async () => {
    const session = await newSession();
    const live = await connect(session.client.key, session.path, 0);
    await offer(session.client, session.id, "The office is in Kyoto");
    await session.client.call("POST", `${session.path}/promote`, {});
    await vi.waitFor(() => expect(live.seqs).toEqual([1]));
    live.close();
  });

  it("ends when the session is erased", async () => {
    const client = await newClient();
    const path = `/v1/sessions/${freshId("session")}`;
    await upsert(client, path, "a");
    const live = await connect(client.key, path, 0);
    await client.call("DELETE", path);
    await vi.waitFor(() => expect(live.closed).toEqual({ code: 4404 }));
  });

  it("of a session that is not there is a 404", async () => {
    const client = await newClient();
    for (const headers of [{ Upgrade: "websocket" }, { Accept: "text/event-stream" }]) {
      const { status, body } = await client.call("GET", "/v1/sessions/nobody/signals", undefined, headers);
      expect({ status, code: body.code }).toEqual({ status: 404, code: "not_found" });
    }
  });
});

describe("directives", () => {
  it("are carried out in order, however many come at once", async () => {
    const session = await newSession();
    const names = Array.from({ length: 30 }, (_, i) => `r${i}`);
    for (const name of names) {
      const { status, body } = await upsert(
        session.client,
        session.path,
        name,
        name < "r2" ? "d1" : "inline",
      );
      expect({ status, body }).toEqual({ status: 202, body: { request_id: name } });
    }
    await vi.waitFor(async () => expect(await signalsOf(session)).toHaveLength(names.length));
    const signals = await signalsOf(session);
    expect(signals.map(({ seq }) => seq)).toEqual(names.map((_, i) => i + 1));
    expect(signals.map(({ data }) => data.request_id)).toEqual(names);
    const { body: thread } = await session.client.call("GET", `${session.path}/thread?kind=signal&limit=100`);
    expect(thread.data.map(({ payload }: { payload: Signal }) => payload)).toEqual(signals);
    await untilProjected(session.stub);
    expect(await alarmOf(session.stub)).toBeNull();
  });

  it("wait for a provider that fails, in its order, and hold up no other provider", async () => {
    const session = await newSession();
    breakBatches({ moment: "before", matching: ITEMS });
    await upsert(session.client, session.path, "first", "d1");
    await upsert(session.client, session.path, "second", "d1");
    await upsert(session.client, session.path, "third", "inline");
    await vi.waitFor(async () =>
      expect((await signalsOf(session)).map(({ data }) => data.request_id)).toEqual(["third"]),
    );
    expect(failuresOfD1()).toBe(1);
    mendD1();
    await runAlarm(session.stub);
    await vi.waitFor(async () =>
      expect((await signalsOf(session)).map(({ data }) => data.request_id)).toEqual([
        "third",
        "first",
        "second",
      ]),
    );
    await untilProjected(session.stub);
    expect(await alarmOf(session.stub)).toBeNull();
  });

  it("are answered by an error when the provider does not come back", async () => {
    const session = await newSession();
    breakBatches({ moment: "before", matching: ITEMS });
    await upsert(session.client, session.path, "r", "d1");
    await vi.waitFor(() => expect(failuresOfD1()).toBe(1));
    for (let tried = 1; tried < MAX_DIRECTIVE_ATTEMPTS; tried += 1) {
      expect(await signalsOf(session)).toEqual([]);
      await runAlarm(session.stub);
    }
    expect(await signalsOf(session)).toMatchObject([
      { data: { request_id: "r", status: "error", result: null, error: { code: "unavailable" } } },
    ]);
    await untilProjected(session.stub);
    expect(await alarmOf(session.stub)).toBeNull();
  });

  it("that were accepted are carried out after the object was killed in the middle, and answered once", async () => {
    const session = await newSession();
    stickBatches(ITEMS);
    await upsert(session.client, session.path, "r", "d1");
    await vi.waitFor(() => expect(failuresOfD1()).toBe(1));
    await kill(session.stub);
    mendD1();
    const stub = sessionStub(session.client.tenant, session.id);
    await setClock(stub, session.now);
    expect(await signalsOf(session)).toEqual([]);
    await runAlarm(stub);
    expect(await signalsOf(session)).toMatchObject([{ seq: 1, data: { request_id: "r", status: "ok" } }]);
    // The same request again is known, and not carried out a second time.
    expect((await upsert(session.client, session.path, "r", "d1")).status).toBe(202);
    expect(await signalsOf(session)).toHaveLength(1);
    expect(await outboxOf(stub)).toBe(0);
  });

  it("of a session that is erased meanwhile leave nothing behind", async () => {
    const session = await newSession();
    await upsert(session.client, session.path, "r", "d1");
    const erasing = session.client.call("DELETE", session.path);
    expect((await erasing).status).toBe(200);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM items WHERE tenant = ?")
      .bind(session.client.tenant)
      .first<number>("n");
    expect(left).toBe(0);
  });

  it("are refused when too many wait", async () => {
    const session = await newSession();
    stickBatches(ITEMS);
    await upsert(session.client, session.path, "stuck", "d1");
    await runInDurableObject(session.stub, (_instance, { storage: { sql } }) => {
      sql.exec(
        `INSERT INTO directives (request_id, digest, provider, work) SELECT 'w' || value, '', 'd1', '{}'
         FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?) SELECT value FROM n)`,
        COGNITION.queuedDirectives - 1,
      );
    });
    const { status, body } = await upsert(session.client, session.path, "one too many", "d1");
    expect({ status, code: body.code }).toMatchObject({ status: 400 });
    const refused = await upsert(session.client, session.path, "one-too-many", "d1");
    expect({ status: refused.status, code: refused.body.code }).toEqual({
      status: 429,
      code: "limit_exceeded",
    });
    await kill(session.stub);
  });
});

describe("the signals that are kept", () => {
  it("are the newest; whoever comes too late is told, and finds the others in the thread", async () => {
    const session = await newSession();
    await upsert(session.client, session.path, "a");
    await vi.waitFor(async () => expect(await signalsOf(session)).toHaveLength(1));
    await runInDurableObject(session.stub, (_instance, { storage: { sql } }) => {
      sql.exec(
        `INSERT INTO signals (event, bytes) SELECT json_object('seq', value + 1), 20
         FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?) SELECT value FROM n)`,
        COGNITION.storedSignals,
      );
    });
    await upsert(session.client, session.path, "b");
    await vi.waitFor(async () => {
      const { body } = await session.client.call("GET", `${session.path}/signals?limit=100`);
      expect(body.data.at(0).seq).toBe(3);
    });
    for (const [query, headers] of [
      ["after=0", {}],
      ["after=1", {}],
      ["after=2", { Accept: "text/event-stream", "Last-Event-ID": "1" }],
    ] as const) {
      const path = `${session.path}/signals?${query}`;
      const { status, body } = await session.client.call("GET", path, undefined, headers);
      expect({ status, code: body.code, detail: body.detail }).toEqual({
        status: 410,
        code: "gone",
        detail: expect.stringContaining("after=2"),
      });
    }
    const { body } = await session.client.call("GET", `${session.path}/thread?kind=signal`);
    expect(body.data.map(({ payload }: { payload: Signal }) => payload.data.request_id)).toEqual(["a", "b"]);
    // A cursor ahead of everything goes on with what comes next.
    const ahead = await session.client.call("GET", `${session.path}/signals?after=99999`);
    expect(ahead.body).toEqual({ data: [], next: COGNITION.storedSignals + 2 });
  });

  it("are fewer when they are large", async () => {
    const session = await newSession();
    const large = "x".repeat(15_000);
    const items = Array.from({ length: 50 }, (_, i) => ({ key: `k${i}`, value: large }));
    await session.client.call("POST", `${session.path}/directives`, {
      type: "upsert",
      provider: "inline",
      items,
    });
    const keys = items.map(({ key }) => key);
    for (let n = 0; n < 13; n += 1)
      await session.client.call("POST", `${session.path}/directives`, {
        type: "query",
        provider: "inline",
        keys,
      });
    await vi.waitFor(async () => {
      const { body } = await session.client.call("GET", `${session.path}/thread?kind=signal&from=13`);
      expect(body.data).toHaveLength(2);
    });
    const { first, bytes } = await runInDurableObject(session.stub, (_instance, { storage: { sql } }) => ({
      first: Number(sql.exec("SELECT min(seq) AS n FROM signals").one().n),
      bytes: Number(sql.exec("SELECT sum(bytes) AS n FROM signals").one().n),
    }));
    expect(first).toBeGreaterThan(2);
    expect(bytes).toBeLessThanOrEqual(COGNITION.storedSignalBytes);
  });
});
