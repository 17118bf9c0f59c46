// The tables that move with a tenant from one database to another. A test compares the list with the schema: a new table
// with a tenant is in one of the two lists.
import { getTableColumns } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  briefingCounts,
  episodes,
  handoffs,
  items,
  ledgers,
  memories,
  memoryVersions,
  messages,
  ontologyExtensions,
  operations,
  policies,
  privacyPolicies,
  quotations,
  redactions,
  sessions,
  skillProposals,
  usageCounts,
  usageFlushes,
  vectorQueue,
  webhookDeliveries,
  webhooks,
} from "../tables";

export type TenantTable = {
  name: string;
  columns: readonly string[];
  /** What identifies a row in its tenant, or several rows that are copied together. */
  key: readonly string[];
  /** Whether `key` is a number in the tenant's own range: see `getSeqRange`. */
  isNumbered: boolean;
  /** A number that each database assigns by itself, or the column that states the order of the rows of a key. */
  order: string | null;
  /** The table behind a view. */
  tracked: string;
  /** Columns with JSON in SQLite's binary form. */
  binaryJson: readonly string[];
};

/** Copied as the view shows them: a database numbers its predicates by itself. */
const TRIPLES: TenantTable = {
  name: "triples",
  columns: ["tenant", "subject", "predicate", "object", "datatype", "graph", "digest", "position"],
  key: ["subject"],
  isNumbered: false,
  order: "position",
  tracked: "statements",
  binaryJson: [],
};

/** Rows are copied in this order. */
export const TENANT_TABLES: readonly TenantTable[] = [
  TRIPLES,
  describe("sessions", sessions, ["id"]),
  describe("messages", messages, ["seq"]),
  describe("memories", memories, ["seq"]),
  describe("memory_versions", memoryVersions, ["memory_id", "until"]),
  describe("episodes", episodes, ["seq"]),
  describe("items", items, ["seq"]),
  describe("operations", operations, ["op"]),
  describe("policies", policies, ["agent_id"]),
  describe("privacy_policies", privacyPolicies, ["tenant"]),
  describe("ontology_extensions", ontologyExtensions, ["name", "version"]),
  describe("skill_proposals", skillProposals, ["project_id", "slug"]),
  describe("ledgers", ledgers, ["agent_id", "version"]),
  describe("handoffs", handoffs, ["id"]),
  describe("briefing_counts", briefingCounts, ["day", "project_id", "agent_id"]),
  describe("vector_queue", vectorQueue, ["kind", "seq"]),
  { ...describe("usage_counts", usageCounts, ["kind", "bucket"], "seq"), binaryJson: ["counts"] },
  describe("usage_flushes", usageFlushes, ["tenant"]),
  describe("webhooks", webhooks, ["id"]),
  describe("webhook_deliveries", webhookDeliveries, ["webhook_id", "id"], "seq"),
  describe("quotations", quotations, ["memory_id", "session_id"]),
  describe("redactions", redactions, ["session_id"], "id"),
];

/** Tables with a tenant that are written in other ways: see move-tenant.ts. */
export const OTHER_TENANT_TABLES: readonly string[] = [
  // Assigned with the first placement, and the same in every database.
  "tenants",
  // Triggers count it, except for the bytes of sessions: it is copied last.
  "tenant_usage",
  // `DB` has all of them, and the tenant's database has copies.
  "api_keys",
  // In `DB` alone.
  "audit_log",
  "tenant_shards",
  "tenant_moves",
  // Of the databases themselves.
  "placements",
  "moving_rows",
];

function describe(
  name: string,
  table: SQLiteTable,
  key: readonly string[],
  assigned: string | null = null,
): TenantTable {
  const columns = Object.entries(getTableColumns(table))
    .filter(([column, { generated }]) => column !== assigned && generated === undefined)
    .map(([column]) => column);
  return { name, columns, key, isNumbered: key[0] === "seq", order: assigned, tracked: name, binaryJson: [] };
}

export function findTenantTable(name: string): TenantTable {
  const found = TENANT_TABLES.find((table) => table.name === name);
  if (found === undefined) throw new Error(`No table ${name} moves with a tenant.`);
  return found;
}
