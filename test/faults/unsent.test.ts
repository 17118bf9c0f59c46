// What a session's object has stored and not sent yet survives the loss of the object, a failure of D1, and a new version
// of the object's schema. It is sent once.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionObject } from "../../durable-objects/session";
import { migrate } from "../../src/platform/object-migrations";
import { createRecord } from "../../src/session/session-record";
import { SESSION_SCHEMA } from "../../src/session/session-schema";
import { holdMessages } from "../integration/session/held-messages";
import { freshId, newClient, sessionStub } from "../integration/support";
import {
  alarmOf,
  breakBatches,
  COMMIT,
  expectWrittenOnce,
  failuresOfD1,
  HOUR,
  kill,
  memoriesOf,
  mendD1,
  newSession,
  runAlarm,
  setClock,
  type TestSession,
} from "./support";

let release: () => void;
beforeEach(() => {
  release = holdMessages();
});
afterEach(() => {
  mendD1();
  vi.restoreAllMocks();
});

const MESSAGES = /INSERT INTO messages \(/;

async function readSent(tenant: string): Promise<{ position: number; content: string }[]> {
  const sent = env.DB.prepare("SELECT position, content FROM messages WHERE tenant = ? ORDER BY position");
  return (await sent.bind(tenant).all<{ position: number; content: string }>()).results;
}

const SENT = [
  { position: 1, content: "The heron nests" },
  { position: 2, content: "By the canal" },
];

describe("messages that have not been sent", () => {
  let session: TestSession;
  beforeEach(async () => {
    session = await newSession();
  });

  const say = async (role = "user") => {
    for (const { content } of SENT) {
      const messages = [{ role, content }];
      expect((await session.client.call("POST", `${session.path}/messages`, { messages })).status).toBe(201);
    }
  };

  it.each([
    true,
    false,
  ])("are sent by the alarm after the object was killed, with promotion %s", async (enabled) => {
    const { client, path, id } = session;
    await client.call("PATCH", path, { promotion: { enabled } });
    await say();
    await kill(session.stub);
    const reborn = sessionStub(client.tenant, id);
    expect(await alarmOf(reborn)).not.toBeNull();
    expect(await readSent(client.tenant)).toEqual([]);
    await runAlarm(reborn);
    expect(await readSent(client.tenant)).toEqual(SENT);
  });

  it("are sent again, with back-off, until D1 has them", async () => {
    const { client, path, stub } = session;
    await client.call("PATCH", path, { promotion: { enabled: false } });
    breakBatches({ moment: "after", matching: MESSAGES });
    await say();
    expect((await client.call("POST", `${path}/recall`, { sources: ["messages"] })).status).toBe(503);
    const first = await runAlarm(stub);
    const second = await runAlarm(stub);
    expect(failuresOfD1()).toBe(3);
    mendD1();
    const third = await runAlarm(stub);
    expect([second - first, third - second]).toEqual([4_000, 8_000]);
    expect(await readSent(client.tenant)).toEqual(SENT);
    expect(await alarmOf(stub)).toBeNull();
  });

  it("go with an erased session", async () => {
    const { client, path } = session;
    await say();
    const { body } = await client.call("DELETE", path);
    expect(body.deleted.messages).toBe(2);
    release();
    await scheduler.wait(500);
    expect(await readSent(client.tenant)).toEqual([]);
  });
});

describe("a call with an idempotency key", () => {
  it("is in flight while its memory is in the outbox, also for another object", async () => {
    const session = await newSession();
    const { client, path, stub, now } = session;
    const key = { "Idempotency-Key": freshId("key") };
    const remember = (content: string) => client.call("POST", `${path}/remember`, { content }, key);
    breakBatches({ moment: "before", matching: COMMIT });
    expect((await remember("Tea at four")).status).toBe(503);
    expect((await remember("Tea at five")).status).toBe(409);
    await evictDurableObject(stub);
    await setClock(stub, now);
    expect((await remember("Tea at five")).status).toBe(409);
    mendD1();
    const first = await remember("Tea at four");
    expect(first).toMatchObject({ status: 201, body: { deduplicated: false } });
    expect((await remember("Tea at four")).body).toEqual(first.body);
    expect((await remember("Tea at five")).status).toBe(409);
    await expectWrittenOnce(session, ["Tea at four"]);
  });

  it("is a new call after a day, also before the alarm has removed the first answer", async () => {
    const { client, path, stub, now } = await newSession();
    const key = { "Idempotency-Key": freshId("key") };
    const note = async (payload: string) =>
      client.call("POST", `${path}/thread`, { entries: [{ kind: "note", payload }] }, key);
    expect((await note("Tea at four")).body).toEqual({ first_seq: 1, last_seq: 1 });
    await setClock(stub, now + 23 * HOUR);
    expect((await note("Tea at four")).body).toEqual({ first_seq: 1, last_seq: 1 });
    await setClock(stub, now + 24 * HOUR);
    const second = await note("Tea at five");
    expect(second).toMatchObject({ status: 201, body: { first_seq: 2, last_seq: 2 } });
    expect((await note("Tea at five")).body).toEqual(second.body);
  });
});

describe("an object of the schema before", () => {
  it("keeps its rows, its answers and its numbers, and sends what waits in its outbox", async () => {
    const client = await newClient();
    const id = freshId("session");
    const path = `/v1/sessions/${id}`;
    const stub = sessionStub(client.tenant, id);
    await runInDurableObject<SessionObject, void>(stub, (_instance, { storage }) => {
      migrate(storage, SESSION_SCHEMA.slice(0, 3));
      const { sql } = storage;
      const at = "2026-01-01T00:00:00.000Z";
      const made = createRecord({ tenant: client.tenant, id }, { agent_id: "butler" }, at);
      if (!made.ok) throw new Error("a new record is refused");
      const { send_at: _send, unregistered: _unregistered, ...record } = made.value;
      sql.exec("INSERT INTO session (id, record) VALUES (1, ?)", JSON.stringify(record));
      for (const { content } of SENT) {
        sql.exec(
          "INSERT INTO messages (id, role, content, timestamp, token_count, metadata) VALUES (?, 'user', ?, ?, 5, '{}')",
          `m-${content}`,
          content,
          at,
        );
        sql.exec("INSERT INTO thread (kind, at, message) SELECT 'message', ?, max(seq) FROM messages", at);
      }
      // The first of three signals has been trimmed.
      for (const seq of [2, 3])
        sql.exec("INSERT INTO signals (seq, bytes, event) VALUES (?, 2, ?)", seq, JSON.stringify({ seq }));
      const memory = {
        type: "fact",
        content: "Tea at four",
        confidence: 1,
        importance: 1,
        source_type: "agent",
        rationale: null,
        topic_key: null,
        timestamp: at,
        valid_from: null,
        evidence: [],
        properties: {},
        session_id: id,
        user_id: null,
        agent_id: "butler",
        project_id: null,
      };
      const entry = { kind: "memory", memory, origin: { kind: "remember" } };
      for (const [op, queued] of [
        ["session", { kind: "session" }],
        ["messages", { kind: "messages" }],
        ["tea", entry],
      ] as const)
        sql.exec("INSERT INTO outbox (op, entry) VALUES (?, ?)", op, JSON.stringify(queued));
      const answer =
        "INSERT INTO idempotency (op, fingerprint, response, created_at) VALUES (?, 'body', ?, ?)";
      sql.exec(answer, "tea", null, Date.now());
      sql.exec(answer, "noted", '{"first_seq":1,"last_seq":1}', Date.now());
    });
    await evictDurableObject(stub);

    const ref = { tenant: client.tenant, id };
    const noted = await stub.appendThread(ref, [{ kind: "note", payload: "Again" }], {
      op: "noted",
      fingerprint: "body",
    });
    expect(noted).toMatchObject({ ok: true, value: { first_seq: 1, last_seq: 1 } });
    // The reserved key of a memory on its way is still reserved.
    const other = await stub.appendThread(ref, [], { op: "tea", fingerprint: "other" });
    expect(other).toMatchObject({ ok: false, failure: { code: "conflict" } });

    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ content: "Tea at four", access_count: 0 }]);
    expect(await readSent(client.tenant)).toEqual(SENT);
    const { body: registered } = await client.call("GET", "/v1/sessions?agent_id=butler");
    expect(registered.data).toMatchObject([{ id }]);
    const replayed = await runInDurableObject(stub, (_instance, { storage }) =>
      storage.sql.exec("SELECT fingerprint, response FROM idempotency WHERE op = 'tea'").one(),
    );
    expect(replayed).toMatchObject({ fingerprint: "body", response: expect.stringContaining("memory_id") });

    // Numbers go on where they were.
    await client.call("POST", `${path}/pending`, {
      content: "Deploys happen on Mondays",
      memory_type: "convention",
      importance_score: 0.9,
    });
    await client.call("POST", `${path}/promote`, {});
    const { body: signals } = await client.call("GET", `${path}/signals?after=3`);
    expect(signals.data).toMatchObject([{ seq: 4 }]);
    const { body: thread } = await client.call("GET", `${path}/thread`);
    expect(thread.data.map(({ seq }: { seq: number }) => seq)).toEqual(
      thread.data.map((_: unknown, i: number) => i + 1),
    );
  });
});
