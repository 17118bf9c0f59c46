// Moves of a tenant between two databases that have a Vectorize index each.
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { IndexerRunner } from "../../../src/indexing/embedding-indexer";
import { selectEmbedder } from "../../../src/models/embedders/select-embedder";
import type { Bindings } from "../../../src/platform/env";
import { RecallInput } from "../../../src/schemas/memory";
import { beginMove, continueMove } from "../../../src/store/shards/move-tenant";
import { getIndexer } from "../../../src/vectors/semantic-services";
import { FakeVectorize } from "../../fakes/vectorize";
import { freshId } from "../support";
import { buildWrite, countRows, openStore, prepareSecondDatabase, TWO } from "./support";

const NOW = "2026-03-01T12:00:00.000Z";
const DIMENSIONS = selectEmbedder(env)?.dimensions ?? 0;

beforeAll(prepareSecondDatabase);

let first: FakeVectorize;
let second: FakeVectorize;
let bindings: Bindings;
/** How far the clock of the indexers is ahead. */
let ahead: number;

beforeEach(() => {
  ahead = 0;
  first = new FakeVectorize({ dimensions: DIMENSIONS });
  second = new FakeVectorize({ dimensions: DIMENSIONS });
  const runners = new Map<string, IndexerRunner>();
  const getByName = (tenant: string) => {
    const runner = runners.get(tenant) ?? new IndexerRunner(bindings, () => Date.now() + ahead);
    runners.set(tenant, runner);
    return {
      wake: async () => 0,
      drain: (_tenant: string) => runner.run(tenant).then(() => runner.countBacklog(tenant)),
      remove: runner.remove.bind(runner),
    };
  };
  const INDEXER = { getByName } as unknown as DurableObjectNamespace;
  bindings = { ...TWO, VECTORIZE: first, VECTORIZE_1: second, INDEXER };
});

function settle(): void {
  first.settle();
  second.settle();
}

/** Indexes the backlog, and has the index confirm it. */
async function index(tenant: string): Promise<number> {
  await getIndexer(bindings, tenant).drain(tenant);
  settle();
  ahead += 60_000;
  return getIndexer(bindings, tenant).drain(tenant);
}

async function commit(tenant: string, ...contents: string[]): Promise<string[]> {
  const results = await openStore(bindings, tenant).store.memories.commit(contents.map(buildWrite));
  return results.map((result) => (result.status === "written" ? result.memory_id : ""));
}

async function recall(tenant: string, query: string, from: Bindings = bindings): Promise<string[]> {
  const request = RecallInput.parse({ query, limit: 50, mode: "semantic", sources: ["memories"] });
  const { hits, degraded } = await openStore(from, tenant).search.recall({ kind: "tenant" }, request);
  expect(degraded ?? null).toBeNull();
  return hits.map(({ content }) => content).toSorted();
}

async function listStored(where: FakeVectorize, ids: readonly string[]): Promise<string[]> {
  return (await where.getByIds([...ids])).map(({ id }) => id).toSorted();
}

/** Takes one part of the move after the other, and does something in between. */
async function move(tenant: string, shard: "DB" | "DB_1", between: () => Promise<void> = async () => {}) {
  await beginMove(bindings, tenant, shard, NOW);
  while ((await continueMove(bindings, tenant, { now: Date.now, until: 0 })) !== null) {
    settle();
    await between();
  }
  settle();
}

const PETS = ["The puppy sleeps in the kitchen", "Her dog likes to swim", "A hound barks at night"];

