// The index on a fake Vectorize: the conformance suite, and its own behaviour: eventual consistency, Vectorize's limits
// and its failures.
import { describe, expect, it } from "vitest";
import { VectorIndexError, type VectorRecord } from "../../../src/recall/vectors/vector-index";
import { createVectorizeIndex, VISIBILITY_MARGIN_MS } from "../../../src/recall/vectors/vectorize-index";
import { FakeVectorize, statusError } from "../../fakes/vectorize";
import { freshId } from "../support";
import { DIMENSIONS, describeVectorIndex } from "./conformance";
import { generator, randomVector, record } from "./support";

describeVectorIndex("vectorize", () => {
  const fake = new FakeVectorize({ dimensions: DIMENSIONS });
  return {
    open: (owner) => createVectorizeIndex(fake, owner),
    settled: async () => fake.settle(),
  };
});

const random = generator(13);
const query = randomVector(DIMENSIONS, random);
const retryPolicy = { attempts: 3, baseDelayMs: 1, timeoutMs: 50 };

function setUp(indexed?: string[]) {
  const clock = { now: Date.parse("2026-01-01T00:00:00.000Z") };
  const now = () => clock.now;
  const fake = new FakeVectorize({ dimensions: DIMENSIONS, now, ...(indexed && { indexed }) });
  const owner = { tenant: freshId("tenant"), embedder: "test@1" };
  const index = createVectorizeIndex(fake, { ...owner, now, retryPolicy });
  const find = async (filter = {}, limit = 100) =>
    (await index.query("memory", query, { limit, filter })).map(({ id }) => id);
  return { clock, fake, owner, index, find };
}

function some(count: number, more: Partial<VectorRecord> = {}): VectorRecord[] {
  return Array.from({ length: count }, () => record(freshId("v"), randomVector(DIMENSIONS, random), more));
}

const idsOf = (records: readonly VectorRecord[]) => records.map(({ id }) => id);

describe("a write to Vectorize", () => {
  it("is found after a delay, and reported as visible not earlier", async () => {
    const { fake, index, find } = setUp();
    const records = some(3);
    const { visibleAfter } = await index.upsert("memory", records);
    if (visibleAfter === null) throw new Error("not at once");
    expect(await index.isVisible(visibleAfter)).toBe(false);
    expect(await find()).toEqual([]);
    fake.settle();
    expect(await index.isVisible(visibleAfter)).toBe(true);
    expect((await find()).toSorted()).toEqual(idsOf(records).toSorted());
  });

  it("of several batches is visible once the last one is", async () => {
    const { fake, index } = setUp();
    const { visibleAfter } = await index.upsert("memory", some(2_001));
    expect(fake.calls).toEqual(["upsert", "upsert", "upsert"]);
    fake.settle(2);
    expect(await index.isVisible(visibleAfter ?? "")).toBe(false);
    fake.settle(1);
    expect(await index.isVisible(visibleAfter ?? "")).toBe(true);
  });

  it("is not reported as visible because of an earlier write or a slightly later one", async () => {
    const { clock, fake, index } = setUp();
    await index.upsert("memory", some(1));
    clock.now += 1_000;
    const { visibleAfter } = await index.upsert("memory", some(1));
    fake.settle(1);
    expect(await index.isVisible(visibleAfter ?? "")).toBe(false);
    clock.now += VISIBILITY_MARGIN_MS;
    await index.upsert("memory", some(1));
    fake.settle();
    // Processed, but the date alone does not prove it yet.
    expect(await index.isVisible(visibleAfter ?? "")).toBe(false);
    clock.now += 1;
    await index.upsert("memory", some(1));
    fake.settle();
    expect(await index.isVisible(visibleAfter ?? "")).toBe(true);
  });

  it("with a shared id leaves the vector of the tenant that has it", async () => {
    const { fake, owner, index, find } = setUp();
    const [original] = some(1);
    if (original === undefined) throw new Error("no record");
    await index.upsert("memory", [original]);
    fake.settle();
    const other = createVectorizeIndex(fake, { ...owner, tenant: freshId("tenant"), retryPolicy });
    const copies = [original, ...some(1)].map((one) => ({ ...one, isShared: true }));
    await other.upsert("memory", copies);
    fake.settle();
    expect(await find()).toEqual([original.id]);
    const found = await other.query("memory", query, { limit: 10, filter: {} });
    expect(found.map(({ id }) => id)).toEqual([copies[1]?.id]);
    expect(await other.upsert("memory", copies.slice(0, 1))).toEqual({ visibleAfter: null });
  });

  it("that is removed at once does not reappear, though it is not counted", async () => {
    const { fake, index, find } = setUp();
    const records = some(2);
    await index.upsert("memory", records);
    expect(await index.remove("memory", idsOf(records))).toBe(0);
    fake.settle();
    expect(await find()).toEqual([]);
  });
});

