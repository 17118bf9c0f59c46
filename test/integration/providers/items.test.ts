// Items of providers: semantic search, failures, erasure, re-embedding and limits.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { openVector } from "../../../src/cognition/providers/provider-registry";
import { FailureError } from "../../../src/kernel/errors";
import { COGNITION } from "../../../src/kernel/limits";
import { VECTOR_PAGE_SIZE } from "../../../src/memories/store/vector-queue";
import { EmbedderError } from "../../../src/models/embedders/embedder";
import { EmbeddingIndexer } from "../../../src/recall/index/embedding-indexer";
import { reembedPage } from "../../../src/recall/index/reembed";
import { computeItemVectorId } from "../../../src/recall/search/item-repository";
import { createEmbeddedIndex } from "../../../src/recall/vectors/embedded-index";
import { MAX_TOP_K, VECTORIZE_RETRY_POLICY } from "../../../src/recall/vectors/vectorize-index";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { FakeEmbedder } from "../../fakes/embedder";
import { statusError } from "../../fakes/vectorize";
import { db, queueOf } from "../semantic-support";
import { freshId } from "../support";
import { d1Subject, inlineSubject, type VectorSubject, vectorSubject } from "./support";

async function failureOf(work: Promise<unknown>): Promise<FailureError["failure"]> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FailureError)) throw new Error("It did not fail as a value", { cause: error });
  return error.failure;
}

const newOwner = () => ({ tenant: freshId("tenant"), session: freshId("session") });

async function counted(query: string, ...params: string[]): Promise<number> {
  return (
    (
      await env.DB.prepare(query)
        .bind(...params)
        .first<{ n: number }>()
    )?.n ?? 0
  );
}

const itemsOf = (tenant: string) => counted("SELECT count(*) AS n FROM items WHERE tenant = ?", tenant);
const indexedTexts = () => counted("SELECT count(*) AS n FROM items_fts");

