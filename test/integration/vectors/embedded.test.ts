// The embedded index on real Durable Objects: the conformance suite, and its own behaviour: shards, eviction and strong
// consistency.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createEmbeddedIndex } from "../../../src/recall/vectors/embedded-index";
import {
  type VectorIndex,
  VectorIndexError,
  type VectorRecord,
} from "../../../src/recall/vectors/vector-index";
import { freshId } from "../support";
import { DIMENSIONS, describeVectorIndex } from "./conformance";
import { cosine, generator, randomVector, record } from "./support";

const settled = async () => undefined;

describeVectorIndex("embedded", () => ({
  open: (owner) => createEmbeddedIndex(env.VECTOR_INDEX, owner),
  settled,
}));

// Not a multiple of the rows per block.
const SHARD = 41;

describeVectorIndex(`embedded, in shards of ${SHARD}`, () => ({
  open: (owner) => createEmbeddedIndex(env.VECTOR_INDEX, { ...owner, vectorsPerShard: SHARD }),
  settled,
}));

const random = generator(11);
const query = randomVector(DIMENSIONS, random);

function setUp(vectorsPerShard = SHARD) {
  const tenant = freshId("tenant");
  const owner = { tenant, embedder: "test@1", vectorsPerShard };
  return { tenant, owner, index: createEmbeddedIndex(env.VECTOR_INDEX, owner) };
}

function some(count: number, more: Partial<VectorRecord> = {}): VectorRecord[] {
  return Array.from({ length: count }, () => record(freshId("v"), randomVector(DIMENSIONS, random), more));
}

function shardOf(tenant: string, n: number) {
  return env.VECTOR_INDEX.getByName(`${tenant}/memory/test@1/${n}`);
}

/** Returns the ids that a shard has stored. */
function stored(tenant: string, n: number): Promise<string[]> {
  return runInDurableObject(shardOf(tenant, n), (_instance, { storage }) =>
    storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'blocks'").toArray().length === 0
      ? []
      : storage.sql
          .exec<{ ids: string }>("SELECT ids FROM blocks ORDER BY block")
          .toArray()
          .flatMap(({ ids }) => JSON.parse(ids) as string[]),
  );
}

const idsOf = (records: readonly VectorRecord[]) => records.map(({ id }) => id);

async function find(index: VectorIndex, limit = 1_000, filter = {}): Promise<string[]> {
  return (await index.query("memory", query, { limit, filter })).map(({ id }) => id);
}

/** Opens the index as in another isolate, without a cached number of shards. */
function elsewhere(owner: ReturnType<typeof setUp>["owner"]): VectorIndex {
  const binding = { getByName: (name: string) => env.VECTOR_INDEX.getByName(name) };
  return createEmbeddedIndex(binding as unknown as DurableObjectNamespace, owner);
}

