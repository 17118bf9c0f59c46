// The platform's alarm and the time that an object has stored can come apart. Whatever loads the object then sets the
// alarm again, and a session that nothing loads is found by the sweep.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionObject } from "../../durable-objects/session";
import { sweep } from "../../src/administration/sweep";
import { FIRST_RETRY_MS, WAKE_DELAY_MS } from "../../src/recall/index/embedding-indexer";
import {
  alarmOfIndexer,
  breakEmbedder,
  type IndexerStub,
  indexerStub,
  mendEmbedders,
  nearestIn,
  setIndexerClock,
  settled,
} from "../integration/indexing/support";
import { queueOf } from "../integration/semantic-support";
import { newTenant, type Tenant } from "../integration/store/long-term-support";
import { newProject, type Project } from "./project-support";
import {
  alarmOf,
  breakBatches,
  COMMIT,
  expectWrittenOnce,
  HOUR,
  memoriesOf,
  mendD1,
  newSession,
  offer,
  outboxOf,
  runAlarm,
  setClock,
  type TestSession,
  untilProjected,
} from "./support";

afterEach(() => {
  mendD1();
  mendEmbedders();
});

/** Deletes the platform's alarm behind the object's back, and lets the object begin anew. */
async function loseAlarm(stub: DurableObjectStub): Promise<void> {
  await runInDurableObject(stub, (_instance, state) => state.storage.deleteAlarm());
  await evictDurableObject(stub);
}

describe("a session whose alarm was lost", () => {
  let session: TestSession;
  beforeEach(async () => {
    session = await newSession();
  });

  /** The object's clock goes with it, and is set again. */
  async function loseAlarmOf({ stub, now }: TestSession): Promise<void> {
    await loseAlarm(stub);
    await setClock(stub, now);
  }

  it.each([
    ["its view", ""],
    ["its messages", "/messages"],
    ["its context", "/context"],
    ["its pending memories", "/pending"],
    ["its thread", "/thread"],
  ])("has it again after a read of %s, and promotes once", async (_what, of) => {
    const { client, id, path, stub } = session;
    await offer(client, id, "The sky is up");
    const due = await alarmOf(stub);
    await loseAlarmOf(session);
    expect(await alarmOf(stub)).toBeNull();
    expect((await client.call("GET", `${path}${of}`)).status).toBe(200);
    expect(await alarmOf(stub)).toBe(due);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await expectWrittenOnce(session, ["The sky is up"]);
    await untilProjected(stub);
    expect(await alarmOf(stub)).toBeNull();
  });

  it("has it again although its time has passed", async () => {
    const { client, id, path, stub, now } = session;
    await offer(client, id, "The sky is up");
    await loseAlarm(stub);
    await setClock(stub, now + HOUR);
    await client.call("GET", path);
    expect(await alarmOf(stub)).not.toBeNull();
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await expectWrittenOnce(session, ["The sky is up"]);
  });

  it("sends what waits in its outbox", async () => {
    const { client, path, stub } = session;
    breakBatches({ moment: "before", matching: COMMIT });
    expect((await client.call("POST", `${path}/remember`, { content: "The sea is deep" })).status).toBe(503);
    mendD1();
    await loseAlarmOf(session);
    await client.call("GET", `${path}/messages`);
    expect(await outboxOf(stub)).toBe(1);
    await runAlarm(stub);
    await expectWrittenOnce(session, ["The sea is deep"]);
  });

  it("carries on its erasure, although nobody sees it any more", async () => {
    const { client, path, stub } = session;
    // All but the audit record, without which the erasure would not begin.
    breakBatches({ moment: "before", matching: /^(?!.*audit_log)/s });
    expect((await client.call("DELETE", path)).status).toBe(503);
    mendD1();
    await loseAlarmOf(session);
    expect((await client.call("GET", path)).status).toBe(404);
    await runAlarm(stub);
    const tables = await runInDurableObject(stub, (_instance, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'session'").toArray(),
    );
    expect(tables).toEqual([]);
    expect(await alarmOf(stub)).toBeNull();
  });

  it("is promoted by the sweep that abandons it, when nobody calls it again", async () => {
    const { client, id, stub, now } = session;
    await offer(client, id, "The sky is up");
    await loseAlarm(stub);
    const dayAfter = now + 25 * HOUR;
    await setClock(stub, dayAfter);
    await sweep(env, dayAfter);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ content: "The sky is up", access_count: 0 }]);
  });

  it("asks the platform once, and not on every call", async () => {
    const { client, id, path, stub } = session;
    await offer(client, id, "The sky is up");
    await loseAlarmOf(session);
    let asked = 0;
    await runInDurableObject<SessionObject, void>(stub, (_instance, { storage }) => {
      const getAlarm = storage.getAlarm.bind(storage);
      Object.assign(storage, {
        getAlarm: () => {
          asked += 1;
          return getAlarm();
        },
      });
    });
    for (const of of ["", "/messages", "/context"]) await client.call("GET", `${path}${of}`);
    await offer(client, id, "The sea is deep");
    expect(asked).toBe(1);
  });

  it("gets none when there is nothing to do", async () => {
    const { client, path, stub } = session;
    await loseAlarmOf(session);
    await client.call("GET", path);
    expect(await alarmOf(stub)).toBeNull();
  });
});

describe("a project whose alarm was lost", () => {
  const GOAL = "Implement the orders endpoint of the shop";
  let project: Project;
  beforeEach(async () => {
    project = await newProject();
    for (const n of [1, 2]) await project.tellIt(`ep-${n}`, GOAL);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["a text was forgotten", () => project.object().forgetTexts(["Nobody has told this"])],
    ["a maintenance", () => project.maintainAt(project.start)],
    ["a consolidation that changes nothing", () => project.run(null, { dry_run: true })],
  ])("has it again after %s, and consolidates", async (_what, call) => {
    const due = await project.alarm();
    await loseAlarm(project.object());
    await project.at(project.now);
    await call();
    expect(await project.alarm()).toBe(due);
    await project.ring();
    expect(await project.patterns()).toHaveLength(1);
  });
});

describe("an indexer whose alarm was lost", () => {
  let t: Tenant;
  let indexer: IndexerStub;
  let now: number;
  beforeEach(async () => {
    t = await newTenant();
    indexer = indexerStub(t.tenant);
    now = Date.now() + HOUR;
    await setIndexerClock(indexer, now);
    await t.store().memories.commit([t.write({ content: "The cat sleeps on the sofa" })]);
    await indexer.wake(t.tenant);
    expect(await alarmOfIndexer(indexer)).toBe(now + WAKE_DELAY_MS);
    await loseAlarm(indexer);
    await setIndexerClock(indexer, now);
  });

  it("has it again when it is woken, and indexes", async () => {
    await indexer.wake(t.tenant);
    expect(await alarmOfIndexer(indexer)).toBe(now + WAKE_DELAY_MS);
    await settled(indexer, t.tenant);
    expect(await nearestIn(t.tenant, "cat")).toHaveLength(1);
  });

  it("has it again when it is asked to work its list off and cannot", async () => {
    await breakEmbedder(indexer);
    expect(await indexer.drain(t.tenant)).toBe(1);
    expect(await alarmOfIndexer(indexer)).toBe(now + FIRST_RETRY_MS);
    mendEmbedders();
    await setIndexerClock(indexer, now + FIRST_RETRY_MS);
    expect(await runDurableObjectAlarm(indexer)).toBe(true);
    expect(await queueOf(t.tenant)).toEqual([]);
    expect(await nearestIn(t.tenant, "cat")).toHaveLength(1);
  });
});
