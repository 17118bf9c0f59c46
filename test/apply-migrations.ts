import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";
import { getIndexer } from "../src/recall/vectors/semantic-services";

// Files share a runtime. Each begins with the schema and nothing else: no row, no object's data, no alarm of the one
// before. Only the ids of its objects are still listed.
// Databases that were idle for ten seconds are unloaded, and only what is loaded is removed.
await Promise.all([env.DB, env.SPARE_DB, env.REPLICA_DB].map((d1) => d1.prepare("SELECT 1").run()));
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
// An indexing run of the file before may end meanwhile, and name the index of its own test for all tenants.
await env.DB.prepare("DELETE FROM vector_state").run();

// The indexer goes on after a response. Storage is removed when a file ends, and a runtime in the middle of an alarm may
// then never settle: so the backlog is emptied, and the file ends when the runs that had begun have ended.
afterAll(async () => {
  const { results } = await env.DB.prepare("DELETE FROM vector_queue RETURNING tenant").all<{
    tenant: string;
  }>();
  const tenants = new Set(results.map(({ tenant }) => tenant));
  // An indexer that a test has broken has no run that could end.
  await Promise.allSettled(Array.from(tenants, (tenant) => getIndexer(env, tenant).drain(tenant)));
});
