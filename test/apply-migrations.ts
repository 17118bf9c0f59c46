import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";

// Files share a runtime. Each begins with the schema and nothing else: no row, no object's data, no alarm of the one
// before. Only the ids of its objects are still listed.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
// An indexing run of the file before may end meanwhile, and name the index of its own test for all tenants.
await env.DB.prepare("DELETE FROM vector_state").run();

/** How long a file waits at its end for its indexer to make progress. */
const PATIENCE_MS = 2_000;

// The indexer goes on after a response. Storage is removed when a file ends, and a runtime in the middle of an alarm may
// then never settle: so the file ends when the backlog is empty, or when it no longer shrinks, as with a stopped clock.
afterAll(async () => {
  const count = env.DB.prepare("SELECT count(*) AS entries FROM vector_queue WHERE due_at <= ?");
  let left = (await count.bind(Date.now()).first<number>("entries")) ?? 0;
  if (left === 0) return;
  for (let end = Date.now() + PATIENCE_MS; left > 0 && Date.now() < end; ) {
    await scheduler.wait(100);
    const due = (await count.bind(Date.now()).first<number>("entries")) ?? 0;
    if (due < left) end = Date.now() + PATIENCE_MS;
    left = due;
  }
  await scheduler.wait(100);
});
