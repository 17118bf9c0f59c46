// Work over all tenants while one of them moves: it writes to where the tenant is, or leaves it for later.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { type RebuildPosition, rebuildReadModel, reembed } from "../../../src/administration/manage-index";
import { sweep } from "../../../src/administration/sweep";
import { openTenantDatabase } from "../../../src/kernel/databases/tenant-database";
import { findMove, type MoveStep } from "../../../src/kernel/databases/tenant-moves";
import { createRedactionQueue } from "../../../src/memories/store/quotation-repository";
import { compact } from "../../../src/owners/compact";
import { beginMove, continueMove } from "../../../src/owners/shards/move-tenant";
import {
  type DueDelivery,
  listDueDeliveries,
  recordAttempts,
} from "../../../src/trust/webhooks/delivery-queue";
import { freshId } from "../support";
import { buildWrite, countRows, finishMove, openStore, prepareSecondDatabase, TWO } from "./support";

const NOW = "2026-03-01T12:00:00.000Z";
const ADMINISTRATOR = { tenant: null };
const CONTENTS = ["The stove is hot", "The stove is old", "The stove is blue"];

beforeAll(prepareSecondDatabase);

/** Moves a tenant to DB_1 up to a step, which is next. The switch is not interrupted. */
async function moveUntil(tenant: string, step: Exclude<MoveStep, "switch">): Promise<void> {
  let next = (await beginMove(TWO, tenant, "DB_1", NOW)).step;
  while (next !== step) next = (await continueMove(TWO, tenant, { now: Date.now, until: 0 }))?.step ?? step;
}

async function createTenant(): Promise<string> {
  const tenant = freshId("tenant");
  await openStore(TWO, tenant).store.memories.commit(CONTENTS.map(buildWrite));
  return tenant;
}

async function readRows(d1: D1Database, tenant: string): Promise<unknown[]> {
  const tables = ["memories", "vector_queue", "operations", "redactions", "webhook_deliveries", "triples"];
  const results = await d1.batch(
    tables.map((table) => d1.prepare(`SELECT * FROM ${table} WHERE tenant = ?`).bind(tenant)),
  );
  return results.map(({ results: rows }) => rows);
}

async function rebuildAll(): Promise<number> {
  let sum = 0;
  let after: RebuildPosition | null = null;
  do {
    const page: Awaited<ReturnType<typeof rebuildReadModel>> = await rebuildReadModel(TWO, ADMINISTRATOR, {
      tenant: undefined,
      after,
    });
    sum += page.rebuilt;
    after = page.next;
  } while (after !== null);
  return sum;
}

describe("a rebuild of all tenants", () => {
  it("rebuilds each in its database, and not what a move left behind", async () => {
    const [moving, neighbour] = [await createTenant(), await createTenant()];
    await moveUntil(moving, "delete");
    // A row without triples: a rebuild of the source would delete it and queue its vector.
    await env.DB.prepare("DELETE FROM statements WHERE tenant = ?").bind(moving).run();
    const left = await readRows(env.DB, moving);
    for (const [d1, tenant] of [
      [env.SPARE_DB, moving],
      [env.DB, neighbour],
    ] as const)
      await d1.prepare("UPDATE memories SET content = 'damaged' WHERE tenant = ?").bind(tenant).run();
    expect(await rebuildAll()).toBeGreaterThanOrEqual(2 * CONTENTS.length);
    expect(await readRows(env.DB, moving)).toEqual(left);
    for (const tenant of [moving, neighbour])
      expect(await openTenantContents(tenant)).toEqual(CONTENTS.toSorted());
    await finishMove(TWO, moving);
    expect((await readRows(env.DB, moving)).flat()).toEqual([]);
  });
});

async function openTenantContents(tenant: string): Promise<string[]> {
  const { results } = await openTenantDatabase(TWO, tenant)
    .d1.prepare("SELECT content FROM memories WHERE tenant = ?")
    .bind(tenant)
    .all<{ content: string }>();
  return results.map(({ content }) => content).toSorted();
}

describe("re-embedding", () => {
  it("waits for a move, and a move for it", async () => {
    const tenant = await createTenant();
    await moveUntil(tenant, "index");
    await expect(reembed(TWO, ADMINISTRATOR)).rejects.toThrow(`Tenant ${tenant} is being moved`);
    await finishMove(TWO, tenant);
    // It has begun, so that no other move comes between.
    const other = await createTenant();
    await expect(beginMove(TWO, other, "DB_1", NOW)).rejects.toThrow("re-embedded");
    while (!(await reembed(TWO, ADMINISTRATOR)).finished);
    await beginMove(TWO, other, "DB_1", NOW);
    await finishMove(TWO, other);
  });
});

describe("the sweep", () => {
  it("leaves the rows of a tenant alone while its move is completed, and deletes what has expired later", async () => {
    const tenant = await createTenant();
    await env.DB.prepare(
      "INSERT INTO operations (tenant, op, fingerprint, response, created_at) VALUES (?, 'op', '', '{}', ?)",
    )
      .bind(tenant, "2020-01-01T00:00:00.000Z")
      .run();
    await moveUntil(tenant, "catch_up");
    await env.DB.prepare("UPDATE placements SET state = 'fenced' WHERE tenant = ?").bind(tenant).run();
    const release = await holdMove(tenant);
    const before = await readRows(env.DB, tenant);
    await sweep(TWO, Date.now());
    expect(await readRows(env.DB, tenant)).toEqual(before);
    expect(await countRows(env.SPARE_DB, "operations", tenant)).toBe(1);
    await release();
    await finishMove(TWO, tenant);
    await sweep(TWO, Date.now());
    expect(await countRows(env.SPARE_DB, "operations", tenant)).toBe(0);
  });
});

