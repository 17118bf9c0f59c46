// The D1 tables as drizzle sees them. The schema itself, with its reasons, is in migrations/.
import { sql } from "drizzle-orm";
import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type Database, readAll } from "../platform/d1";

export const triples = sqliteTable("triples", {
  id: integer("id").primaryKey(),
  tenant: text("tenant").notNull(),
  subject: text("subject").notNull(),
  predicate: text("predicate").notNull(),
  object: text("object").notNull(),
  datatype: text("datatype").notNull(),
  digest: text("digest"),
  object_key: text("object_key").generatedAlwaysAs(sql`coalesce(digest, object)`),
});

export const memories = sqliteTable("memories", {
  seq: integer("seq").primaryKey(),
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  identity: text("identity").notNull(),
  type: text("type").notNull(),
  content: text("content").notNull(),
  confidence: real("confidence").notNull(),
  importance: real("importance").notNull(),
  source_type: text("source_type").notNull(),
  rationale: text("rationale"),
  scope: text("scope").notNull(),
  session_id: text("session_id"),
  agent_id: text("agent_id"),
  project_id: text("project_id"),
  topic_key: text("topic_key"),
  timestamp: text("timestamp").notNull(),
  valid_from: text("valid_from"),
  valid_until: text("valid_until"),
  superseded_by: text("superseded_by"),
  invalidated_by: text("invalidated_by"),
  forgotten_at: text("forgotten_at"),
  forget_reason: text("forget_reason"),
  live: integer("live").notNull(),
  access_count: integer("access_count").notNull(),
  last_accessed: text("last_accessed").notNull(),
  evidence: text("evidence").notNull(),
  properties: text("properties").notNull(),
});

export const sessions = sqliteTable(
  "sessions",
  {
    tenant: text("tenant").notNull(),
    id: text("id").notNull(),
    status: text("status").notNull(),
    agent_id: text("agent_id"),
    project_id: text("project_id"),
    continues: text("continues"),
    created_at: text("created_at").notNull(),
    updated_at: text("updated_at").notNull(),
    ended_at: text("ended_at"),
    version: integer("version").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] })],
);

export const operations = sqliteTable(
  "operations",
  {
    tenant: text("tenant").notNull(),
    op: text("op").notNull(),
    fingerprint: text("fingerprint").notNull(),
    response: text("response").notNull(),
    quotes: integer("quotes").notNull(),
    created_at: text("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.op] })],
);

export const apiKeys = sqliteTable("api_keys", {
  id: text("id").primaryKey(),
  tenant: text("tenant").notNull(),
  name: text("name"),
  hash: text("hash").notNull(),
  scopes: text("scopes").notNull(),
  created_at: text("created_at").notNull(),
  expires_at: text("expires_at"),
});

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