describe.each(["embedded", "vectorize"] as const)("on %s, the vector provider", (on) => {
  let subject: VectorSubject;
  beforeEach(async () => {
    subject = await vectorSubject(on);
  });

  function opened(owner = newOwner()) {
    const provider = subject.open(owner);
    const find = async (text: string, top_k = 10) =>
      (await provider.query({ text, top_k })).map(({ key }) => key);
    return { ...owner, ...subject.of(owner.tenant), provider, find };
  }

  it("finds items that its embedder cannot read by their text", async () => {
    const { tenant, provider, find } = opened();
    subject.embedder.unreadable = /\p{Script=Han}/u;
    await provider.put([
      { key: "dog", value: "我养的狗叫豆豆" },
      { key: "car", value: "Her car is red" },
    ]);
    expect(await find("狗叫什么名字")).toEqual(["dog"]);
    expect(await find("automobile")).toEqual(["car"]);
    await subject.settled();
    expect(await queueOf(tenant)).toEqual([]);
    expect(await find("狗叫什么名字")).toEqual(["dog"]);
  });

  it("finds items without a common word, at once and later", async () => {
    const { provider, find } = opened();
    await provider.put([
      { key: "k1", value: "Her car is in the backyard" },
      { key: "k2", value: "The physician called" },
    ]);
    for (const _ of ["at once", "later"]) {
      expect(await find("automobile")).toEqual(["k1"]);
      expect(await find("doctor")).toEqual(["k2"]);
      await subject.settled();
    }
  });

  it("scores by cosine similarity", async () => {
    const { provider } = opened();
    await provider.put([{ key: "k1", value: "amber harbour lantern violet" }]);
    for (const precision of [6, 2]) {
      const [match] = await provider.query({ text: "amber", top_k: 1 });
      expect(match?.score).toBeCloseTo(0.5, precision);
      await subject.settled();
    }
  });

  it("finds more items than a query embeds itself, once the indexer has drained its backlog", async () => {
    const { provider, find, tenant } = opened();
    const items = Array.from({ length: subject.embedder.maxInlineTexts + 10 }, (_, i) => ({
      key: `k${i}`,
      value: "memo",
    }));
    await provider.put([{ key: "first", value: "Her car is red" }]);
    await provider.put(items);
    expect(await find("automobile")).toEqual(["first"]);
    const unsent = (await queueOf(tenant)).filter(({ visible_after }) => visible_after === null);
    expect(unsent).toEqual([]);
  });

  it("leaves no row, no text and no vector of deleted items", async () => {
    const before = await indexedTexts();
    const { provider, tenant, index } = opened();
    await provider.put([{ key: "k1", value: "Her car is red" }]);
    await subject.settled();
    const asked = { limit: 10, filter: {} };
    expect(await index.query("item", subject.embedder.vectorOf("car"), asked)).toHaveLength(1);
    await provider.delete(["k1"]);
    await subject.settled();
    expect(await index.query("item", subject.embedder.vectorOf("car"), asked)).toEqual([]);
    expect(await itemsOf(tenant)).toBe(0);
    expect(await indexedTexts()).toBe(before);
    expect(await queueOf(tenant)).toEqual([]);
  });

  it("uses the embedding that an item brings, at once and later, until the item is put without one", async () => {
    const { provider, find } = opened();
    const embedding = [...subject.embedder.vectorOf("car")].map((value) => value * 1e30);
    await provider.put([
      { key: "k1", value: "A violet meadow", embedding },
      { key: "k2", value: "A violet meadow" },
    ]);
    for (const _ of ["at once", "later"]) {
      const [match] = await provider.query({ text: "automobile", top_k: 5 });
      expect(match).toEqual({ key: "k1", score: expect.closeTo(1, 2), value: "A violet meadow" });
      expect(await find("meadow")).toEqual(["k2"]);
      await subject.settled();
    }
    expect(subject.embedder.embedded.filter((text) => text === "A violet meadow")).not.toHaveLength(0);
    await provider.put([{ key: "k1", value: "A violet meadow" }]);
    for (const _ of ["at once", "later"]) {
      expect(await find("automobile")).toEqual([]);
      expect((await find("meadow")).sort()).toEqual(["k1", "k2"]);
      await subject.settled();
    }
  });

  it("embeds the text of an item whose own embedding belongs to another embedder", async () => {
    const { provider, find, tenant } = opened();
    const embedding = [...subject.embedder.vectorOf("car")];
    await provider.put([{ key: "k1", value: "A violet meadow", embedding }]);
    await env.DB.prepare("UPDATE items SET embedder = 'other@1' WHERE tenant = ?").bind(tenant).run();
    for (const _ of ["at once", "later"]) {
      expect(await find("meadow")).toEqual(["k1"]);
      expect(await find("automobile")).toEqual([]);
      await subject.settled();
    }
  });

  it("keeps items apart from memories", async () => {
    const { provider, tenant, session, memory, index } = opened();
    const { store } = memory;
    await provider.put([{ key: "k1", value: "Her car is red" }]);
    await subject.settled();
    const vector = subject.embedder.vectorOf("car");
    expect(await index.query("memory", vector, { limit: 10, filter: {} })).toEqual([]);
    const id = await computeItemVectorId(tenant, `vector/session:${session}`, "k1");
    expect(await index.query("item", vector, { limit: 10, filter: {} })).toMatchObject([{ id }]);
    expect(await store.memories.countLive(session)).toBe(0);
  });

  it("throws on a retryable failure of the embedder, and later finds the items stored meanwhile", async () => {
    const { provider, find } = opened();
    subject.embedder.failure = new EmbedderError("Status 500.");
    await provider.put([{ key: "k1", value: "Her car is red" }]);
    await subject.settled();
    await expect(find("automobile")).rejects.toBeInstanceOf(EmbedderError);
    subject.embedder.failure = null;
    expect(await find("automobile")).toEqual(["k1"]);
  });

  it("finds a rejected text by its words, and all others by similarity", async () => {
    const { provider, find } = opened();
    subject.embedder.poison = /poisonous/;
    await provider.put([
      { key: "k1", value: "A poisonous hound" },
      { key: "k2", value: "Her car is red" },
    ]);
    for (const _ of ["at once", "later"]) {
      expect(await find("automobile")).toEqual(["k2"]);
      expect(await find("dog")).toEqual([]);
      expect(await find("hound")).toEqual(["k1"]);
      await subject.settled();
    }
    expect(await failureOf(find("poisonous"))).toMatchObject({ code: "unprocessable" });
  });

  it("does not find an item by its old text when the new one is rejected", async () => {
    const { provider, find } = opened();
    await provider.put([{ key: "k1", value: "A hound" }]);
    await subject.settled();
    subject.embedder.poison = /poisonous/;
    await provider.put([{ key: "k1", value: "A poisonous vessel" }]);
    expect(await find("dog")).toEqual([]);
    expect(await find("vessel")).toEqual(["k1"]);
  });

  it("finds items by words, and accepts new ones, while the vectors are those of another embedder", async () => {
    const { provider, tenant, session, index: old } = opened();
    await provider.put([{ key: "k1", value: "Her car is red" }]);
    await subject.settled();
    const embedder = new FakeEmbedder({ name: "fake@2", dimensions: 128 });
    const index = createEmbeddedIndex(env.VECTOR_INDEX, { tenant, embedder: embedder.name });
    const indexer = { wake: async () => 0, drain: async () => 0, remove: async () => 0 };
    const vectors = { semantic: { embedder, index }, indexer };
    const now = () => subject.clock.now;
    const changed = openVector(createLongTermMemory(env, tenant, { now, vectors }), session, {});
    await changed.put([{ key: "k2", value: "His car is blue" }]);
    const keys = async (text: string) =>
      (await changed.query({ text, top_k: 5 })).map(({ key }) => key).toSorted();
    expect(await keys("cars")).toEqual(["k1", "k2"]);
    expect(await keys("automobile")).toEqual([]);

    // d1 items have no vectors: re-embedding leaves them alone.
    await d1Subject()
      .open({ tenant, session })
      .put([{ key: "k3", value: "Their car is green" }]);
    const model = { name: embedder.name, dimensions: embedder.dimensions, index: "embedded" } as const;
    const working = new EmbeddingIndexer({ db, tenant, embedder, index, telemetry: () => undefined, now });
    const ports = {
      clear: async (whose: string) => (whose === tenant && on === "embedded" ? old.clear() : undefined),
      open: () => db,
      drain: () => working.run(Number.POSITIVE_INFINITY),
    };
    let page = await reembedPage(db, model, ports);
    expect(await keys("cars")).toEqual(["k1", "k2"]);
    while (!page.finished) page = await reembedPage(db, model, ports);
    expect(page.total).toBe(await counted("SELECT count(*) AS n FROM items WHERE vector_id IS NOT NULL"));
    expect(await keys("automobile")).toEqual(["k1", "k2"]);
    const asked = { limit: 10, filter: {} };
    expect(await index.query("item", embedder.vectorOf("car"), asked)).toHaveLength(2);
    // Vectorize cannot be cleared: there a vector is replaced under its own id.
    const left = await old.query("item", subject.embedder.vectorOf("car"), asked);
    expect(left).toHaveLength(on === "embedded" ? 0 : 1);
  });
});

