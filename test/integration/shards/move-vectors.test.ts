// Moves of a tenant between two databases that have a Vectorize index each.
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Bindings } from "../../../src/kernel/env";
import { RecallInput } from "../../../src/memories/memory-schemas";
import { selectEmbedder } from "../../../src/models/embedders/select-embedder";
import { beginMove, continueMove, requireSettledVectors } from "../../../src/owners/shards/move-tenant";
import { TENANT_TABLES } from "../../../src/owners/shards/tenant-tables";
import { CLEARED_PER_CALL, IndexerRunner } from "../../../src/recall/index/embedding-indexer";
import { getIndexer } from "../../../src/recall/vectors/semantic-services";
import { FakeVectorize } from "../../fakes/vectorize";
import { withSettings } from "../limits/limits-support";
import { ADMIN_KEY, freshId } from "../support";
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
      erase: () => runner.clear(tenant),
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
  return results.map((result) => (result.ok ? result.value.memory_id : ""));
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

/** Takes parts of a move until its memories are copied, and other rows are not yet. */
async function copyMemories(tenant: string): Promise<void> {
  const insert =
    "INSERT INTO operations (tenant, op, fingerprint, response, created_at) VALUES (?, 'op', '', '{}', ?)";
  await env.DB.prepare(insert).bind(tenant, NOW).run();
  await beginMove(bindings, tenant, "DB_1", NOW);
  const names = TENANT_TABLES.map(({ name }) => name);
  let copied = "";
  while (names.indexOf(copied) <= names.indexOf("memories")) {
    expect(await takePart(tenant)).toMatchObject({ step: "copy" });
    const position = await env.DB.prepare("SELECT position FROM tenant_moves WHERE tenant = ?")
      .bind(tenant)
      .first<string>("position");
    copied = position === null ? "" : JSON.parse(position).table;
  }
}

