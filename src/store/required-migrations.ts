// The migrations that this version of the service needs, by the names that wrangler records; a test holds the list
// equal to the folder. Here because a Worker cannot read its own repository.
import { sql } from "drizzle-orm";
import { type Database, readAll } from "../platform/d1";

export const MIGRATIONS: readonly string[] = [
  "0001_long_term_memory.sql",
  "0002_semantic_recall.sql",
  "0003_items.sql",
  "0004_policies.sql",
  "0005_experience.sql",
];

/** What has been applied to this database, oldest first; null when nothing ever was. */
export async function appliedMigrations(db: Database): Promise<string[] | null> {
  const [table] = await readAll(db, sql`SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'`);
  if (table === undefined) return null;
  const rows = await readAll<{ name: string }>(db, sql`SELECT name FROM d1_migrations ORDER BY id`);
  return rows.map(({ name }) => name);
}
