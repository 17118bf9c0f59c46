// What a session's object has stored and not sent yet survives the loss of the object, a failure of D1, and a new version
// of the object's schema. It is sent once.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionObject } from "../../durable-objects/session";
import { migrate } from "../../src/kernel/object-migrations";
import { SESSION_SCHEMA } from "../../src/sessions/session-schema";
import { holdMessages } from "../integration/session/held-messages";
import { freshId, sessionStub } from "../integration/support";
import {
  alarmOf,
  breakBatches,
  COMMIT,
  expectWrittenOnce,
  failuresOfD1,
  HOUR,
  kill,
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

describe("an object of the released schema", () => {
  it("gets a later step once, keeps its rows, and sends what waits in its outbox", async () => {
    const session = await newSession();
    const { client, path, stub } = session;
    expect(
      (
        await client.call("POST", `${path}/messages`, {
          messages: SENT.map(({ content }) => ({ role: "user", content })),
        })
      ).status,
    ).toBe(201);
    breakBatches({ moment: "before", matching: COMMIT });
    const key = { "Idempotency-Key": freshId("key") };
    const remember = () => client.call("POST", `${path}/remember`, { content: "Tea at four" }, key);
    expect((await remember()).status).toBe(503);
    const steps = [...SESSION_SCHEMA, "CREATE TABLE later (id INTEGER PRIMARY KEY)"];
    for (let load = 0; load < 2; load += 1)
      await runInDurableObject<SessionObject, void>(stub, (_instance, { storage }) =>
        migrate(storage, steps),
      );
    await kill(stub);
    mendD1();
    expect((await remember()).status).toBe(201);
    const { body } = await client.call("GET", `${path}/messages`);
    expect(body.data.map(({ content }: { content: string }) => content)).toEqual(
      SENT.map(({ content }) => content),
    );
    await expectWrittenOnce({ ...session, stub: sessionStub(client.tenant, session.id) }, ["Tea at four"]);
  });
});