describe("on vectorize, the vector provider", () => {
  it("finds items behind more deleted ones than the index returns", async () => {
    const subject = await vectorSubject("vectorize");
    const provider = subject.open(newOwner());
    const gone = Array.from({ length: MAX_TOP_K }, (_, i) => `k${i}`);
    await provider.put(gone.map((key) => ({ key, value: "amber" })));
    await provider.put([{ key: "left", value: "amber harbour lantern" }]);
    await subject.settled();
    await provider.delete(gone);
    expect((await provider.query({ text: "amber", top_k: 5 })).map(({ key }) => key)).toEqual(["left"]);
  });

  it("throws when the index fails, and keeps its items", async () => {
    const subject = await vectorSubject("vectorize");
    const provider = subject.open(newOwner());
    await provider.put([{ key: "k1", value: "Her car is red" }]);
    subject.vectorize.failNext(VECTORIZE_RETRY_POLICY.attempts, statusError("VECTOR_QUERY", 500));
    const query = provider.query({ text: "automobile", top_k: 5 });
    await expect(query).rejects.toMatchObject({ name: "VectorIndexError" });
    expect(await provider.query({ text: "automobile", top_k: 5 })).toMatchObject([{ key: "k1" }]);
  });
});

describe("without an embedder, the vector provider", () => {
  it("reports the missing setting, and still reads and deletes", async () => {
    const owner = newOwner();
    const subject = await vectorSubject("embedded");
    await subject.open(owner).put([{ key: "k1", value: "Her car is red" }]);
    const provider = openVector(d1Subject().memoryOf(owner.tenant), owner.session, {});
    for (const work of [
      provider.put([{ key: "k2", value: "new" }]),
      provider.query({ text: "car", top_k: 5 }),
    ])
      expect(await failureOf(work)).toMatchObject({
        code: "not_configured",
        detail: expect.stringMatching(/EMBEDDER.*d1 provider/),
      });
    expect(await provider.get(["k1", "k2"])).toEqual([{ key: "k1", value: "Her car is red" }]);
    expect(await provider.delete(["k1"])).toBe(1);
  });
});

