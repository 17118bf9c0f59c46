// The indexer's Durable Object: woken by writes, by its own alarm, and by the sweep when a wake-up was lost.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { IndexerObject } from "../../../durable-objects/indexer";
import { sweep } from "../../../src/administration/sweep";
import { selectEmbedder } from "../../../src/models/embedders/select-embedder";
import { FIRST_RETRY_MS, WAKE_DELAY_MS } from "../../../src/recall/index/embedding-indexer";
import { openVectorIndex } from "../../../src/recall/vectors/semantic-services";
import { claimModel, forgetModel, queueOf } from "../semantic-support";
import { newTenant } from "../store/long-term-support";
import { ADMIN_KEY, callWith, freshId } from "../support";
import {
  alarmOfIndexer,
  breakEmbedder,
  HOUR,
  indexerStub,
  mendEmbedders,
  nearestIn,
  setIndexerClock,
  settled,
} from "./support";

beforeEach(forgetModel);
afterEach(mendEmbedders);

const embedder = selectEmbedder(env);
if (embedder === null) throw new Error("The tests run with the embedded embedder");

/** Creates a tenant whose indexer's clock is fixed an hour ahead, so that no alarm runs by itself. */
async function newIndexedTenant() {
  const home = await newTenant();
  const stub = indexerStub(home.tenant);
  const now = Date.now() + HOUR;
  await setIndexerClock(stub, now);
  return { ...home, stub, now };
}

describe("the indexer's object", () => {
  it("is woken by a write, indexes it on its alarm, and then sets no further alarm", async () => {
    const t = await newIndexedTenant();
    const id = await t.remember({ content: "The cat sleeps on the sofa" });
    await vi.waitFor(async () => expect(await alarmOfIndexer(t.stub)).toBe(t.now + WAKE_DELAY_MS));
    expect(await queueOf(t.tenant)).toMatchObject([{ kind: "memory", id }]);
    await settled(t.stub, t.tenant);
    expect(await nearestIn(t.tenant, "the cat sleeps")).toEqual([id]);
  });

  it("is woken by forgetting and by erasing, and the index follows", async () => {
    const t = await newIndexedTenant();
    const forgotten = await t.remember({ content: "The cat sleeps on the sofa" });
    const erased = await t.remember({ content: "The cat sleeps on the chair" });
    await settled(t.stub, t.tenant);
    await t.forget({ memory_id: forgotten });
    await settled(t.stub, t.tenant);
    const { body } = await t.call("DELETE", `/v1/memories/${erased}`);
    expect(body.deleted).toMatchObject({ memories: 1, vectors: 1 });
    await settled(t.stub, t.tenant);
    expect(await nearestIn(t.tenant, "the cat sleeps")).toEqual([forgotten]);
  });

  it("is woken by the erasure of a session", async () => {
    const t = await newIndexedTenant();
    await t.remember({ content: "The cat sleeps on the sofa" });
    await settled(t.stub, t.tenant);
    const { body } = await t.call("DELETE", `/v1/sessions/${t.session}?memories=true`);
    expect(body.deleted).toMatchObject({ memories: 1, vectors: 1 });
    await settled(t.stub, t.tenant);
    expect(await nearestIn(t.tenant, "the cat sleeps")).toEqual([]);
  });

  it("retries on its alarm after the embedder failed, and then indexes everything", async () => {
    const t = await newIndexedTenant();
    await breakEmbedder(t.stub);
    const contents = ["The cat sleeps on the sofa", "The cat sleeps on the chair"];
    const written = await t.store().memories.commit(contents.map((content) => t.write({ content })));
    await t.stub.wake(t.tenant);
    expect(await runDurableObjectAlarm(t.stub)).toBe(true);
    expect(await alarmOfIndexer(t.stub)).toBe(t.now + FIRST_RETRY_MS);
    expect(await queueOf(t.tenant)).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
    await setIndexerClock(t.stub, t.now + FIRST_RETRY_MS);
    await runDurableObjectAlarm(t.stub);
    expect(await alarmOfIndexer(t.stub)).toBe(t.now + 3 * FIRST_RETRY_MS);
    // Meanwhile lexical search finds the memory.
    const { body } = await t.call("POST", "/v1/recall", { query: "cat", mode: "text" });
    expect(body.count).toBe(2);
    mendEmbedders();
    await setIndexerClock(t.stub, t.now + 3 * FIRST_RETRY_MS);
    await runDurableObjectAlarm(t.stub);
    expect((await nearestIn(t.tenant, "the cat sleeps")).toSorted()).toEqual(
      written.flatMap((result) => (result.ok ? result.value.memory_id : [])).toSorted(),
    );
    expect(await alarmOfIndexer(t.stub)).toBeNull();
  });

  it("does nothing, and sets no alarm, while the vectors are those of another embedder", async () => {
    const t = await newIndexedTenant();
    await claimModel({ name: "another@1", dimensions: 3, index: "embedded" });
    await t.store().memories.commit([t.write({ content: "The cat sleeps on the sofa" })]);
    await t.stub.wake(t.tenant);
    await runDurableObjectAlarm(t.stub);
    expect(await queueOf(t.tenant)).toMatchObject([{ attempts: 0 }]);
    expect(await alarmOfIndexer(t.stub)).toBeNull();
    const { body } = await t.call("POST", "/v1/recall", { query: "cat" });
    expect(body).toMatchObject({ count: 1, degraded: expect.stringContaining("npm run reembed") });
  });
});

