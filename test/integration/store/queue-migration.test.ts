// A database of an earlier version keeps its embedding backlog, and takes entries of that version while it is deployed.
import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { runBatch } from "../../../src/platform/d1";
import { queueVectors, selectIds } from "../../../src/store/vectors/vector-queue";
import { db, queueOf } from "../semantic-support";

const TENANT = "earlier";

beforeEach(async () => {
  await reset();
  const earlier = env.TEST_MIGRATIONS.filter(({ name }) => name < "0027");
  await applyD1Migrations(env.DB, earlier);
});

it("keeps the backlog in its order, before everything that is queued later", async () => {
  const insert = env.DB.prepare(
    "INSERT INTO vector_queue (tenant, kind, id, attempts, due_at, visible_after) VALUES (?, 'memory', ?, ?, ?, ?)",
  );
  await env.DB.batch([
    insert.bind(TENANT, "failed", 2, 7, null),
    insert.bind(TENANT, "sent", 0, 9, "token"),
    insert.bind(TENANT, "due", 0, 0, null),
  ]);
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  const kept = [
    { kind: "memory", id: "failed", attempts: 2, due_at: 7, visible_after: null },
    { kind: "memory", id: "sent", attempts: 0, due_at: 9, visible_after: "token" },
    { kind: "memory", id: "due", attempts: 0, due_at: 0, visible_after: null },
  ];
  expect(await queueOf(TENANT)).toEqual(kept);
  await runBatch(db, [queueVectors(TENANT, "memory", selectIds(["new", "newer"]))]);
  expect((await queueOf(TENANT)).map(({ id }) => id)).toEqual(["failed", "sent", "due", "new", "newer"]);
});

it("takes entries of the earlier version, which names no number", async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  await env.DB.prepare(
    "INSERT OR REPLACE INTO vector_queue (tenant, kind, id, due_at) SELECT ?, 'memory', 'late', 0",
  )
    .bind(TENANT)
    .run();
  expect(await queueOf(TENANT)).toMatchObject([{ id: "late", attempts: 0, due_at: 0 }]);
});
