// The D1 tables as drizzle sees them, from which row types and column lists are derived. The migrations create them
// and explain the indexes; a test compares the two.
import { getTableColumns, sql } from "drizzle-orm";
import {
  blob,
  integer,
  primaryKey,
  real,
  type SQLiteTable,
  sqliteTable,
  text,
} from "drizzle-orm/sqlite-core";
import { type Database, readAll } from "./databases/d1";

/** `unknown`: the service stopped during the call, which may have taken effect. */
export const AUDIT_OUTCOMES = ["ok", "refused", "failed", "unknown"] as const;

export const WEBHOOK_EVENTS = [
  "memory.created",
  "memory.superseded",
  "memory.forgotten",
  "memory.erased",
  "memory.promoted",
  "episode.created",
  "consolidation.completed",
] as const;

export const DELIVERY_STATUSES = ["pending", "delivered", "dead"] as const;

/** The kinds of rows that are embedded, in indexing order: a long conversation delays none of the others. */
export const VECTOR_KINDS = ["memory", "episode", "item", "message"] as const;

export type VectorKind = (typeof VECTOR_KINDS)[number];

export const predicates = sqliteTable("predicates", {
  number: integer("number").primaryKey(),
  iri: text("iri").notNull(),
});

/** The triples. Statements read and write them through the view `triples`. */
export const statements = sqliteTable(
  "statements",
  {
    tenant: text("tenant").notNull(),
    subject: text("subject").notNull(),
    predicate: integer("predicate").notNull(),
    key: text("key").notNull(),
    datatype: text("datatype").notNull(),
    graph: text("graph").notNull(),
    literal: text("literal"),
    position: integer("position").notNull(),
    // The migration has the expression.
    number: real("number").generatedAlwaysAs(sql`NULL`),
  },
  ({ tenant, subject, predicate, key, datatype, graph }) => [
    primaryKey({ columns: [tenant, subject, predicate, key, datatype, graph] }),
  ],
);

export const tenants = sqliteTable("tenants", {
  tenant: text("tenant").primaryKey(),
  number: integer("number").notNull(),
  indexed_at: real("indexed_at"),
});

export const tenantUsage = sqliteTable("tenant_usage", {
  tenant: text("tenant").primaryKey(),
  memories: integer("memories").notNull(),
  messages: integer("messages").notNull(),
  sessions: integer("sessions").notNull(),
  episodes: integer("episodes").notNull(),
  bytes: integer("bytes").notNull(),
});

export const memories = sqliteTable("memories", {
  seq: integer("seq").primaryKey(),
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  identity: text("identity").notNull(),
  type: text("type").notNull(),
  content: text("content").notNull(),
  rationale: text("rationale"),
  confidence: real("confidence").notNull(),
  importance: real("importance").notNull(),
  source_type: text("source_type").notNull(),
  scope: text("scope").notNull(),
  session_id: text("session_id"),
  user_id: text("user_id"),
  agent_id: text("agent_id"),
  project_id: text("project_id"),
  topic_key: text("topic_key"),
  topic_scope: text("topic_scope"),
  timestamp: text("timestamp").notNull(),
  recorded_at: text("recorded_at"),
  valid_from: text("valid_from"),
  valid_until: text("valid_until"),
  superseded_by: text("superseded_by"),
  invalidated_by: text("invalidated_by"),
  forgotten_at: text("forgotten_at"),
  forget_reason: text("forget_reason"),
  ended_at: text("ended_at"),
  live: integer("live").notNull(),
  access_count: integer("access_count").notNull(),
  last_accessed: text("last_accessed").notNull(),
  evidence: text("evidence").notNull(),
  properties: text("properties").notNull(),
  metadata: text("metadata").notNull().default("{}"),
  tags: text("tags").notNull().default("[]"),
  op: text("op"),
  activity: text("activity"),
});

export const memoryVersions = sqliteTable(
  "memory_versions",
  {
    tenant: text("tenant").notNull(),
    memory_id: text("memory_id").notNull(),
    until: text("until").notNull(),
    state: text("state").notNull(),
    triples: text("triples").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.memory_id, table.until] })],
);

export const usageCounts = sqliteTable("usage_counts", {
  seq: integer("seq").primaryKey(),
  tenant: text("tenant").notNull(),
  kind: text("kind").notNull(),
  bucket: integer("bucket").notNull(),
  counts: blob("counts").notNull(),
});

export const usageFlushes = sqliteTable("usage_flushes", {
  tenant: text("tenant").primaryKey(),
  log: text("log").notNull(),
  number: integer("number").notNull(),
});

export const episodes = sqliteTable("episodes", {
  seq: integer("seq").primaryKey(),
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  vector_id: text("vector_id").notNull(),
  user_id: text("user_id"),
  agent_id: text("agent_id"),
  project_id: text("project_id"),
  task_id: text("task_id"),
  timestamp: text("timestamp").notNull(),
  duration_seconds: real("duration_seconds"),
  phase: text("phase"),
  goal: text("goal").notNull(),
  outcome: text("outcome").notNull(),
  importance: real("importance").notNull(),
  tokens_used: integer("tokens_used"),
  trace: text("trace").notNull(),
  summary: text("summary"),
  usage_count: integer("usage_count").notNull(),
  last_used: text("last_used"),
  decayed_at: text("decayed_at"),
  archived_at: text("archived_at"),
  live: integer("live").notNull(),
});

