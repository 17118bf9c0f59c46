// Alarms are delivered at least once, so a second delivery changes nothing; and a session without anything to
// promote holds none, because an alarm wakes an object that costs nothing while it sleeps.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionObject } from "../../durable-objects/session";
import type { PendingCreate } from "../../src/sessions/session-schemas";
import type { Client } from "../integration/support";
import {
  alarmOf,
  expectWrittenOnce,
  memoriesOf,
  newSession,
  offer,
  runAlarm,
  setClock,
  type TestSession,
  untilProjected,
} from "./support";

let client: Client;
let id: string;
let path: string;
let stub: TestSession["stub"];
let now: number;

beforeEach(async () => {
  ({ client, id, path, stub, now } = await newSession());
});

const session = async () => (await client.call("GET", path)).body;

function hunch(i: number): PendingCreate {
  return {
    content: `Hunch number ${i}`,
    memory_type: "fact",
    confidence: 0.5,
    source_type: "agent",
    evidence: [],
    importance_score: 0.1,
    suggested_by: "implicit",
  };
}

const CONTENTS = ["The first thing", "The second thing", "The third thing"];

describe("an alarm delivered twice", () => {
  beforeEach(async () => {
    for (const content of CONTENTS) await offer(client, id, content);
    await client.call("PUT", `${path}/context/framework`, { value: "Hono", source: "tool", confidence: 1 });
  });
  const promoted = [...CONTENTS, "framework: Hono"];

  it("one after the other promotes once", async () => {
    await client.call("PATCH", path, { promotion: { threshold: 0.5 } });
    await runInDurableObject<SessionObject, void>(stub, async (instance) => {
      await instance.alarm();
      await instance.alarm();
    });
    await expectWrittenOnce({ client, path, stub }, promoted);
    expect((await session()).promotion.total_promoted).toBe(promoted.length);
  });

  it("at once promotes once", async () => {
    await client.call("PATCH", path, { promotion: { threshold: 0.5 } });
    await runInDurableObject<SessionObject, void>(stub, async (instance) => {
      await Promise.all([instance.alarm(), instance.alarm(), instance.alarm()]);
    });
    await expectWrittenOnce({ client, path, stub }, promoted);
    expect((await session()).promotion.total_promoted).toBe(promoted.length);
  });

  it("beside a promotion on demand promotes once, and the two share the work", async () => {
    await client.call("PATCH", path, { promotion: { threshold: 0.5 } });
    const [, answer] = await Promise.all([
      runInDurableObject<SessionObject, void>(stub, (instance) => instance.alarm()),
      client.call("POST", `${path}/promote`),
    ]);
    expect(answer.status).toBe(200);
    await vi.waitFor(() => expectWrittenOnce({ client, path, stub }, promoted));
  });
});

describe("an alarm with another time to come after it", () => {
  /** Something to promote, and ten seconds later something to project. */
  beforeEach(async () => {
    await offer(client, id, "The first thing");
    await setClock(stub, now + 10_000);
    const entries = [{ kind: "note", payload: "TODO: close the window" }];
    expect((await client.call("POST", `${path}/thread`, { entries })).status).toBe(201);
    expect(await alarmOf(stub)).toBe(now + 30_000);
    await runAlarm(stub);
  });

  it("is set again for that time", async () => {
    await expectWrittenOnce({ client, path, stub }, ["The first thing"]);
    expect(await alarmOf(stub)).toBe(now + 40_000);
  });

  it("does everything that was due, and leaves none", async () => {
    await offer(client, id, "The second thing");
    await runAlarm(stub);
    await runAlarm(stub);
    await expectWrittenOnce({ client, path, stub }, ["The first thing", "The second thing"]);
    expect((await client.call("GET", `${path}/tasks`)).body.data).toMatchObject([
      { text: "Close the window" },
    ]);
    await untilProjected(stub);
    expect(await alarmOf(stub)).toBeNull();
  });
});

describe("a promotion", () => {
  it("sent twice is the same as sent once", async () => {
    for (const content of CONTENTS) await offer(client, id, content);
    const first = await client.call("POST", `${path}/promote`);
    expect(first.body.promoted).toHaveLength(3);
    expect((await client.call("POST", `${path}/promote`)).body).toEqual({ promoted: [], remaining: 0 });
    await expectWrittenOnce({ client, path, stub }, CONTENTS);
  });

  it("sent five times at once is the same as sent once", async () => {
    for (const content of CONTENTS) await offer(client, id, content);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client.call("POST", `${path}/promote`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.flatMap(({ body }) => body.promoted)).toHaveLength(3);
    await expectWrittenOnce({ client, path, stub }, CONTENTS);
  });

  it("takes at most max_per_run, the highest first, and keeps the alarm for the rest", async () => {
    await client.call("PATCH", path, { promotion: { max_per_run: 2 } });
    for (const [i, content] of CONTENTS.entries())
      await offer(client, id, content, { importance_score: 0.7 + i / 10 });
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect((await memoriesOf(client.tenant)).map(({ content }) => content)).toEqual([
      "The second thing",
      "The third thing",
    ]);
    expect((await session()).counts.pending).toBe(1);
    expect(await alarmOf(stub)).toBe(now + 30_000);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await expectWrittenOnce({ client, path, stub }, CONTENTS);
    await untilProjected(stub);
    expect(await alarmOf(stub)).toBeNull();
  });

  it("runs at once when the list of the agent's decisions is full", async () => {
    const send = (i: number) =>
      offer(client, id, `Decision number ${i}`, { suggested_by: "agent", memory_type: "decision" });
    for (let i = 0; i < 99; i += 1) await send(i);
    expect(await alarmOf(stub)).toBe(now + 30_000);
    // From here on the clock is real, and so is the alarm.
    await runInDurableObject<SessionObject, void>(stub, (instance) => {
      instance.now = () => Date.now();
    });
    await send(99);
    await vi.waitFor(async () => expect(await memoriesOf(client.tenant)).toHaveLength(20));
    expect((await session()).counts.pending).toBe(80);
  });

  it("runs at once when the list of implicit candidates is full", async () => {
    await client.call("PATCH", path, { promotion: { max_per_run: 1 } });
    await runInDurableObject<SessionObject, void>(stub, async (instance) => {
      for (let i = 0; i < 499; i += 1)
        await instance.addPending({ tenant: client.tenant, id }, hunch(i), null);
    });
    expect(await alarmOf(stub)).toBeNull();
    await offer(client, id, "The one that counts");
    expect(await alarmOf(stub)).toBeLessThanOrEqual(now);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await expectWrittenOnce({ client, path, stub }, ["The one that counts"], { pending: 499 });
  });
});