it("the sweep continues the other moves if one fails", async () => {
  const [failing, other] = [await createTenant(), await createTenant()];
  await beginMove(TWO, other, "DB_1", NOW);
  await finishMove(TWO, other);
  await beginMove(TWO, failing, "DB_1", NOW);
  // Another database has this number: the tenant cannot come.
  const take = "INSERT INTO tenants (tenant, number) VALUES (?, 1_000_000)";
  await env.SPARE_DB.prepare(take).bind(failing).run();
  await beginMove(TWO, other, "DB", new Date(Date.parse(NOW) + 1_000).toISOString());
  await sweep(TWO, Date.now());
  expect(await findMove(TWO, failing)).toMatchObject({ step: "prepare" });
  expect(await findMove(TWO, other)).toBeNull();
  await env.SPARE_DB.prepare("DELETE FROM tenants WHERE tenant = ?").bind(failing).run();
  await finishMove(TWO, failing);
});

/** Keeps other runs from continuing the move, until the returned function is called. */
async function holdMove(tenant: string) {
  const set = (until: number) =>
    env.DB.prepare("UPDATE tenant_moves SET leased_until = ? WHERE tenant = ?").bind(until, tenant).run();
  await set(Date.now() + 60_000);
  return () => set(0);
}

describe("the queue of redactions", () => {
  const insert = (d1: D1Database, tenant: string, id: number) =>
    d1
      .prepare(
        "INSERT INTO redactions (id, tenant, session_id, memory_id, own, text) VALUES (?, ?, 's', 'm', 0, '')",
      )
      .bind(id, tenant);

  it("is processed where the tenant is, and not where it was", async () => {
    const tenant = await createTenant();
    await insert(env.DB, tenant, 7_001).run();
    await moveUntil(tenant, "delete");
    const release = await holdMove(tenant);
    const left = await readRows(env.DB, tenant);
    await compact(TWO);
    expect(await readRows(env.DB, tenant)).toEqual(left);
    expect(await countRows(env.SPARE_DB, "redactions", tenant)).toBe(0);
    await release();
    await finishMove(TWO, tenant);
  });

  it("does not take the number of an entry for that of another one in another database", async () => {
    const [tenant, neighbour] = [await createTenant(), freshId("tenant")];
    await env.DB.batch([insert(env.DB, tenant, 8_001)]);
    await env.SPARE_DB.batch([insert(env.SPARE_DB, neighbour, 8_001)]);
    const queue = createRedactionQueue(openTenantDatabase(TWO, tenant), tenant);
    const listed = await queue.list(Date.now(), 10);
    expect(listed).toHaveLength(1);
    await moveUntil(tenant, "delete");
    await finishMove(TWO, tenant);
    await queue.remove(listed);
    // It was not removed either: it is processed again.
    expect(await countRows(env.SPARE_DB, "redactions", tenant)).toBe(1);
    expect(await countRows(env.SPARE_DB, "redactions", neighbour)).toBe(1);
    await queue.remove(await queue.list(Date.now(), 10));
    expect(await countRows(env.SPARE_DB, "redactions", tenant)).toBe(0);
  });
});

describe("deliveries of webhooks", () => {
  const insert = (d1: D1Database, tenant: string, seq: number) => [
    d1
      .prepare(
        "INSERT INTO webhooks (tenant, id, url, events, secret, created_at) VALUES (?, 'hook', 'https://x.test', '[]', 's', '')",
      )
      .bind(tenant),
    d1
      .prepare(
        `INSERT INTO webhook_deliveries (seq, tenant, webhook_id, id, type, subject, data, time, status, attempts, due_at)
        VALUES (?, ?, 'hook', ?, 't', 's', '{}', ?, 'pending', 0, 0)`,
      )
      .bind(seq, tenant, `event of ${tenant}`, NOW),
  ];

  it("are recorded where the tenant is, and for no other tenant", async () => {
    const [tenant, neighbour] = [await createTenant(), freshId("tenant")];
    await env.DB.batch(insert(env.DB, tenant, 9_001));
    await env.SPARE_DB.batch(insert(env.SPARE_DB, neighbour, 9_001));
    const db = openTenantDatabase(TWO, tenant);
    const [delivery] = await listDueDeliveries(db, tenant, { now: Date.now(), limit: 5 });
    await moveUntil(tenant, "delete");
    await finishMove(TWO, tenant);
    const result = {
      delivery: delivery as DueDelivery,
      ok: true as const,
      response_status: 200,
      error: null,
    };
    await recordAttempts(db, tenant, [result], { at: NOW, disableBefore: "" });
    const { results } = await env.SPARE_DB.prepare(
      "SELECT tenant, status FROM webhook_deliveries WHERE tenant IN (?, ?)",
    )
      .bind(tenant, neighbour)
      .all();
    expect(results).toHaveLength(2);
    expect(results).toContainEqual({ tenant, status: "delivered" });
    expect(results).toContainEqual({ tenant: neighbour, status: "pending" });
  });
});
