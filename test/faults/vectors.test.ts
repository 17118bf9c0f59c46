// Faults between the long-term store and the vector index: whatever is interrupted is carried on, nothing that was
// acknowledged is lost, nothing is there twice, and what was erased stays erased.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FIRST_RETRY_MS, WAKE_DELAY_MS } from "../../src/recall/index/embedding-indexer";
import { VectorShard } from "../../src/recall/vectors/vector-shard";
import { SEND_DELAY_MS } from "../../src/sessions/short-term/message-progress";
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
import { ADMIN_KEY, callWith, freshId, sessionStub, skipWaits } from "../integration/support";
import {
  alarmOf,
  breakBatches,
  failuresOfD1,
  HOUR,
  kill,
  MOMENTS,
  memoriesOf,
  mendD1,
  readSql,
  setClock,
  stickBatches,
} from "./support";

const MESSAGES = /INSERT INTO messages \(/;
const ERASURE = /DELETE FROM memories WHERE/;
const QUEUE_FOR_ERASURE = /INSERT INTO vector_queue \(/;
const DEQUEUE = /DELETE FROM vector_queue WHERE tenant = \? AND kind = \? AND seq/;

let t: Tenant;
let indexer: IndexerStub;
let path: string;
let now: number;

/** No alarm goes off by itself: the clocks of both objects stand still, an hour ahead. */
async function stopClocks(at = now): Promise<void> {
  await setIndexerClock(indexerStub(t.tenant), at);
  await setClock(sessionStub(t.tenant, t.session), at);
}

beforeEach(async () => {
  t = await newTenant();
  indexer = indexerStub(t.tenant);
  path = `/v1/sessions/${t.session}`;
  now = Date.now() + HOUR;
  skipWaits(SEND_DELAY_MS);
  await stopClocks();
});
afterEach(() => {
  mendD1();
  mendEmbedders();
  vi.restoreAllMocks();
});

const CAT = "The cat sleeps on the sofa";
const remember = async (content = CAT) => {
  const id = await t.remember({ content });
  await settled(indexer, t.tenant);
  return id;
};
const idOf = (content: string) => content.replaceAll(" ", "-");
const say = async (...contents: string[]) => {
  const messages = contents.map((content) => ({ id: idOf(content), role: "user", content }));
  expect((await t.call("POST", `${path}/messages`, { messages })).status).toBe(201);
};
/** By meaning, in the whole tenant: ids of memories or of messages. */
const recalled = async (source: "memories" | "messages" = "memories", query = "the cat sleeps") => {
  const { status, body } = await t.call("POST", "/v1/recall", {
    query,
    scope: "tenant",
    mode: "semantic",
    sources: [source],
  });
  expect(status).toBe(200);
  expect(body.degraded).toBeUndefined();
  return body.memories.map(({ id }: { id: string }) => id) as string[];
};
const countOf = async (table: "messages" | "vector_queue") =>
  (
    await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE tenant = ?`)
      .bind(t.tenant)
      .first<{ n: number }>()
  )?.n;

describe("an indexer", () => {
  it("that is evicted keeps its alarm, and indexes when that goes off", async () => {
    const id = await t.remember({ content: CAT });
    await vi.waitFor(async () => expect(await alarmOfIndexer(indexer)).not.toBeNull());
    await evictDurableObject(indexer);
    await settled(indexer, t.tenant);
    expect(await nearestIn(t.tenant, "cat")).toEqual([id]);
  });

  it("that is evicted while the embedder is down keeps its place in the back-off", async () => {
    await t.store().memories.commit([t.write({ content: CAT })]);
    await breakEmbedder(indexer);
    await indexer.wake(t.tenant);
    await runDurableObjectAlarm(indexer);
    expect(await alarmOfIndexer(indexer)).toBe(now + FIRST_RETRY_MS);
    await evictDurableObject(indexer);
    await setIndexerClock(indexer, now + FIRST_RETRY_MS);
    expect(await alarmOfIndexer(indexer)).toBe(now + FIRST_RETRY_MS);
    await runDurableObjectAlarm(indexer);
    expect(await queueOf(t.tenant)).toMatchObject([{ attempts: 2 }]);
  });

  it.each<[string, () => Promise<() => boolean>]>([
    [
      "while it embeds",
      async () => {
        let begun = false;
        await breakEmbedder(indexer, () => {
          begun = true;
          return new Promise(() => undefined);
        });
        return () => begun;
      },
    ],
    [
      "after the index took it, before the list knows",
      async () => {
        stickBatches(DEQUEUE);
        return () => failuresOfD1() === 1;
      },
    ],
  ])("that is killed %s loses nothing and doubles nothing", async (_when, stick) => {
    const [result] = await t.store().memories.commit([t.write({ content: CAT })]);
    const id = result?.ok ? result.value.memory_id : "";
    const isStuck = await stick();
    const work = indexer.drain(t.tenant).catch(() => null);
    await vi.waitFor(() => expect(isStuck()).toBe(true));
    await runInDurableObject(indexer, (_instance, state) => state.abort("killed by the test")).catch(
      () => undefined,
    );
    await work;
    mendD1();
    mendEmbedders();
    expect(await queueOf(t.tenant)).toMatchObject([{ id }]);
    expect(await recalled()).toEqual([id]);
    indexer = indexerStub(t.tenant);
    await setIndexerClock(indexer, now);
    await indexer.wake(t.tenant);
    await settled(indexer, t.tenant);
    expect(await nearestIn(t.tenant, "cat")).toEqual([id]);
    expect(await recalled()).toEqual([id]);
  });

  it.each(MOMENTS)("whose D1 fails %s it takes something off the list does it again", async (moment) => {
    const [result] = await t.store().memories.commit([t.write({ content: CAT })]);
    const id = result?.ok ? result.value.memory_id : "";
    breakBatches({ moment, matching: DEQUEUE });
    await indexer.drain(t.tenant);
    expect(failuresOfD1()).toBe(1);
    mendD1();
    expect(await nearestIn(t.tenant, "cat")).toEqual([id]);
    await setIndexerClock(indexer, now + FIRST_RETRY_MS);
    await indexer.wake(t.tenant);
    await settled(indexer, t.tenant);
    expect(await nearestIn(t.tenant, "cat")).toEqual([id]);
  });

  it("that is woken while it looks for the last time comes back as soon as it was asked to", async () => {
    await t.store().memories.commit([t.write({ content: CAT })]);
    await breakEmbedder(indexer);
    await indexer.wake(t.tenant);
    const last = holdAnswers(/UPDATE vector_queue/);
    const run = runDurableObjectAlarm(indexer);
    await vi.waitFor(() => expect(last.count()).toBe(1));
    // Something is written, and says so, between the run's last look at the list and its alarm.
    await t.store().memories.commit([t.write({ content: "The dog barks" })]);
    await indexer.wake(t.tenant);
    last.release();
    await run;
    expect(await queueOf(t.tenant)).toMatchObject([{ attempts: 1 }, { attempts: 0 }]);
    expect(await alarmOfIndexer(indexer)).toBe(now + WAKE_DELAY_MS);
  });
});

describe("the erasure of a memory", () => {
  const erase = (id: string) => t.call("DELETE", `/v1/memories/${id}`);
  const failToRemove = () =>
    vi.spyOn(VectorShard.prototype, "remove").mockImplementation(() => {
      throw new Error("broken by the test");
    });

  async function expectErased(id: string): Promise<void> {
    await settled(indexer, t.tenant);
    expect((await t.call("GET", `/v1/memories/${id}`)).status).toBe(404);
    expect(await nearestIn(t.tenant, "cat")).toEqual([]);
    expect(await recalled()).toEqual([]);
  }

  it("is refused whole when the index does not answer; again, it works and counts truly", async () => {
    const id = await remember();
    const broken = failToRemove();
    const { status, body } = await erase(id);
    expect(broken).toHaveBeenCalled();
    expect(status).toBe(503);
    expect(body.detail).toContain("Nothing was erased");
    expect(await t.memory(id)).toMatchObject({ status: "live", content: CAT });
    expect(await recalled()).toEqual([id]);
    vi.restoreAllMocks();
    expect((await erase(id)).body.deleted).toMatchObject({ memories: 1, vectors: 1 });
    await expectErased(id);
  });

  it("is refused whole when D1 cannot even note it", async () => {
    const id = await remember();
    breakBatches({ moment: "before", matching: QUEUE_FOR_ERASURE });
    expect((await erase(id)).status).toBe(503);
    mendD1();
    expect(await nearestIn(t.tenant, "cat")).toEqual([id]);
    expect((await erase(id)).body.deleted).toMatchObject({ memories: 1, vectors: 1 });
    await expectErased(id);
  });

  it.each([
    "before",
    "during",
  ] as const)("works again when D1 failed %s it wrote, after the vectors were gone", async (moment) => {
    const id = await remember();
    breakBatches({ moment, matching: ERASURE });
    expect((await erase(id)).status).toBe(503);
    expect(failuresOfD1()).toBe(1);
    mendD1();
    expect(await nearestIn(t.tenant, "cat")).toEqual([]);
    // It is still a memory, and is found as one.
    expect(await recalled()).toEqual([id]);
    expect((await erase(id)).body.deleted).toMatchObject({ memories: 1, vectors: 0 });
    await expectErased(id);
  });

  it("is done when only D1's answer was lost", async () => {
    const id = await remember();
    breakBatches({ moment: "after", matching: ERASURE });
    expect((await erase(id)).status).toBe(503);
    mendD1();
    expect((await erase(id)).status).toBe(404);
    await indexer.wake(t.tenant);
    await expectErased(id);
  });

  it("that is never repeated is undone: the vector comes back, but not before its time", async () => {
    const id = await remember();
    breakBatches({ moment: "before", matching: ERASURE });
    expect((await erase(id)).status).toBe(503);
    mendD1();
    const [entry] = await queueOf(t.tenant);
    expect(entry).toMatchObject({ id, attempts: 0 });
    const due = entry?.due_at ?? 0;
    await setIndexerClock(indexer, due - 1);
    await indexer.wake(t.tenant);
    await runDurableObjectAlarm(indexer);
    expect(await nearestIn(t.tenant, "cat")).toEqual([]);
    expect(await alarmOfIndexer(indexer)).toBeGreaterThanOrEqual(due);
    await setIndexerClock(indexer, due);
    await runDurableObjectAlarm(indexer);
    expect(await nearestIn(t.tenant, "cat")).toEqual([id]);
    expect(await recalled()).toEqual([id]);
    expect(await queueOf(t.tenant)).toEqual([]);
  });
});

describe("the erasure of a session", () => {
  const erase = () => t.call("DELETE", `${path}?memories=true`);

  async function expectErased(): Promise<void> {
    expect((await t.call("GET", path)).status).toBe(404);
    await settled(indexerStub(t.tenant), t.tenant);
    expect(await countOf("messages")).toBe(0);
    expect(await memoriesOf(t.tenant)).toEqual([]);
    for (const kind of ["memory", "message"] as const)
      expect(await nearestIn(t.tenant, "cat", kind)).toEqual([]);
    expect(await recalled()).toEqual([]);
    expect(await recalled("messages")).toEqual([]);
  }

  it("counts the vectors of its memories and of its messages", async () => {
    await remember();
    await say("My cat sleeps", "So does the dog");
    await vi.waitFor(async () => expect(await countOf("messages")).toBe(2));
    await settled(indexer, t.tenant);
    expect((await erase()).body.deleted).toMatchObject({ messages: 2, memories: 1, vectors: 3 });
    await expectErased();
  });

  it("that the index refuses is carried on by the alarm, and nothing is seen of the session meanwhile", async () => {
    await remember();
    vi.spyOn(VectorShard.prototype, "remove").mockImplementation(() => {
      throw new Error("broken by the test");
    });
    expect((await erase()).status).toBe(503);
    expect((await t.call("GET", path)).status).toBe(404);
    // Its rows are still in D1: an answer as for an unknown session would contain them.
    for (const [call, body] of [
      [`${path}/recall`, { query: "cat" }],
      [`${path}/assemble`, { query: "cat" }],
      [`${path}/preflight`, { input: "cat" }],
      [`${path}/turns`, { input: "cat", output: "dog" }],
      ["/v1/prime", { session_id: t.session, goal: "cat" }],
    ] as const)
      expect.soft((await t.call("POST", call, body)).status, call).toBe(404);
    vi.restoreAllMocks();
    const stub = sessionStub(t.tenant, t.session);
    expect(await alarmOf(stub)).not.toBeNull();
    await runDurableObjectAlarm(stub);
    await expectErased();
    expect(await alarmOf(stub)).toBeNull();
  });

  it("is not continued by a key of another owner, but by one of its own", async () => {
    await t.call("POST", "/v1/sessions", { id: t.session, user_id: "anna" });
    await remember();
    const refuse = vi.spyOn(VectorShard.prototype, "remove").mockImplementation(() => {
      throw new Error("broken by the test");
    });
    expect((await erase()).status).toBe(503);
    refuse.mockRestore();
    const eraseAs = async (user_id: string) => {
      const input = { tenant: t.tenant, scopes: ["read", "write"], bind: { user_id } };
      const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", input);
      return callWith(body.key, "DELETE", `${path}?memories=true`);
    };
    expect((await eraseAs("ben")).status).toBe(404);
    expect(await memoriesOf(t.tenant)).toHaveLength(1);
    expect(await eraseAs("anna")).toMatchObject({ status: 200, body: { deleted: { memories: 1 } } });
    await expectErased();
  });

  it("whose object is killed after the vectors were gone is carried on by the alarm", async () => {
    await remember();
    stickBatches(ERASURE);
    const sent = erase().catch(() => null);
    await vi.waitFor(() => expect(failuresOfD1()).toBe(1));
    await kill(sessionStub(t.tenant, t.session));
    await sent;
    mendD1();
    expect(await runDurableObjectAlarm(sessionStub(t.tenant, t.session))).toBe(true);
    await expectErased();
  });

  it("waits for messages that are on their way, and takes them with it", async () => {
    await t.call("POST", "/v1/sessions", { id: t.session });
    const held = holdBatches(MESSAGES);
    await say("My cat sleeps");
    await vi.waitFor(() => expect(held.count()).toBe(1));
    const erasing = erase();
    // The intention is stored by now; what was on its way arrives.
    await vi.waitFor(async () => expect((await t.call("GET", path)).status).toBe(404));
    held.release();
    expect((await erasing).body.deleted).toMatchObject({ messages: 1 });
    await expectErased();
  });

  it("answers a recall that was sending its messages: not found, and not a failure of the service", async () => {
    await t.call("POST", "/v1/sessions", { id: t.session });
    const held = holdBatches(MESSAGES);
    await say("My cat sleeps");
    await vi.waitFor(() => expect(held.count()).toBe(1));
    const recall = t.call("POST", `${path}/recall`, { query: "cat", sources: ["messages"], mode: "text" });
    const erasing = erase();
    await vi.waitFor(async () => expect((await t.call("GET", path)).status).toBe(404));
    held.release();
    expect((await erasing).status).toBe(200);
    expect((await recall).status).toBe(404);
    await expectErased();
  });

  it("leaves nothing for a session begun anew under its id", async () => {
    await say("My cat sleeps");
    await vi.waitFor(async () => expect(await countOf("messages")).toBe(1));
    await settled(indexer, t.tenant);
    expect((await erase()).body.deleted).toMatchObject({ messages: 1, vectors: 1 });
    await settled(indexer, t.tenant);
    await setClock(sessionStub(t.tenant, t.session), now);
    const messages = [{ id: idOf("My cat sleeps"), role: "user", content: "The invoice was paid" }];
    await t.call("POST", `${path}/messages`, { messages });
    await vi.waitFor(async () => expect(await countOf("messages")).toBe(1));
    await settled(indexer, t.tenant);
    const { body } = await t.call("POST", "/v1/recall", {
      query: "the invoice",
      scope: "tenant",
      mode: "semantic",
      sources: ["messages"],
    });
    expect(body.memories).toMatchObject([{ content: "The invoice was paid" }]);
    expect(body.memories[0].signals.semantic).toBeGreaterThan(0.3);
  });
});

describe("messages", () => {
  /** The number of messages that a session has not sent, and its failed attempts. */
  function readSending(stub: ReturnType<typeof sessionStub>) {
    return runInDurableObject(stub, (_instance, { storage }) =>
      storage.sql
        .exec<{ unsent: number; attempts: number }>(
          `SELECT (SELECT count(*) FROM messages WHERE seq > record ->> '$.messages_sent') AS unsent,
             record ->> '$.attempts' AS attempts FROM session`,
        )
        .one(),
    );
  }

  /** All of them, each once, in order. */
  async function expectSent(...contents: string[]): Promise<void> {
    const { results } = await env.DB.prepare(
      "SELECT content FROM messages WHERE tenant = ? ORDER BY position",
    )
      .bind(t.tenant)
      .all<{ content: string }>();
    expect(results.map(({ content }) => content)).toEqual(contents);
    expect(await readSending(sessionStub(t.tenant, t.session))).toMatchObject({ unsent: 0 });
    await settled(indexerStub(t.tenant), t.tenant);
    expect(await nearestIn(t.tenant, "cat", "message")).toHaveLength(contents.length);
    const { body } = await t.call("POST", "/v1/recall", {
      query: "cat",
      scope: "tenant",
      mode: "text",
      sources: ["messages"],
    });
    expect(body.memories[0]).toMatchObject({ content: contents[0] });
  }

  it.each(MOMENTS)("that D1 failed %s writing are acknowledged, and sent by the alarm", async (moment) => {
    await t.call("POST", "/v1/sessions", { id: t.session });
    breakBatches({ moment, matching: MESSAGES });
    await say("My cat sleeps", "So does the dog");
    await vi.waitFor(() => expect(failuresOfD1()).toBe(1));
    const stub = sessionStub(t.tenant, t.session);
    await vi.waitFor(async () => expect(await readSending(stub)).toEqual({ unsent: 2, attempts: 1 }));
    mendD1();
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await expectSent("My cat sleeps", "So does the dog");
    // What is left is the projectors' tick.
    expect(await alarmOf(stub)).toBe(now + 30_000);
  });

  it("that were acknowledged and not yet sent when the object was killed are sent by its alarm", async () => {
    await t.call("POST", "/v1/sessions", { id: t.session });
    stickBatches(MESSAGES);
    await say("My cat sleeps", "So does the dog");
    await vi.waitFor(() => expect(failuresOfD1()).toBe(1));
    await kill(sessionStub(t.tenant, t.session));
    mendD1();
    const reborn = sessionStub(t.tenant, t.session);
    expect((await t.call("GET", `${path}/messages`)).body.data).toHaveLength(2);
    expect(await readSending(reborn)).toMatchObject({ unsent: 2 });
    expect(await runDurableObjectAlarm(reborn)).toBe(true);
    await expectSent("My cat sleeps", "So does the dog");
  });

  it("that were written when the object was killed, and it did not know, are there once", async () => {
    await t.call("POST", "/v1/sessions", { id: t.session });
    await say("My cat sleeps");
    await vi.waitFor(async () => expect(await countOf("messages")).toBe(1));
    breakBatches({ moment: "after", matching: MESSAGES });
    await say("So does the dog");
    await vi.waitFor(() => expect(failuresOfD1()).toBeGreaterThan(0));
    await kill(sessionStub(t.tenant, t.session));
    mendD1();
    expect(await countOf("messages")).toBe(2);
    expect(await runDurableObjectAlarm(sessionStub(t.tenant, t.session))).toBe(true);
    await expectSent("My cat sleeps", "So does the dog");
  });

  it("that could not be sent are sent by the recall that asks for them", async () => {
    await t.call("POST", "/v1/sessions", { id: t.session });
    breakBatches({ moment: "before", matching: MESSAGES });
    await say("My cat sleeps");
    await vi.waitFor(() => expect(failuresOfD1()).toBe(1));
    const ask = () => t.call("POST", `${path}/recall`, { query: "cat", sources: ["messages"], mode: "text" });
    expect((await ask()).status).toBe(503);
    mendD1();
    expect((await ask()).body.memories).toMatchObject([{ content: "My cat sleeps" }]);
  });

  it("do not hold up what is remembered beside them", async () => {
    const other = freshId("session");
    await t.call("POST", "/v1/sessions", { id: t.session });
    breakBatches({ moment: "before", matching: MESSAGES });
    await say("My cat sleeps");
    expect((await t.call("POST", `/v1/sessions/${other}/remember`, { content: CAT })).status).toBe(201);
  });
});

type Held = { count: () => number; release: () => void };

/** A gate, and how many wait before it. */
function gate(): Held & { pass: () => Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const pass = () => {
    count += 1;
    return promise;
  };
  return { count: () => count, release: resolve, pass };
}

/** Lets batches begin only when they are released. `mendD1` ends it. */
function holdBatches(matching: RegExp): Held {
  const database = Object.getPrototypeOf(env.DB.withSession()) as Pick<D1Database, "batch">;
  const { batch } = database;
  const held = gate();
  database.batch = async function wait<T>(this: D1Database, list: D1PreparedStatement[]) {
    if (list.some((each) => matching.test(readSql(each)))) await held.pass();
    return batch.call(this, list) as Promise<D1Result<T>[]>;
  };
  return held;
}

/** Lets what batches read be known only when it is released. `mendD1` ends it. */
function holdAnswers(matching: RegExp): Held {
  const database = Object.getPrototypeOf(env.DB.withSession()) as Pick<D1Database, "batch">;
  const { batch } = database;
  const held = gate();
  database.batch = async function wait<T>(this: D1Database, list: D1PreparedStatement[]) {
    const results = (await batch.call(this, list)) as D1Result<T>[];
    if (list.some((each) => matching.test(readSql(each)))) await held.pass();
    return results;
  };
  return held;
}