export const messages = sqliteTable("messages", {
  seq: integer("seq").primaryKey(),
  tenant: text("tenant").notNull(),
  session_id: text("session_id").notNull(),
  position: integer("position").notNull(),
  id: text("id").notNull(),
  vector_id: text("vector_id").notNull(),
  role: text("role").notNull(),
  name: text("name"),
  content: text("content").notNull(),
  timestamp: text("timestamp").notNull(),
  user_id: text("user_id"),
  agent_id: text("agent_id"),
  project_id: text("project_id"),
  outdated: integer("outdated").notNull().default(0),
});

export const items = sqliteTable("items", {
  seq: integer("seq").primaryKey(),
  tenant: text("tenant").notNull(),
  collection: text("collection").notNull(),
  key: text("key").notNull(),
  value: text("value").notNull(),
  text: text("text").notNull(),
  session_id: text("session_id"),
  vector_id: text("vector_id"),
  embedding: text("embedding"),
  embedder: text("embedder"),
  updated_at: text("updated_at").notNull(),
});

export const sessions = sqliteTable(
  "sessions",
  {
    tenant: text("tenant").notNull(),
    id: text("id").notNull(),
    status: text("status").notNull(),
    user_id: text("user_id"),
    agent_id: text("agent_id"),
    project_id: text("project_id"),
    continues: text("continues"),
    reach: text("reach"),
    phase: text("phase"),
    created_at: text("created_at").notNull(),
    updated_at: text("updated_at").notNull(),
    ended_at: text("ended_at"),
    version: integer("version").notNull(),
    bytes: integer("bytes").notNull().default(0),
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

export const policies = sqliteTable(
  "policies",
  {
    tenant: text("tenant").notNull(),
    agent_id: text("agent_id").notNull(),
    policy: text("policy").notNull(),
    updated_at: text("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.agent_id] })],
);

export const privacyPolicies = sqliteTable("privacy_policies", {
  tenant: text("tenant").primaryKey(),
  rules: text("rules").notNull(),
  updated_at: text("updated_at").notNull(),
});

export const ontologyExtensions = sqliteTable(
  "ontology_extensions",
  {
    tenant: text("tenant").notNull(),
    name: text("name").notNull(),
    version: integer("version").notNull(),
    turtle: text("turtle").notNull(),
    created_at: text("created_at").notNull(),
    current: integer("current").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.name, table.version] })],
);

export const skillProposals = sqliteTable(
  "skill_proposals",
  {
    tenant: text("tenant").notNull(),
    project_id: text("project_id").notNull(),
    slug: text("slug").notNull(),
    pattern_id: text("pattern_id").notNull(),
    body: text("body").notNull(),
    status: text("status", { enum: ["proposed", "accepted", "dismissed"] }).notNull(),
    created_at: text("created_at").notNull(),
    decided_at: text("decided_at"),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.project_id, table.slug] })],
);

export const ledgers = sqliteTable(
  "ledgers",
  {
    tenant: text("tenant").notNull(),
    agent_id: text("agent_id").notNull(),
    version: integer("version").notNull(),
    ledger: text("ledger").notNull(),
    last_checkpoint: text("last_checkpoint").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.agent_id, table.version] })],
);

export const handoffs = sqliteTable(
  "handoffs",
  {
    tenant: text("tenant").notNull(),
    id: text("id").notNull(),
    project_id: text("project_id"),
    from_agent: text("from_agent").notNull(),
    to_agent: text("to_agent").notNull(),
    timestamp: text("timestamp").notNull(),
    context: text("context").notNull(),
    status: text("status").notNull(),
    acknowledged_by: text("acknowledged_by"),
    acknowledged_at: text("acknowledged_at"),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] })],
);

export const briefingCounts = sqliteTable(
  "briefing_counts",
  {
    tenant: text("tenant").notNull(),
    day: text("day").notNull(),
    project_id: text("project_id").notNull(),
    agent_id: text("agent_id").notNull(),
    calls: integer("calls").notNull(),
    with_patterns: integer("with_patterns").notNull(),
    patterns: integer("patterns").notNull(),
    tokens_used: integer("tokens_used").notNull(),
    tokens_saved: integer("tokens_saved").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.day, table.project_id, table.agent_id] })],
);

export const vectorQueue = sqliteTable(
  "vector_queue",
  {
    tenant: text("tenant").notNull(),
    kind: text("kind").notNull(),
    seq: integer("seq").notNull(),
    id: text("id").notNull(),
    attempts: integer("attempts").notNull(),
    due_at: integer("due_at").notNull(),
    visible_after: text("visible_after"),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.kind, table.seq] })],
);

export const vectorState = sqliteTable("vector_state", {
  id: integer("id").primaryKey(),
  embedder: text("embedder").notNull(),
  dimensions: integer("dimensions").notNull(),
  index_name: text("index_name").notNull(),
  progress: text("progress"),
});