describe("the sweep", () => {
  it("wakes the indexers of tenants with due entries, and no others", async () => {
    const lost = await newIndexedTenant();
    const quiet = await newIndexedTenant();
    const early = await newIndexedTenant();
    const [result] = await lost
      .store()
      .memories.commit([lost.write({ content: "The cat sleeps on the sofa" })]);
    await early.store().memories.commit([early.write({ content: "The dog runs" })]);
    const at = Date.now();
    await env.DB.prepare("UPDATE vector_queue SET due_at = ? WHERE tenant = ?")
      .bind(at + 1, early.tenant)
      .run();
    expect(await alarmOfIndexer(lost.stub)).toBeNull();
    await sweep(env, at);
    expect(await alarmOfIndexer(quiet.stub)).toBeNull();
    expect(await alarmOfIndexer(early.stub)).toBeNull();
    expect(await runDurableObjectAlarm(lost.stub)).toBe(true);
    expect(await nearestIn(lost.tenant, "the cat sleeps")).toEqual([
      result?.ok ? result.value.memory_id : "",
    ]);
  });

  it("continues when one indexer cannot be woken", async () => {
    const [broken, sound] = [await newIndexedTenant(), await newIndexedTenant()];
    for (const t of [broken, sound])
      await t.store().memories.commit([t.write({ content: "The cat sleeps" })]);
    await runInDurableObject<IndexerObject, void>(broken.stub, (instance) => {
      instance.now = () => {
        throw new Error("broken by the test");
      };
    });
    await sweep(env, Date.now());
    expect(await alarmOfIndexer(broken.stub)).toBeNull();
    expect(await alarmOfIndexer(sound.stub)).not.toBeNull();
    await setIndexerClock(broken.stub, broken.now);
  });
});

describe("re-embedding over the admin API", () => {
  const reembed = async () => {
    const { status, body } = await callWith(ADMIN_KEY, "POST", "/v1/admin/reembed", {});
    expect(status).toBe(200);
    return body as { done: number; total: number; finished: boolean };
  };
  const state = async (tenant: string) =>
    (await callWith(ADMIN_KEY, "GET", `/v1/admin/index?tenant=${tenant}`)).body;

  it("recomputes all vectors after a change of embedder, and removes the old ones", async () => {
    const t = await newIndexedTenant();
    const old = { name: freshId("old"), dimensions: 3, index: "embedded" } as const;
    await claimModel(old);
    const id = await t.remember({ content: "The cat sleeps on the sofa" });
    const record = {
      session: null,
      user: null,
      agent: null,
      project: null,
      type: "fact",
      live: true,
      timestamp: 0,
    };
    const oldIndex = openVectorIndex(env, t.tenant, old);
    await oldIndex.upsert("memory", [{ ...record, id, vector: Float32Array.of(1, 0, 0) }]);
    expect(await state(t.tenant)).toMatchObject({
      made_with: { embedder: old.name, dimensions: 3 },
      matches: false,
      waiting: 1,
    });
    let page = await reembed();
    expect(await state(t.tenant)).toMatchObject({ matches: true, reembedding: true });
    for (let calls = 0; !page.finished && calls < 20; calls += 1) page = await reembed();
    expect(page).toMatchObject({ finished: true, done: page.total });
    expect(await state(t.tenant)).toMatchObject({
      made_with: { embedder: embedder.name },
      matches: true,
      reembedding: false,
      waiting: 0,
    });
    expect(await nearestIn(t.tenant, "the cat sleeps")).toEqual([id]);
    const left = await oldIndex.query("memory", Float32Array.of(1, 0, 0), { limit: 9, filter: {} });
    expect(left).toEqual([]);
  });
});