describe("the embedded index's shards", () => {
  it("are filled one after the other, and an id is in exactly one", async () => {
    const { tenant, index } = setUp();
    const records = some(100);
    await index.upsert("memory", records);
    expect(await stored(tenant, 0)).toEqual(idsOf(records.slice(0, 41)));
    expect(await stored(tenant, 1)).toEqual(idsOf(records.slice(41, 82)));
    expect(await stored(tenant, 2)).toEqual(idsOf(records.slice(82)));

    await index.upsert(
      "memory",
      records.map((each) => ({ ...each, type: "decision" })),
    );
    const sizes = await Promise.all([0, 1, 2, 3].map(async (n) => (await stored(tenant, n)).length));
    expect(sizes).toEqual([41, 41, 18, 0]);
    expect((await find(index, 1_000, { types: ["decision"] })).toSorted()).toEqual(idsOf(records).toSorted());
  });

  it("return the overall top k", async () => {
    const { index } = setUp();
    const records = some(200);
    await index.upsert("memory", records);
    const best = records
      .toSorted((a, b) => cosine(query, b.vector) - cosine(query, a.vector))
      .slice(0, 20)
      .map(({ vector }) => cosine(query, vector));
    const matches = await index.query("memory", query, { limit: 20, filter: {} });
    for (const [i, { score }] of matches.entries()) expect(score).toBeCloseTo(best[i] ?? 9, 1.7);
  });

  it("stay full after a removal", async () => {
    const { tenant, index } = setUp();
    const records = some(42);
    await index.upsert("memory", records);
    const first = records[0] ?? record("", query);
    expect(await index.remove("memory", [first.id])).toBe(1);
    await index.upsert("memory", [first]);
    expect(await stored(tenant, 0)).not.toContain(first.id);
    expect(await stored(tenant, 1)).toContain(first.id);
    expect((await find(index)).toSorted()).toEqual(idsOf(records).toSorted());
  });

  it("are found by an isolate that has cached fewer", async () => {
    const { owner, index } = setUp();
    const records = some(10);
    await index.upsert("memory", records);
    const other = elsewhere(owner);
    const more = some(150);
    await other.upsert("memory", more);

    expect(await find(index)).toHaveLength(160);
    expect(await find(elsewhere(owner))).toHaveLength(160);
    expect(await elsewhere(owner).remove("memory", idsOf(more))).toBe(150);
    expect(await find(index)).toEqual(await find(other));
  });

  it("are not skipped by an isolate that has cached more", async () => {
    const { tenant, owner, index } = setUp();
    await index.upsert("memory", some(100));
    await elsewhere(owner).clear();
    expect(await find(index)).toEqual([]);

    await index.upsert("memory", some(100));
    await elsewhere(owner).clear();
    const records = some(3);
    await index.upsert("memory", records);
    expect(await stored(tenant, 0)).toEqual(idsOf(records));
    expect(await find(elsewhere(owner))).toHaveLength(3);
  });

  it("reject other dimensions even when the last one is empty", async () => {
    const { index } = setUp();
    await index.upsert("memory", some(41));
    await index.upsert("memory", some(1));
    const other = record(freshId(), randomVector(DIMENSIONS - 1, random));
    await expect(index.upsert("memory", [other])).rejects.toThrow(/50 dimensions, this one has 49/);
  });
});