describe.each(["embedded", "vectorize"] as const)("on %s, erasing a session", (on) => {
  it("erases its own items with their vectors, and keeps those of others and of named stores", async () => {
    const subject = await vectorSubject(on);
    const d1 = d1Subject();
    const me = newOwner();
    const other = { ...me, session: freshId("session") };
    const texts = await indexedTexts();
    const item = { key: "k1", value: "Her car is red" };
    const mine = [subject.open(me), d1.open(me)];
    const kept = [
      subject.open(other),
      d1.open(other),
      subject.open(me, { index: "notes" }),
      d1.open(me, { index: "notes" }),
      subject.open({ ...me, tenant: freshId("tenant") }),
    ];
    for (const provider of [...mine, ...kept]) await provider.put([item]);
    await mine[0]?.put([{ key: "k2", value: "His car is blue" }]);
    await subject.settled();

    const { memory, index } = subject.of(me.tenant);
    const { store } = memory;
    expect(await store.sessions.erase(me.session, { memories: false })).toMatchObject({ vectors: 2 });
    for (const provider of mine) {
      expect(await provider.get(["k1", "k2"])).toEqual([]);
      expect(await provider.query({ text: "car", top_k: 5 })).toEqual([]);
    }
    for (const provider of kept) {
      expect(await provider.get(["k1"])).toEqual([item]);
      expect(await provider.query({ text: "car", top_k: 5 })).toMatchObject([{ key: "k1" }]);
    }
    expect(await indexedTexts()).toBe(texts + kept.length);
    await subject.settled();
    const asked = { limit: 10, filter: {} };
    expect(await index.query("item", subject.embedder.vectorOf("car"), asked)).toHaveLength(2);
    expect(await queueOf(me.tenant)).toEqual([]);
    // Repeated: nothing is left to erase.
    expect(await store.sessions.erase(me.session, { memories: false })).toMatchObject({ vectors: 0 });
  });
});

describe("the indexer", () => {
  it("indexes items before messages, so that a long conversation does not delay them", async () => {
    const subject = await vectorSubject("embedded");
    const { tenant, session } = newOwner();
    const { memory, indexer } = subject.of(tenant);
    const { store } = memory;
    const message = {
      role: "user" as const,
      name: null,
      token_count: 1,
      tool_calls: null,
      tool_call_id: null,
      metadata: {},
    };
    const said = Array.from({ length: 2 * VECTOR_PAGE_SIZE }, (_, i) => ({
      ...message,
      id: `m${i}`,
      content: `word ${i}`,
      timestamp: "2026-01-01T00:00:00.000Z",
      position: i + 1,
    }));
    await store.messages.write(
      { user_id: null, session_id: session, agent_id: null, project_id: null },
      said,
      1,
    );
    await subject.open({ tenant, session }).put([{ key: "k1", value: "Her car is red" }]);
    subject.embedder.meanwhile = async () => {
      // Time for one page only.
      subject.clock.now += 1_000;
    };
    await indexer.run(subject.clock.now + 1);
    expect((await queueOf(tenant)).every(({ kind }) => kind === "message")).toBe(true);
    expect(await queueOf(tenant)).toHaveLength(VECTOR_PAGE_SIZE);
  });
});

describe("an inline store", () => {
  it("rejects a call that exceeds its item limit as a whole, and still replaces items", async () => {
    const owner = newOwner();
    const provider = inlineSubject().open(owner);
    const items = Array.from({ length: COGNITION.inlineItems - 1 }, (_, i) => ({
      key: `k${i}`,
      value: "amber",
    }));
    await provider.put(items);
    const two = [
      { key: "k0", value: "violet" },
      { key: "new", value: "one" },
      { key: "newer", value: "another" },
    ];
    expect(await failureOf(provider.put(two))).toMatchObject({
      code: "limit_exceeded",
      detail: expect.stringContaining(`${COGNITION.inlineItems}`),
    });
    expect(await provider.get(["k0", "new", "newer"])).toEqual([{ key: "k0", value: "amber" }]);
    await provider.put(two.slice(0, 2));
    expect(await provider.get(["k0", "new"])).toEqual(two.slice(0, 2));
    // Another store of the session has its own limit.
    await inlineSubject().open(owner, { index: "notes" }).put(two);
  });

  it("limits its bytes, and replaced items free theirs", async () => {
    const provider = inlineSubject().open(newOwner());
    const large = (key: string, size: number) => ({ key, value: "é".repeat(size / 2) });
    const half = COGNITION.inlineBytes / 2;
    await provider.put([large("a", half - 100), large("b", half - 100)]);
    expect(await failureOf(provider.put([large("c", 400)]))).toMatchObject({
      code: "limit_exceeded",
      detail: expect.stringContaining(`${COGNITION.inlineBytes} bytes`),
    });
    expect(await provider.get(["c"])).toEqual([]);
    await provider.put([large("a", 100), large("c", 400)]);
  });

  it("matches inflected words, and ranks rare words higher", async () => {
    const provider = inlineSubject().open(newOwner());
    await provider.put([
      { key: "k1", value: "The cats are sleeping in the café" },
      { key: "k2", value: "A dog slept" },
      { key: "k3", value: "Sleep well" },
    ]);
    const keys = async (text: string) => (await provider.query({ text, top_k: 5 })).map(({ key }) => key);
    expect(await keys("cat")).toEqual(["k1"]);
    expect(await keys("CAFE")).toEqual(["k1"]);
    expect((await keys("sleep")).toSorted()).toEqual(["k1", "k2", "k3"]);
    expect((await keys("which dogs sleep"))[0]).toBe("k2");
  });
});
