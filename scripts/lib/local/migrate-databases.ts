// Applies pending D1 migrations to local databases, with wrangler's own bookkeeping.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { V4SharedOptions } from "miniflare";
import wrangler from "wrangler";
import { readMessage } from "../errors.ts";
import { listAppliedMigrations } from "./applied-migrations.ts";
import { launchRuntime } from "./launch-runtime.ts";
import type { LocalWorker } from "./worker-options.ts";

/**
 * Applies the pending migrations of each database. A migration and its record are one
 * batch, so a kill leaves both or neither. It runs before the Worker starts: no request sees an old schema. Throws for data
 * of a version before the first migration.
 */
export async function migrateDatabases(
  persist: string,
  storage: V4SharedOptions,
  databases: Record<string, string>,
  { migrationsDir: folder, migrationsTable }: LocalWorker,
): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const applied = await listAppliedMigrations(persist, Object.values(databases));
  if (applied.some((list) => list.length > 0 && !list.includes(names[0] ?? "")))
    throw new Error(
      `The data in ${persist} was written by an earlier version of Kioku that this one cannot read: export it with ` +
        "that version and import it here, or delete it with --reset.",
    );
  // Starting a runtime takes most of a second.
  if (applied.every((list) => names.every((name) => list.includes(name)))) return;
  const runtime = await launchRuntime({
    ...storage,
    workers: [{ modules: true, script: MIGRATOR, d1Databases: databases }],
  });
  try {
    for (const binding of Object.keys(databases)) {
      const send = async <Answer>(work: object) => {
        const body = JSON.stringify({ binding, table: migrationsTable, ...work });
        const answer = await runtime.dispatchFetch("http://localhost/", { method: "POST", body });
        if (!answer.ok) throw new Error(await answer.text());
        return (await answer.json()) as Answer;
      };
      const present = await send<string[]>({ create: createMigrationsTable(migrationsTable) });
      for (const name of names.filter((name) => !present.includes(name))) {
        const statements = wrangler.unstable_splitSqlQuery(await readFile(join(folder, name), "utf8"));
        await send({ name, statements }).catch((error: unknown) => {
          throw new Error(`Migration ${name} failed: ${readMessage(error)}`, { cause: error });
        });
      }
    }
  } finally {
    await runtime.dispose();
  }
}

/**
 * The Worker that applies migrations: it creates the table of applied ones and lists them, or applies one. Statements are
 * prepared inside workerd, because each call of a binding from this process would wait for a request.
 */
const MIGRATOR = `export default {
  async fetch(request, env) {
    const { binding, table, create, name, statements } = await request.json();
    const db = env[binding];
    try {
      if (create !== undefined) {
        await db.prepare(create).run();
        const { results } = await db.prepare(\`SELECT name FROM "\${table}"\`).all();
        return Response.json(results.map((row) => row.name));
      }
      const record = db.prepare(\`INSERT INTO "\${table}" (name) VALUES (?)\`).bind(name);
      await db.batch([...statements.map((sql) => db.prepare(sql)), record]);
      return Response.json(null);
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};`;

/** Word for word the table of `wrangler d1 migrations apply`. */
function createMigrationsTable(name: string): string {
  return `CREATE TABLE IF NOT EXISTS "${name}"(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;
}