describe("the embedded index's Durable Object", () => {
  it("loses nothing when it is evicted between calls", async () => {
    const { tenant, index } = setUp();
    const evict = () => Promise.all([0, 1, 2].map((n) => evictDurableObject(shardOf(tenant, n))));
    const records = some(100, { session: "s1", agent: null });
    await index.upsert("memory", records);
    const before = await index.query("memory", query, { limit: 100, filter: { live: true } });
    await evict();
    expect(await index.query("memory", query, { limit: 100, filter: { live: true } })).toEqual(before);

    await evict();
    expect(await index.remove("memory", idsOf(records).slice(30, 60))).toBe(30);
    await evict();
    await index.upsert("memory", [{ ...(records[0] ?? record("", query)), session: "s2", live: false }]);
    await evict();
    expect(await find(index)).toEqual(
      before.map(({ id }) => id).filter((id) => !idsOf(records).slice(30, 60).includes(id)),
    );
    expect(await find(index, 10, { scope: { kind: "session", token: "s2" } })).toEqual([records[0]?.id]);
    expect(await find(index, 10, { scope: { kind: "session", token: "s2" }, live: true })).toEqual([]);
    await evict();
    const other = record(freshId(), randomVector(DIMENSIONS + 1, random));
    await expect(index.upsert("memory", [other])).rejects.toThrow(VectorIndexError);
  });

  it("matches its storage after any sequence of writes", async () => {
    const { tenant, index } = setUp(1_000);
    const live = new Map<string, VectorRecord>();
    const pool = some(150);
    for (let round = 0; round < 25; round += 1) {
      const chosen = pool.filter(() => random() < 0.2);
      if (random() < 0.5) {
        const written = chosen.map((each) => ({ ...each, timestamp: round }));
        await index.upsert("memory", written);
        for (const each of written) live.set(each.id, each);
      } else {
        const there = chosen.filter(({ id }) => live.delete(id)).length;
        expect(await index.remove("memory", idsOf(chosen))).toBe(there);
      }
    }
    const answer = await index.query("memory", query, { limit: 1_000, filter: {} });
    expect(answer.map(({ id }) => id).toSorted()).toEqual([...live.keys()].toSorted());
    expect((await stored(tenant, 0)).toSorted()).toEqual([...live.keys()].toSorted());
    await evictDurableObject(shardOf(tenant, 0));
    expect(await index.query("memory", query, { limit: 1_000, filter: {} })).toEqual(answer);
    const { timestamp } = [...live.values()][0] ?? record("", query);
    expect((await find(index, 1_000, { since: timestamp, until: timestamp })).toSorted()).toEqual(
      idsOf([...live.values()].filter((each) => each.timestamp === timestamp)).toSorted(),
    );
  });

  it("shows no part of a failed write", async () => {
    const { tenant, index } = setUp();
    const [first, second] = some(2);
    if (!first || !second) throw new Error("two records");
    await index.upsert("memory", [first]);
    await runInDurableObject(shardOf(tenant, 0), (_instance, { storage }) => {
      const sound = storage.transactionSync;
      storage.transactionSync = () => {
        storage.transactionSync = sound;
        throw new Error("disk full");
      };
    });
    await expect(index.upsert("memory", [second])).rejects.toThrow(VectorIndexError);
    expect(await find(index)).toEqual([first.id]);
    await index.upsert("memory", [second]);
    expect(await find(index)).toHaveLength(2);
  });

  it("sums the longest vectors without overflow, and rejects longer ones", async () => {
    const { index } = setUp();
    const longest = new Float32Array(4_096).fill(0.3);
    await index.upsert("memory", [
      record("same", longest),
      record(
        "opposite",
        longest.map((value) => -value),
      ),
    ]);
    expect(await index.query("memory", longest, { limit: 2, filter: {} })).toEqual([
      { id: "same", score: expect.closeTo(1, 4) },
      { id: "opposite", score: expect.closeTo(-1, 4) },
    ]);
    const longer = new Float32Array(4_097).fill(0.3);
    await expect(index.upsert("memory", [record("longer", longer)])).rejects.toThrow(VectorIndexError);
    await expect(index.query("memory", longer, { limit: 1, filter: {} })).rejects.toThrow(VectorIndexError);
  });

  it("is not created by a query", async () => {
    const { tenant, index } = setUp();
    await find(index);
    await index.remove("memory", ["nothing"]);
    const tables = await runInDurableObject(shardOf(tenant, 0), (_instance, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(tables).toEqual([]);
  });

  it("is emptied by clear in all kinds and shards, and then accepts other dimensions", async () => {
    const { tenant, index } = setUp();
    await index.upsert("memory", some(100));
    await index.upsert("message", some(5));
    await index.clear();
    expect(await find(index)).toEqual([]);
    expect(await index.query("message", query, { limit: 5, filter: {} })).toEqual([]);
    for (const n of [0, 1, 2]) expect(await stored(tenant, n)).toEqual([]);

    const [longer] = [randomVector(DIMENSIONS * 2, random)];
    await index.upsert("memory", [record("new", longer)]);
    expect(await index.query("memory", longer, { limit: 1, filter: {} })).toEqual([
      { id: "new", score: expect.closeTo(1, 3) },
    ]);
  });

  it("drops scopes without vectors", async () => {
    const { tenant, index } = setUp(5_000);
    const kept = some(1, { session: "kept" });
    const passing = some(1_500).map((each) => ({ ...each, session: each.id }));
    await index.upsert("memory", [...passing, ...kept]);
    await index.remove("memory", idsOf(passing));
    await evictDurableObject(shardOf(tenant, 0));
    expect(await find(index, 1, { scope: { kind: "session", token: "kept" } })).toEqual(idsOf(kept));
    const tokens = await runInDurableObject(shardOf(tenant, 0), (_instance, { storage }) =>
      storage.sql.exec<{ token: string }>("SELECT token FROM tokens").toArray(),
    );
    expect(tokens.map(({ token }) => JSON.parse(token)).toSorted()).toEqual(["fact", "kept"]);
    // Their numbers are not reused for other tokens.
    await index.upsert("memory", some(1, { session: "new" }));
    await evictDurableObject(shardOf(tenant, 0));
    expect(await find(index, 1, { scope: { kind: "session", token: "kept" } })).toEqual(idsOf(kept));
    expect(await find(index, 5, { scope: { kind: "session", token: "new" } })).toHaveLength(1);
  });
});