export const apiKeys = sqliteTable("api_keys", {
  id: text("id").primaryKey(),
  tenant: text("tenant").notNull(),
  name: text("name"),
  hash: text("hash").notNull(),
  scopes: text("scopes").notNull(),
  binding: text("binding"),
  created_at: text("created_at").notNull(),
  expires_at: text("expires_at"),
  created_by: text("created_by"),
  last_used_at: text("last_used_at"),
});

export const webhooks = sqliteTable(
  "webhooks",
  {
    tenant: text("tenant").notNull(),
    id: text("id").notNull(),
    url: text("url").notNull(),
    events: text("events").notNull(),
    secret: text("secret").notNull(),
    created_at: text("created_at").notNull(),
    failing_since: text("failing_since"),
    disabled_at: text("disabled_at"),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] })],
);

export const webhookDeliveries = sqliteTable("webhook_deliveries", {
  seq: integer("seq").primaryKey(),
  tenant: text("tenant").notNull(),
  webhook_id: text("webhook_id").notNull(),
  id: text("id").notNull(),
  type: text("type", { enum: WEBHOOK_EVENTS }).notNull(),
  subject: text("subject").notNull(),
  data: text("data").notNull(),
  time: text("time").notNull(),
  status: text("status", { enum: DELIVERY_STATUSES }).notNull(),
  attempts: integer("attempts").notNull(),
  due_at: integer("due_at").notNull(),
  attempted_at: text("attempted_at"),
  response_status: integer("response_status"),
  error: text("error"),
});

export const auditLog = sqliteTable("audit_log", {
  id: integer("id").primaryKey(),
  tenant: text("tenant").notNull(),
  at: text("at").notNull(),
  action: text("action").notNull(),
  key_id: text("key_id").notNull(),
  target: text("target"),
  outcome: text("outcome", { enum: AUDIT_OUTCOMES }).notNull(),
  code: text("code").notNull(),
  request_id: text("request_id").notNull(),
  count: integer("count").notNull(),
  minute: text("minute"),
});

export const quotations = sqliteTable(
  "quotations",
  {
    tenant: text("tenant").notNull(),
    memory_id: text("memory_id").notNull(),
    session_id: text("session_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.memory_id, table.session_id] })],
);

export const redactions = sqliteTable("redactions", {
  id: integer("id").primaryKey(),
  tenant: text("tenant").notNull(),
  session_id: text("session_id").notNull(),
  memory_id: text("memory_id").notNull(),
  own: integer("own").notNull(),
  text: text("text").notNull(),
  attempts: integer("attempts").notNull().default(0),
  due_at: integer("due_at").notNull().default(0),
});

export const compaction = sqliteTable("compaction", {
  id: integer("id").primaryKey(),
  requested: integer("requested").notNull(),
  done: integer("done").notNull(),
  database_done: integer("database_done").notNull().default(0),
  objects_done: integer("objects_done").notNull().default(0),
  sessions_requested: integer("sessions_requested").notNull().default(0),
  sessions_done: integer("sessions_done").notNull().default(0),
});

export const tenantShards = sqliteTable("tenant_shards", {
  tenant: text("tenant").primaryKey(),
  shard: text("shard").notNull(),
  epoch: integer("epoch").notNull(),
});

export const tenantMoves = sqliteTable("tenant_moves", {
  tenant: text("tenant").primaryKey(),
  source: text("source").notNull(),
  target: text("target").notNull(),
  epoch: integer("epoch").notNull(),
  step: text("step").notNull(),
  position: text("position"),
  copied: integer("copied").notNull(),
  started_at: text("started_at").notNull(),
  leased_until: integer("leased_until").notNull(),
});

export const placements = sqliteTable("placements", {
  tenant: text("tenant").primaryKey(),
  epoch: integer("epoch").notNull(),
  state: text("state", { enum: ["open", "fenced", "moved", "receiving"] }).notNull(),
  run: text("run").notNull().default(""),
});

export const movingRows = sqliteTable("moving_rows", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  tenant: text("tenant").notNull(),
  name: text("name").notNull(),
  key: text("key").notNull(),
});

/** Returns the columns that a caller supplies for an insert: all but the row number and the tenant. */
export function listInsertColumns(table: SQLiteTable): string[] {
  return Object.keys(getTableColumns(table)).filter((column) => column !== "seq" && column !== "tenant");
}

/**
 * The migrations that this version needs, by the names that wrangler records. A Worker cannot read its repository, so
 * they are listed here; a test compares the list with the folder.
 */
export const MIGRATIONS: readonly string[] = ["0001_schema.sql"];

/** Returns the migrations applied to this database, oldest first; null if none ever was. */
export async function listAppliedMigrations(db: Database): Promise<string[] | null> {
  const [table] = await readAll(db, sql`SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'`);
  if (table === undefined) return null;
  const rows = await readAll<{ name: string }>(db, sql`SELECT name FROM d1_migrations ORDER BY id`);
  return rows.map(({ name }) => name);
}
