// Entries that expire: reads never show them, and the session's alarm removes them.
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { DONE_TASK_MS } from "../../../src/cognition/spaces/space-data";
import { COGNITION } from "../../../src/kernel/limits";
import {
  alarmOf,
  kill,
  newSession,
  runAlarm,
  setClock,
  type TestSession,
  untilProjected,
} from "../../faults/support";
import { sessionStub } from "../support";

async function worldOf({ client, path }: TestSession) {
  return (await client.call("GET", `${path}/spaces/world`)).body;
}

function change({ client, path }: TestSession, ops: object[], space = "world") {
  return client.call("POST", `${path}/spaces/${space}/ops`, { ops });
}

function storedRow({ stub }: TestSession, table: "spaces" | "ephemeral_items") {
  return runInDurableObject(stub, (_instance, { storage }) =>
    JSON.stringify(storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
  );
}

const SCRATCH = { op: "put", key: "scratch", value: { step: 3 }, ttl_ms: 5_000 };

describe("a key with a time to live", () => {
  it("is shown with its expiry until then, and removed by the alarm under a new rev", async () => {
    const session = await newSession();
    expect((await change(session, [SCRATCH, { op: "put", key: "door", value: "open" }])).body).toMatchObject({
      rev: 1,
      data: { scratch: { step: 3 }, door: "open" },
    });
    expect(await worldOf(session)).toMatchObject({
      expires: { scratch: new Date(session.now + 5_000).toISOString() },
    });
    await setClock(session.stub, session.now + 4_999);
    expect((await worldOf(session)).data).toHaveProperty("scratch");

    await setClock(session.stub, session.now + 5_000);
    const hidden = await worldOf(session);
    expect(hidden).toMatchObject({ rev: 1, data: { door: "open" } });
    expect(hidden).not.toHaveProperty("expires");
    expect((await session.client.call("GET", `${session.path}/spaces/world/keys/scratch`)).status).toBe(404);
    expect((await session.client.call("GET", `${session.path}/memory`)).body.spaces.world.data).toEqual({
      door: "open",
    });

    expect(await runAlarm(session.stub)).toBe(session.now + 5_000);
    expect(await worldOf(session)).toMatchObject({ rev: 2, memory_rev: 2, data: { door: "open" } });
    expect(await storedRow(session, "spaces")).not.toContain("scratch");
    expect(await alarmOf(session.stub)).toBeNull();
  });

  it("is removed although the object was lost, and although the session is closed", async () => {
    const session = await newSession();
    await change(session, [SCRATCH]);
    await session.client.call("POST", `${session.path}/close`, {});
    expect(await alarmOf(session.stub)).toBe(session.now + 5_000);
    await kill(session.stub);
    const again = { ...session, stub: sessionStub(session.client.tenant, session.id) };
    await runAlarm(again.stub);
    expect(await storedRow(again, "spaces")).not.toContain("scratch");
  });

  it("is gone for a change of its space before the alarm, which counts its bytes no more", async () => {
    const session = await newSession();
    await change(session, [SCRATCH]);
    await setClock(session.stub, session.now + 5_000);
    const updated = await change(session, [{ op: "update", key: "scratch", changes: { step: 4 } }]);
    expect(updated.status).toBe(404);
    expect((await change(session, [{ op: "put", key: "door", value: "open" }])).body).toMatchObject({
      rev: 2,
      data: { door: "open" },
    });
    const head = await runInDurableObject(session.stub, (_instance, { storage }) =>
      storage.sql.exec<{ head: string }>("SELECT head FROM memory").one(),
    );
    // {"door":"open"} has 15 bytes; [] and {} of tasks, and the metadata of both, have 6.
    expect(JSON.parse(head.head).totals.bytes).toBe(21);
  });

  it("expires with the copy of a session that starts from it", async () => {
    const session = await newSession();
    await change(session, [SCRATCH]);
    const id = `${session.id}-next`;
    const stub = sessionStub(session.client.tenant, id);
    await setClock(stub, session.now + 1_000);
    await session.client.call("POST", "/v1/sessions", { id, continues: session.id });
    const next = { ...session, id, path: `/v1/sessions/${id}`, stub };
    expect(await worldOf(next)).toMatchObject({ data: { scratch: { step: 3 } } });
    expect(await runAlarm(stub)).toBe(session.now + 5_000);
    expect(await worldOf(next)).toMatchObject({ data: {}, rev: 2 });
  });
});

describe("a completed task of a projector", () => {
  it("is cleared after a day; one of the user stays", async () => {
    const session = await newSession();
    const { client, path } = session;
    await client.call("POST", `${path}/messages`, {
      messages: [{ role: "user", content: "TODO: renew the certificate" }],
    });
    await client.call("POST", `${path}/projectors/tasks/run`, {});
    await client.call("POST", `${path}/tasks`, { id: "mine", text: "Call Ines" });
    const { data } = (await client.call("GET", `${path}/tasks`)).body;
    for (const { id } of data) await client.call("POST", `${path}/tasks/${id}/complete`, {});
    await setClock(session.stub, session.now + DONE_TASK_MS - 1);
    expect((await client.call("GET", `${path}/tasks`)).body.data).toHaveLength(2);
    await setClock(session.stub, session.now + DONE_TASK_MS);
    expect((await client.call("GET", `${path}/tasks`)).body.data).toMatchObject([{ id: "mine" }]);
    expect(await storedRow(session, "spaces")).toContain("certificate");
    // The other projectors tick first.
    while ((await alarmOf(session.stub)) !== null) await runAlarm(session.stub);
    const rows = await runInDurableObject(session.stub, (_instance, { storage }) =>
      storage.sql.exec<{ data: string }>("SELECT data FROM spaces WHERE name = 'tasks'").one(),
    );
    expect(JSON.parse(rows.data)).toMatchObject([{ id: "mine", status: "done" }]);
  });
});

describe("an ephemeral item", () => {
  async function direct({ client, path }: TestSession, directive: object) {
    const { body } = await client.call("POST", `${path}/directives`, { provider: "ephemeral", ...directive });
    const { data } = (await client.call("GET", `${path}/signals?limit=100`)).body;
    return data.find((signal: { data: { request_id: string } }) => signal.data.request_id === body.request_id)
      ?.data;
  }

  it("lives for its time, an hour without one, and is deleted by the alarm", async () => {
    const session = await newSession();
    const items = (key: string) => [{ key, value: `lantern ${key}` }];
    await direct(session, { type: "upsert", items: items("short"), opts: { ttl_ms: 1_000 } });
    await direct(session, { type: "upsert", items: items("long") });
    const find = async () =>
      (await direct(session, { type: "query", query: { text: "lantern" } })).result.map(
        ({ key }: { key: string }) => key,
      );
    expect((await find()).sort()).toEqual(["long", "short"]);
    await setClock(session.stub, session.now + 1_000);
    expect(await find()).toEqual(["long"]);
    const read = await direct(session, { type: "query", keys: ["short", "long"] });
    expect(read.result).toEqual([{ key: "long", value: "lantern long" }]);
    expect((await direct(session, { type: "delete", keys: ["short"] })).result).toEqual({ deleted: 0 });
    expect(await storedRow(session, "ephemeral_items")).toContain("short");
    await untilProjected(session.stub);
    expect(await runAlarm(session.stub)).toBe(session.now + 1_000);
    expect(await storedRow(session, "ephemeral_items")).not.toContain("short");
    await setClock(session.stub, session.now + COGNITION.ephemeralTtlMs);
    expect(await find()).toEqual([]);
    await untilProjected(session.stub);
    await runAlarm(session.stub);
    expect(await storedRow(session, "ephemeral_items")).toBe("[]");
    expect(await alarmOf(session.stub)).toBeNull();
  });

  it("that is put again starts its time again", async () => {
    const session = await newSession();
    const upsert = { type: "upsert", items: [{ key: "a", value: 1 }], opts: { ttl_ms: 1_000 } };
    await direct(session, upsert);
    await setClock(session.stub, session.now + 900);
    await direct(session, upsert);
    await setClock(session.stub, session.now + 1_500);
    expect((await direct(session, { type: "query", keys: ["a"] })).result).toHaveLength(1);
  });
});
