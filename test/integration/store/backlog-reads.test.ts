// The rows that the work on the embedding backlog reads, whatever the length of the backlog.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openDatabase } from "../../../src/kernel/databases/d1";
import { listTenantsWithDueVectors } from "../../../src/memories/store/vector-queue";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { newMemory } from "../../fakes/records";
import { freshId } from "../support";

/** A database that counts the rows that are read. */
function countReads() {
  const reads = { rows: 0 };
  const add = <T>(result: D1Result<T>): D1Result<T> => {
    reads.rows += result.meta.rows_read;
    return result;
  };
  const wrap = (statement: D1PreparedStatement) =>
    Object.assign(Object.create(statement), {
      inner: statement,
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all: async () => add(await statement.all()),
      raw: () => statement.raw(),
      run: async () => add(await statement.run()),
    });
  const d1 = {
    prepare: (text: string) => wrap(env.DB.prepare(text)),
    batch: async (statements: { inner: D1PreparedStatement }[]) =>
      (await env.DB.batch(statements.map(({ inner }) => inner))).map(add),
  } as unknown as D1Database;
  return { d1, reads };
}

async function queue(tenant: string, entries: number, dueAt: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      INSERT INTO vector_queue (tenant, kind, seq, id, due_at) SELECT ?1, 'memory', i, 'id ' || i, ?3 FROM n`,
  )
    .bind(tenant, entries, dueAt)
    .run();
}

it("the cron reads some entries of each tenant to find those with due ones", async () => {
  const [busy, postponed, late] = [freshId("a"), freshId("b"), freshId("c")];
  await queue(busy, 5_000, 0);
  await queue(postponed, 5_000, 2_000);
  await queue(late, 1, 500);
  const { d1, reads } = countReads();
  expect(await listTenantsWithDueVectors(openDatabase(d1), 1_000, 200)).toEqual([busy, late]);
  expect(reads.rows).toBeLessThan(100);
});

it("erasing a memory reads none of the backlog of others", async () => {
  const tenant = freshId("tenant");
  const { d1, reads } = countReads();
  const vectors = {
    semantic: null,
    indexer: { wake: async () => 0, drain: async () => 0, remove: async () => 1 },
  };
  const { memories } = createLongTermMemory(env, tenant, { now: Date.now, d1, vectors }).store;
  const write = async (content: string) => {
    const memory = newMemory({ session_id: "s", content, timestamp: "2026-03-01T12:00:00.000Z" });
    const [result] = await memories.commit([{ op: freshId("op"), fingerprint: "", memory }]);
    return result?.ok ? result.value.memory_id : "";
  };
  const [first, second] = [
    await write("The first drawer is empty"),
    await write("The second drawer is full"),
  ];
  reads.rows = 0;
  await memories.erase(first);
  const alone = reads.rows;
  await queue(tenant, 5_000, 0);
  reads.rows = 0;
  await memories.erase(second);
  expect(reads.rows).toBeLessThan(alone + 50);
});