function takePart(tenant: string, now = Date.now) {
  return continueMove(bindings, tenant, { now, until: 0 });
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
    const take = () => takePart(tenant);
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

  it("are not lost if their memory is written when the memories have been copied", async () => {
    const tenant = freshId("tenant");
    await commit(tenant, ...PETS);
    await index(tenant);
    await copyMemories(tenant);
    const ids = await commit(tenant, "The poodle is white");
    await index(tenant);
    while ((await takePart(tenant)) !== null) settle();
    expect(await index(tenant)).toBe(0);
    expect(await listStored(second, ids)).toEqual(ids);
    expect(await listStored(first, ids)).toEqual([]);
  });

  it("are not left of a memory that is erased when it has been copied, while the index still shows it", async () => {
    const tenant = freshId("tenant");
    const [id = ""] = await commit(tenant, ...PETS);
    await index(tenant);
    await copyMemories(tenant);
    await openStore(bindings, tenant).store.memories.erase(id);
    await getIndexer(bindings, tenant).drain(tenant);
    // The first index shows the vector for as long as it is not settled.
    while (!second.calls.includes("upsert")) await takePart(tenant);
    while ((await takePart(tenant)) !== null) settle();
    expect(await index(tenant)).toBe(0);
    expect(await listStored(second, [id])).toEqual([]);
    expect(await listStored(first, [id])).toEqual([]);
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

it("the erasure of a tenant removes a long backlog in parts, and continues where it failed", async () => {
  const tenant = freshId("tenant");
  const ids = await commit(tenant, ...PETS);
  await getIndexer(bindings, tenant).drain(tenant);
  settle();
  const json = JSON.stringify(Array.from({ length: CLEARED_PER_CALL + 1 }, (_, n) => `gone-${n}`));
  await env.DB.prepare(
    `INSERT INTO vector_queue (tenant, kind, seq, id, due_at) SELECT ?, 'memory', key + 1, value, 0 FROM json_each(?)`,
  )
    .bind(tenant, json)
    .run();
  const runner = new IndexerRunner(bindings, Date.now);
  const { deleteByIds } = first;
  let left = 1 + CLEARED_PER_CALL / 100;
  first.deleteByIds = (page) => {
    left -= 1;
    return left > 0
      ? deleteByIds.call(first, page)
      : Promise.reject(new Error("VECTOR_DELETE_ERROR (code = 40001): no"));
  };
  await expect(runner.clear(tenant)).rejects.toThrow();
  expect(await countRows(env.DB, "vector_queue", tenant)).toBe(1 + ids.length);
  first.deleteByIds = deleteByIds;
  await runner.clear(tenant);
  settle();
  expect(await listStored(first, ids)).toEqual([]);
  expect(await countRows(env.DB, "vector_queue", tenant)).toBe(0);
});

describe("the erasure of a tenant whose vectors move", () => {
  const erase = (tenant: string) =>
    withSettings({ key: ADMIN_KEY }, bindings)("DELETE", `/v1/tenants/${tenant}`);

  it("is refused before anything is erased, until the move has finished", async () => {
    const tenant = freshId("tenant");
    const ids = await commit(tenant, ...PETS);
    await index(tenant);
    await beginMove(bindings, tenant, "DB_1", NOW);
    const refused = await erase(tenant);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("Retry-After")).toBe("10");
    expect(refused.body).toMatchObject({
      detail: expect.stringContaining("is being moved to DB_1"),
    });
    expect(await countRows(env.DB, "memories", tenant)).toBe(ids.length);
    while ((await takePart(tenant)) !== null) settle();
    expect((await erase(tenant)).status).toBe(200);
    settle();
    for (const where of [first, second]) expect(await listStored(where, ids)).toEqual([]);
  });

  it("waits for a move that begins while it erases", async () => {
    const tenant = freshId("tenant");
    const ids = await commit(tenant, ...PETS);
    await index(tenant);
    const { deleteByIds } = first;
    first.deleteByIds = async (page) => {
      first.deleteByIds = deleteByIds;
      await beginMove(bindings, tenant, "DB_1", NOW);
      return first.deleteByIds(page);
    };
    const unfinished = await erase(tenant);
    expect(unfinished.status).toBe(503);
    expect(unfinished.body).toMatchObject({ detail: expect.stringContaining("it continues") });
    while ((await takePart(tenant)) !== null) settle();
    expect((await erase(tenant)).status).toBe(200);
    settle();
    for (const where of [first, second]) expect(await listStored(where, ids)).toEqual([]);
  });

  it("goes on where the vectors stay: the rows alone move, and what is erased meanwhile is tracked", async () => {
    const tenant = freshId("tenant");
    await commit(tenant, ...PETS);
    await beginMove(bindings, tenant, "DB_1", NOW);
    const sharing = { ...TWO, VECTORIZE: first };
    await requireSettledVectors(sharing, tenant);
    await expect(requireSettledVectors(bindings, tenant)).rejects.toThrow("is being moved");
    await requireSettledVectors(bindings, freshId("tenant"));
    while ((await takePart(tenant)) !== null) settle();
  });
});

describe("a run that was overtaken", () => {
  it("stores no progress, and does not end the lease of the other run", async () => {
    const tenant = freshId("tenant");
    await commit(tenant, ...PETS);
    await beginMove(bindings, tenant, "DB_1", NOW);
    while ((await takePart(tenant))?.step !== "copy") settle();
    const { INDEXER } = bindings;
    const heldUntil = Date.now() + 600_000;
    const drain = async () => {
      // It takes longer than the lease, and another run copies meanwhile.
      bindings.INDEXER = INDEXER;
      while ((await takePart(tenant, () => Date.now() + 60_000))?.step === "copy");
      await setLease(tenant, heldUntil);
      return 0;
    };
    bindings.INDEXER = { getByName: () => ({ drain }) } as unknown as DurableObjectNamespace;
    expect(await takePart(tenant)).toMatchObject({ step: "index" });
    const row = await env.DB.prepare("SELECT step, position, leased_until FROM tenant_moves WHERE tenant = ?")
      .bind(tenant)
      .first();
    expect(row).toEqual({ step: "index", position: null, leased_until: heldUntil });
    await setLease(tenant, 0);
    while ((await takePart(tenant)) !== null) settle();
  });

  const setLease = (tenant: string, until: number) =>
    env.DB.prepare("UPDATE tenant_moves SET leased_until = ? WHERE tenant = ?").bind(until, tenant).run();

  it("deletes no vectors of a tenant that has come back since", async () => {
    const tenant = freshId("tenant");
    const ids = await commit(tenant, ...PETS);
    await index(tenant);
    const { getByIds } = first;
    await beginMove(bindings, tenant, "DB_1", NOW);
    while ((await takePart(tenant))?.step !== "delete") settle();
    let hasReturned = false;
    first.getByIds = async (page) => {
      first.getByIds = getByIds;
      const found = await first.getByIds(page);
      // Another run ends the move, and the next move brings the tenant back.
      const now = () => Date.now() + 60_000;
      while ((await takePart(tenant, now)) !== null) settle();
      settle();
      await beginMove(bindings, tenant, "DB", NOW);
      while ((await takePart(tenant, now)) !== null) settle();
      settle();
      hasReturned = true;
      return found;
    };
    while ((await takePart(tenant)) !== null) settle();
    expect(hasReturned).toBe(true);
    settle();
    expect(await listStored(first, ids)).toEqual(ids.toSorted());
  });
});