describe("Vectorize's limits", () => {
  it("are respected by matches, ids and filters", async () => {
    const { fake, index, find } = setUp();
    const types = Array.from({ length: 120 }, (_, i) => `type-${i}-${"x".repeat(40)}`);
    const records = types.flatMap((type) => some(1, { type }));
    await index.upsert("memory", records);
    fake.settle();
    expect(index.maxMatches).toBe(100);
    expect(await find({}, 5_000)).toHaveLength(100);
    const best = await find({}, 100);
    expect(await find({ types }, 100)).toEqual(best);
    expect(await find({ types: types.slice(0, 60) }, 100)).toHaveLength(60);
    expect(await index.remove("memory", idsOf(records))).toBe(120);
    const count = (name: string) => fake.calls.filter((call) => call === name).length;
    expect([count("getByIds"), count("deleteByIds")]).toEqual([6, 2]);
  });

  it("include ids shared by all tenants: another tenant's vector is neither counted nor deleted", async () => {
    const { fake, index, find } = setUp();
    const other = createVectorizeIndex(fake, { tenant: freshId("tenant"), embedder: "test@1" });
    const [mine] = some(1);
    if (!mine) throw new Error("one record");
    await index.upsert("memory", [mine]);
    fake.settle();
    expect(await other.remove("memory", [mine.id])).toBe(0);
    expect(await index.remove("message", [mine.id])).toBe(0);
    fake.settle();
    expect(await find()).toEqual([mine.id]);
  });

  it("include metadata indexes: without them a filter matches nothing", async () => {
    const { fake, index, find } = setUp(["kind"]);
    await index.upsert("memory", some(3, { session: "s" }));
    fake.settle();
    expect(await find()).toHaveLength(3);
    expect(await find({ live: true })).toEqual([]);
    expect(await find({ scope: { kind: "session", token: "s" } })).toEqual([]);
  });

  it("include no listing: clear throws", async () => {
    const { index } = setUp();
    await expect(index.clear()).rejects.toThrow(/by their ids/);
    await expect(index.clear()).rejects.toThrow(VectorIndexError);
  });

  it("include namespaces: two tenants never share one, whatever their names", async () => {
    const fake = new FakeVectorize({ dimensions: DIMENSIONS });
    const owners = [
      { tenant: "a", embedder: "b/c" },
      { tenant: "a/b", embedder: "c" },
      { tenant: 'a","b', embedder: "c" },
      { tenant: "x".repeat(500), embedder: "y".repeat(500) },
    ];
    for (const owner of owners) await createVectorizeIndex(fake, owner).upsert("memory", some(1));
    fake.settle();
    for (const owner of owners) {
      const matches = await createVectorizeIndex(fake, owner).query("memory", query, {
        limit: 9,
        filter: {},
      });
      expect(matches).toHaveLength(1);
    }
  });
});

describe("a failure of Vectorize", () => {
  const passing = [
    statusError("VECTOR_UPSERT", 500),
    statusError("VECTOR_UPSERT", 503),
    statusError("VECTOR_UPSERT", 429),
    new Error("VECTOR_UPSERT_ERROR (code = 50001): internal error"),
    new Error("VECTOR_UPSERT_ERROR (code = 40041): rate limit exceeded"),
    new Error("Network connection lost."),
  ];

  it("that is retryable is retried, and hidden if the retry succeeds", async () => {
    for (const error of passing) {
      const { fake, index, find } = setUp();
      fake.failNext(2, error);
      const records = some(1);
      await index.upsert("memory", records);
      fake.settle();
      fake.failNext(2, error);
      expect(await find(), error.message).toEqual(idsOf(records));
      fake.failNext(2, error);
      expect(await index.remove("memory", idsOf(records)), error.message).toBe(1);
      expect(fake.calls.filter((call) => call === "upsert")).toHaveLength(3);
    }
  });

  it("that lasts becomes the port's error after three attempts, and quotes nothing", async () => {
    for (const error of passing) {
      const { fake, index } = setUp();
      fake.failNext(3, error);
      const failure = await index.upsert("memory", some(1)).catch((thrown) => thrown);
      expect(failure).toBeInstanceOf(VectorIndexError);
      expect(failure.name).toBe("VectorIndexError");
      expect(failure.message).toMatch(/^Vectorize failed(: VECTOR_UPSERT_ERROR(, (code|status) \d+)?)?\.$/);
      expect(failure.cause).toBeUndefined();
      expect(fake.calls).toEqual(["upsert", "upsert", "upsert"]);
    }
  });

  it("that is permanent is not retried", async () => {
    for (const error of [
      statusError("VECTOR_QUERY", 403),
      new Error("VECTOR_QUERY_ERROR (code = 40022): secret content"),
    ]) {
      const { fake, find } = setUp();
      fake.failNext(1, error);
      const failure = await find().catch((thrown) => thrown);
      expect(failure).toBeInstanceOf(VectorIndexError);
      expect(failure.message).not.toContain("secret");
      expect(fake.calls).toEqual(["query", "describe"]);
    }
  });

  it("to respond times out", async () => {
    const { fake, index } = setUp();
    fake.describe = () => new Promise(() => undefined);
    await expect(index.isVisible(JSON.stringify(["m", 0]))).rejects.toThrow(
      "Vectorize did not answer in time.",
    );
  });
});

