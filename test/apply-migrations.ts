import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

/** How long a file waits at its end for what its writes have set going. */
const PATIENCE_MS = 2_000;

// A write's indexer works on after the answer. Storage is taken away when a file ends, and a runtime that is in the
// middle of an alarm then may never come to rest: so the file ends when nothing is under way.
afterAll(async () => {
  const due = env.DB.prepare("SELECT count(*) AS entries FROM vector_queue WHERE due_at <= ?");
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    await scheduler.wait(100);
    if ((await due.bind(Date.now()).first<number>("entries")) === 0) break;
  }
  await scheduler.wait(100);
});
