import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";

// Files share a runtime. Each begins with the schema and nothing else: no row, no object's data, no alarm of the one
// before. Only the ids of its objects are still listed.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

/** How long a file waits at its end for what its writes have set going. */
const PATIENCE_MS = 2_000;

// A write's indexer works on after the answer. Storage is taken away when a file ends, and a runtime that is in the
// middle of an alarm then may never come to rest: so the file ends when nothing is under way. One that never had
// anything to index has nothing to wait for.
afterAll(async () => {
  const queued = env.DB.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'vector_queue'");
  if (!(await queued.first<number>("seq"))) return;
  const due = env.DB.prepare("SELECT count(*) AS entries FROM vector_queue WHERE due_at <= ?");
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    await scheduler.wait(100);
    if ((await due.bind(Date.now()).first<number>("entries")) === 0) break;
  }
  await scheduler.wait(100);
});