describe("the fake Vectorize", () => {
  const fake = new FakeVectorize({ dimensions: 2, indexed: ["color", "size"] });
  const plain = (id: string, more: Partial<VectorizeVector> = {}) => ({ id, values: [1, 0], ...more });

  it("rejects the same requests as Vectorize", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `id-${i}`);
    const long = "x".repeat(65);
    for (const [call, message] of [
      [() => fake.query([1, 0], { topK: 101 }), /max top K is 100/],
      [() => fake.query([1, 0], { topK: 21, returnValues: true }), /max top K is 20/],
      [() => fake.query([1, 0], { topK: 21, returnMetadata: "all" }), /max top K is 20/],
      [() => fake.query([1]), /dimensions/],
      [() => fake.query([1, 0], { namespace: long }), /namespace/],
      [() => fake.query([1, 0], { filter: {} }), /empty/],
      [() => fake.query([1, 0], { filter: { color: { $in: many(300) } } }), /2048/],
      [() => fake.query([1, 0], { filter: { size: { $gt: 1, $gte: 2 } } }), /combined/],
      [() => fake.upsert([plain(long)]), /id must have/],
      [() => fake.upsert([plain("a", { namespace: long })]), /namespace/],
      [() => fake.upsert([plain("a", { values: [1] })]), /dimensions/],
      [() => fake.upsert(many(1_001).map((id) => plain(id))), /1000/],
      [() => fake.getByIds(many(21)), /max id count is 20/],
      [() => fake.deleteByIds(many(101)), /max id count is 100/],
    ] as const)
      await expect(call()).rejects.toThrow(message);
  });

  it("filters as Vectorize does", async () => {
    const long = `${"é".repeat(32)}-`;
    await fake.upsert([
      plain("1", { metadata: { color: "red", size: 1, hidden: "a" } }),
      plain("2", { metadata: { color: "blue", size: 2 } }),
      plain("3", { metadata: { color: `${long}1`, size: 3 } }),
      plain("4"),
    ]);
    fake.settle();
    const ids = async (filter: VectorizeVectorMetadataFilter) =>
      (await fake.query([1, 0], { topK: 10, filter })).matches.map(({ id }) => id).toSorted();
    expect(await ids({ color: "red" })).toEqual(["1"]);
    expect(await ids({ color: { $ne: "red" } })).toEqual(["2", "3", "4"]);
    expect(await ids({ color: { $in: ["red", "blue"] } })).toEqual(["1", "2"]);
    expect(await ids({ color: { $nin: ["red", "blue"] } })).toEqual(["3", "4"]);
    expect(await ids({ size: { $gte: 2, $lt: 3 } })).toEqual(["2"]);
    expect(await ids({ size: { $gt: 1, $lte: 3 } })).toEqual(["2", "3"]);
    expect(await ids({ color: `${long}2` })).toEqual(["3"]);
    expect(await ids({ hidden: "a" })).toEqual([]);
    expect((await fake.queryById("1", { topK: 1, returnMetadata: "indexed" })).count).toBe(1);
  });

  it("keeps the first of two inserts and the last of two upserts, in any namespaces", async () => {
    const small = new FakeVectorize({ dimensions: 2 });
    await small.insert([plain("a", { namespace: "one" })]);
    await small.insert([plain("a", { namespace: "two" })]);
    small.settle();
    expect((await small.getByIds(["a"]))[0]?.namespace).toBe("one");
    await small.upsert([plain("a", { namespace: "two" })]);
    small.settle();
    expect((await small.getByIds(["a"]))[0]?.namespace).toBe("two");
    expect((await small.query([1, 0], { namespace: "one" })).count).toBe(0);
  });
});