describe("an alarm", () => {
  it("is not held by an idle session, whatever was written that deserves nothing", async () => {
    expect(await alarmOf(stub)).toBeNull();
    await client.call("POST", `${path}/messages`, { messages: [{ role: "user", content: "Hello" }] });
    await client.call("PUT", `${path}/context/active_errors`, { value: ["E1"], source: "tool" });
    await offer(client, id, "A weak hunch", { importance_score: 0.59 });
    await client.call("POST", `${path}/remember`, { content: "Written at once" });
    // The projectors and the extraction read what was said; after that there is nothing left to do.
    expect((await session()).promotion.next_run).toBe(new Date(now + 30_000).toISOString());
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect((await session()).promotion).toMatchObject({ next_run: null, total_promoted: 0, runs: 0 });
    expect(await alarmOf(stub)).toBeNull();
    expect(await runDurableObjectAlarm(stub)).toBe(false);
  });

  it("is set for one interval after the first candidate, and not put off by the next", async () => {
    await client.call("PATCH", path, { promotion: { interval_ms: 60_000 } });
    await offer(client, id, "The first thing");
    expect(await alarmOf(stub)).toBe(now + 60_000);
    await setClock(stub, now + 20_000);
    await offer(client, id, "The second thing");
    expect(await alarmOf(stub)).toBe(now + 60_000);
    expect((await session()).promotion.next_run).toBe(new Date(now + 60_000).toISOString());
  });

  it("is gone once everything is promoted, by itself or on demand", async () => {
    await offer(client, id, "The first thing");
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await untilProjected(stub);
    expect(await alarmOf(stub)).toBeNull();
    expect((await session()).promotion.next_run).toBeNull();
    await offer(client, id, "The second thing");
    expect(await alarmOf(stub)).not.toBeNull();
    await client.call("POST", `${path}/promote`);
    await untilProjected(stub);
    expect(await alarmOf(stub)).toBeNull();
  });

  it("is taken back when the last candidate leaves the working context", async () => {
    await client.call("PATCH", path, { promotion: { threshold: 0.3 } });
    await client.call("PUT", `${path}/context/framework`, { value: "Hono", source: "tool" });
    expect(await alarmOf(stub)).toBe(now + 30_000);
    await client.call("DELETE", `${path}/context/framework`);
    expect(await alarmOf(stub)).toBeNull();
  });

  it("does not exist while promotion is disabled, and comes back when it is enabled", async () => {
    await client.call("PATCH", path, { promotion: { enabled: false } });
    await offer(client, id, "The first thing");
    expect(await alarmOf(stub)).toBeNull();
    await client.call("PATCH", path, { promotion: { enabled: true } });
    expect(await alarmOf(stub)).toBe(now + 30_000);
    await client.call("PATCH", path, { promotion: { enabled: false } });
    expect(await alarmOf(stub)).toBeNull();
  });

  it("does not exist while the session is paused, takes up again when it is resumed, and ends with a close", async () => {
    await client.call("POST", `${path}/pause`);
    await offer(client, id, "Written in a pause");
    expect(await alarmOf(stub)).toBeNull();
    await client.call("POST", `${path}/resume`);
    expect(await alarmOf(stub)).toBe(now + 30_000);
    await client.call("POST", `${path}/close`);
    expect(await alarmOf(stub)).toBeNull();
    await expectWrittenOnce({ client, path, stub }, ["Written in a pause"]);
  });

  it("delivered late to a session that was paused, closed or erased meanwhile does nothing", async () => {
    await client.call("POST", `${path}/pause`);
    await offer(client, id, "Written in a pause");
    const ring = () => runInDurableObject<SessionObject, void>(stub, (instance) => instance.alarm());
    await ring();
    expect(await memoriesOf(client.tenant)).toEqual([]);
    expect((await session()).counts.pending).toBe(1);
    await client.call("DELETE", path);
    await ring();
    expect((await client.call("GET", path)).status).toBe(404);
    expect(await alarmOf(stub)).toBeNull();
  });
});