describe("the vectors of a tenant that moves", () => {
  it("are copied to the index of the other database, without being embedded again, and leave the first", async () => {
    const tenant = freshId("tenant");
    const ids = await commit(tenant, ...PETS);
    expect(await index(tenant)).toBe(0);
    const found = await recall(tenant, "dogs");
    expect(found.length).toBeGreaterThan(0);
    await move(tenant, "DB_1", async () => expect(await recall(tenant, "dogs")).toEqual(found));
    expect(await listStored(second, ids)).toEqual(ids.toSorted());
    expect(await listStored(first, ids)).toEqual([]);
    expect(await countRows(env.SPARE_DB, "vector_queue", tenant)).toBe(0);
    expect(await recall(tenant, "dogs")).toEqual(found);
    await move(tenant, "DB");
    expect(await listStored(first, ids)).toEqual(ids.toSorted());
    expect(await listStored(second, ids)).toEqual([]);
  });

  it("and those of a neighbour stay", async () => {
    const [tenant, neighbour] = [freshId("tenant"), freshId("tenant")];
    await commit(tenant, ...PETS);
    const ids = await commit(neighbour, ...PETS);
    await index(tenant);
    await index(neighbour);
    await move(tenant, "DB_1");
    expect(await listStored(first, ids)).toEqual(ids.toSorted());
    expect(await listStored(second, ids)).toEqual([]);
  });

  it("are waited for until the other index shows them", async () => {
    const tenant = freshId("tenant");
    await commit(tenant, ...PETS);
    await index(tenant);
    await beginMove(bindings, tenant, "DB_1", NOW);
    const take = () => continueMove(bindings, tenant, { now: Date.now, until: 0 });
    let next = await take();
    while (next !== null && !second.calls.includes("describe")) next = await take();
    expect(next).toMatchObject({ step: "index" });
    expect(await take()).toMatchObject({ step: "index" });
    settle();
    expect(await take()).toMatchObject({ step: "catch_up" });
    while ((await take()) !== null) settle();
  });

  it("are found at every moment if they are written during the move, and are indexed afterwards", async () => {
    const tenant = freshId("tenant");
    const [kept = "", ...others] = await commit(tenant, ...PETS);
    await index(tenant);
    const written: string[] = [];
    const ids: string[] = [];
    await move(tenant, "DB_1", async () => {
      // As many as a recall embeds itself.
      if (written.length < 4) {
        const content = `The dog number ${written.length} is brown`;
        ids.push(...(await commit(tenant, content)));
        written.push(content);
      }
      // An indexer that ran now would write to the index that the tenant leaves.
      await index(tenant);
      expect(await recall(tenant, "brown dog")).toEqual(expect.arrayContaining(written));
    });
    expect(await index(tenant)).toBe(0);
    const all = [kept, ...others, ...ids];
    expect(await listStored(second, all.slice(0, 20))).toEqual(all.toSorted());
    expect(await listStored(first, all.slice(0, 20))).toEqual([]);
  });

  it("are indexed again if the first index had not confirmed them", async () => {
    const tenant = freshId("tenant");
    const ids = await commit(tenant, ...PETS);
    await getIndexer(bindings, tenant).drain(tenant);
    const copied = new FakeVectorize({ dimensions: DIMENSIONS });
    bindings = Object.assign(bindings, { VECTORIZE: copied });
    await move(tenant, "DB_1");
    expect(await listStored(second, ids)).toEqual([]);
    await index(tenant);
    expect(await listStored(second, ids)).toEqual(ids.toSorted());
  });

  it("leave no trace of a memory that is erased before, during or after the switch", async () => {
    const tenant = freshId("tenant");
    const contents = Array.from({ length: 16 }, (_, n) => `The dog number ${n} is old`);
    const ids = await commit(tenant, ...contents);
    await index(tenant);
    const erased: string[] = [];
    const { memories } = openStore(bindings, tenant).store;
    await move(tenant, "DB_1", async () => {
      const id = ids[erased.length];
      if (id === undefined) return;
      await memories.erase(id);
      erased.push(id);
    });
    expect(erased.length).toBeGreaterThan(4);
    await index(tenant);
    settle();
    expect(await listStored(first, ids)).toEqual([]);
    expect(await listStored(second, erased)).toEqual([]);
  });
});

it("an isolate with an outdated idea of where the tenant is asks the right index", async () => {
  const tenant = freshId("tenant");
  await commit(tenant, ...PETS);
  await index(tenant);
  const other = { ...bindings, DB: Object.create(env.DB) as D1Database };
  const found = await recall(tenant, "dogs", other);
  expect(found.length).toBeGreaterThan(0);
  await move(tenant, "DB_1");
  expect(await recall(tenant, "dogs", other)).toEqual(found);
});

it("databases without an index of their own share that of the first", async () => {
  const tenant = freshId("tenant");
  bindings = Object.assign(bindings, { VECTORIZE_1: undefined });
  const ids = await commit(tenant, ...PETS);
  await index(tenant);
  const found = await recall(tenant, "dogs");
  await move(tenant, "DB_1");
  expect(await listStored(first, ids)).toEqual(ids.toSorted());
  expect(await recall(tenant, "dogs")).toEqual(found);
});

it("the erasure of a tenant removes what the backlog may have written again", async () => {
  const tenant = freshId("tenant");
  const ids = await commit(tenant, ...PETS);
  await getIndexer(bindings, tenant).drain(tenant);
  settle();
  expect(await listStored(first, ids)).toEqual(ids.toSorted());
  await new IndexerRunner(bindings, Date.now).clear(tenant);
  settle();
  expect(await listStored(first, ids)).toEqual([]);
});
