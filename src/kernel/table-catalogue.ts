// Every table of D1, with what others need to know of it: what identifies a row, whom it belongs to, whether it moves with
// its tenant, is exported, and is erased with whom. Moves of tenants, the kinds of an export and erasures derive from it. A
// test compares it with the schema.
import { getTableColumns, type InferSelectModel } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { RecordKind } from "../transfer/export-records";
import type { Owner } from "./access";
import * as tables from "./tables";

/** The columns of a table that name each owner. A row without columns for an id belongs to the tenant alone. */
export type OwnerColumns<Column extends string = string> = Readonly<
  Partial<Record<keyof Owner, readonly Column[]>>
>;

type TableEntry<Column extends string = string> = {
  /** What identifies a row in its tenant, or several rows that move together. */
  readonly key: readonly Column[];
  /** `session` and `memory`: rows belong to the owner of that session or memory. */
  readonly owners: OwnerColumns<Column> | "session" | "memory";
  /** Columns with JSON, as text or in SQLite's binary form, and columns with 0 or 1. */
  readonly json?: readonly Column[];
  readonly binaryJson?: readonly Column[];
  readonly flags?: readonly Column[];
  /** Whether rows move with their tenant to another database; else the reason why not. */
  readonly moves: true | { readonly stays: string };
  /** A number that each database assigns by itself, so that it does not move. */
  readonly assigned?: Column;
  /** Rows are exported as they are, as records of a kind, but for some columns; or by code of their own, as records of some
   * kinds; or not, for a reason. */
  readonly exported:
    | { readonly rows: RecordKind; readonly without?: readonly Column[] }
    | { readonly as: readonly RecordKind[] }
    | { readonly not: string };
  /** With whom rows are erased: by a step of their own, or in one batch with other tables, where the receipt may count
   * them. Null if they hold nothing of a tenant. */
  readonly erased: {
    readonly with: "owner" | "tenant";
    readonly by: "step" | "batch";
    readonly counted?: true;
  } | null;
};

function declare<T extends SQLiteTable, const E extends TableEntry<keyof InferSelectModel<T> & string>>(
  table: T,
  entry: E,
): E & { readonly table: T } {
  return { table, ...entry };
}

const WITH_TENANT = { with: "tenant", by: "batch" } as const;
const WITH_OWNER = { with: "owner", by: "batch" } as const;
const BY_STEP = { with: "owner", by: "step" } as const;
const IN_DB_ALONE = { stays: "The database DB alone has it." } as const;
const OF_DATABASE = { stays: "It describes the database itself." } as const;
const NOT_OF_TENANT = { not: "It is no data of a tenant." } as const;
const DERIVED = { not: "It is computed from other rows." } as const;
const IN_PROGRESS = { not: "It is work in progress of this service." } as const;

/** By name. The tables that move are copied in this order. */
export const TABLES = {
  statements: declare(tables.statements, {
    key: ["subject", "predicate", "key", "datatype", "graph"],
    owners: {},
    moves: true,
    exported: { as: ["resource", "project", "agent", "link"] },
    erased: WITH_TENANT,
  }),
  sessions: declare(tables.sessions, {
    key: ["id"],
    owners: {
      user_id: ["user_id"],
      agent_id: ["agent_id"],
      project_id: ["project_id"],
      session_id: ["id"],
    },
    moves: true,
    // By the objects of the sessions, which have the rest of it.
    exported: {
      as: [
        ...["session", "projector", "context_item", "pending_item", "access", "space_container", "space"],
        ...["thread_entry", "inline_item", "ephemeral_item", "directive", "signal"],
      ] as RecordKind[],
    },
    erased: BY_STEP,
  }),
  messages: declare(tables.messages, {
    key: ["seq"],
    owners: {
      user_id: ["user_id"],
      agent_id: ["agent_id"],
      project_id: ["project_id"],
      session_id: ["session_id"],
    },
    flags: ["outdated"],
    moves: true,
    exported: { as: ["message"] },
    erased: BY_STEP,
  }),
  memories: declare(tables.memories, {
    key: ["seq"],
    owners: {
      user_id: ["user_id"],
      agent_id: ["agent_id"],
      project_id: ["project_id"],
      session_id: ["session_id"],
    },
    json: ["evidence", "properties", "metadata", "tags", "activity"],
    flags: ["live"],
    moves: true,
    exported: { as: ["memory"] },
    erased: BY_STEP,
  }),
  memory_versions: declare(tables.memoryVersions, {
    key: ["memory_id", "until"],
    owners: "memory",
    json: ["state", "triples"],
    moves: true,
    exported: { as: ["memory_version"] },
    erased: WITH_TENANT,
  }),
  episodes: declare(tables.episodes, {
    key: ["seq"],
    owners: { user_id: ["user_id"], agent_id: ["agent_id"], project_id: ["project_id"] },
    json: ["trace"],
    flags: ["live"],
    moves: true,
    exported: { as: ["episode"] },
    erased: BY_STEP,
  }),
  items: declare(tables.items, {
    key: ["seq"],
    owners: "session",
    json: ["value"],
    moves: true,
    exported: { as: ["item"] },
    erased: BY_STEP,
  }),
  operations: declare(tables.operations, {
    key: ["op"],
    owners: {},
    json: ["response"],
    flags: ["quotes"],
    moves: true,
    exported: IN_PROGRESS,
    erased: WITH_TENANT,
  }),
  policies: declare(tables.policies, {
    key: ["agent_id"],
    owners: { agent_id: ["agent_id"] },
    json: ["policy"],
    moves: true,
    exported: { rows: "policy" },
    erased: { ...WITH_OWNER, counted: true },
  }),
  privacy_policies: declare(tables.privacyPolicies, {
    key: ["tenant"],
    // The policies of projects are within the JSON.
    owners: {},
    json: ["rules"],
    moves: true,
    exported: { as: ["privacy_policy"] },
    erased: WITH_TENANT,
  }),
  ontology_extensions: declare(tables.ontologyExtensions, {
    key: ["name", "version"],
    owners: {},
    flags: ["current"],
    moves: true,
    exported: { rows: "ontology_extension" },
    erased: WITH_TENANT,
  }),
  skill_proposals: declare(tables.skillProposals, {
    key: ["project_id", "slug"],
    owners: { project_id: ["project_id"] },
    moves: true,
    exported: { rows: "skill_proposal" },
    erased: { ...WITH_OWNER, counted: true },
  }),
  ledgers: declare(tables.ledgers, {
    key: ["agent_id", "version"],
    owners: { agent_id: ["agent_id"] },
    json: ["ledger"],
    moves: true,
    exported: { rows: "ledger" },
    erased: { ...WITH_OWNER, counted: true },
  }),
  handoffs: declare(tables.handoffs, {
    key: ["id"],
    owners: { project_id: ["project_id"], agent_id: ["from_agent", "to_agent"] },
    json: ["context"],
    moves: true,
    exported: { rows: "handoff" },
    erased: { ...WITH_OWNER, counted: true },
  }),
  briefing_counts: declare(tables.briefingCounts, {
    key: ["day", "project_id", "agent_id"],
    owners: { project_id: ["project_id"], agent_id: ["agent_id"] },
    moves: true,
    exported: { rows: "briefing_count" },
    erased: WITH_OWNER,
  }),
  vector_queue: declare(tables.vectorQueue, {
    key: ["kind", "seq"],
    owners: {},
    moves: true,
    exported: IN_PROGRESS,
    erased: WITH_TENANT,
  }),
  usage_counts: declare(tables.usageCounts, {
    key: ["kind", "bucket"],
    owners: {},
    binaryJson: ["counts"],
    moves: true,
    assigned: "seq",
    exported: { not: "The records of memories and episodes include it." },
    erased: WITH_TENANT,
  }),
  usage_flushes: declare(tables.usageFlushes, {
    key: ["tenant"],
    owners: {},
    moves: true,
    exported: IN_PROGRESS,
    erased: WITH_TENANT,
  }),
  webhooks: declare(tables.webhooks, {
    key: ["id"],
    owners: {},
    json: ["events"],
    moves: true,
    exported: { rows: "webhook", without: ["secret"] },
    erased: WITH_TENANT,
  }),
  webhook_deliveries: declare(tables.webhookDeliveries, {
    key: ["webhook_id", "id"],
    owners: {},
    json: ["data"],
    moves: true,
    assigned: "seq",
    exported: IN_PROGRESS,
    erased: WITH_TENANT,
  }),
  quotations: declare(tables.quotations, {
    key: ["memory_id", "session_id"],
    owners: "session",
    moves: true,
    exported: { rows: "quotation" },
    erased: WITH_TENANT,
  }),
  redactions: declare(tables.redactions, {
    key: ["session_id"],
    owners: "session",
    flags: ["own"],
    moves: true,
    assigned: "id",
    exported: IN_PROGRESS,
    erased: WITH_TENANT,
  }),
  tenant_usage: declare(tables.tenantUsage, {
    key: ["tenant"],
    owners: {},
    moves: { stays: "Triggers count it, except for the bytes of sessions: a move copies it last." },
    exported: DERIVED,
    erased: WITH_TENANT,
  }),
  api_keys: declare(tables.apiKeys, {
    key: ["id"],
    owners: {},
    json: ["scopes", "binding"],
    moves: { stays: "DB has all of them, and the tenant's database has copies." },
    exported: { not: "Keys are secrets." },
    erased: { with: "tenant", by: "step" },
  }),
  audit_log: declare(tables.auditLog, {
    key: ["id"],
    owners: {},
    moves: IN_DB_ALONE,
    exported: { not: "It records the calls to this service." },
    // A tenant that is later given the same name must not see what happened in this one.
    erased: WITH_TENANT,
  }),
  tenants: declare(tables.tenants, {
    key: ["tenant"],
    owners: {},
    moves: { stays: "Its number is assigned with the first placement, and the same in every database." },
    exported: DERIVED,
    erased: WITH_TENANT,
  }),
  tenant_shards: declare(tables.tenantShards, {
    key: ["tenant"],
    owners: {},
    moves: IN_DB_ALONE,
    exported: NOT_OF_TENANT,
    erased: null,
  }),
  tenant_moves: declare(tables.tenantMoves, {
    key: ["tenant"],
    owners: {},
    json: ["position"],
    moves: IN_DB_ALONE,
    exported: NOT_OF_TENANT,
    erased: null,
  }),
  placements: declare(tables.placements, {
    key: ["tenant"],
    owners: {},
    moves: OF_DATABASE,
    exported: NOT_OF_TENANT,
    erased: null,
  }),
  moving_rows: declare(tables.movingRows, {
    key: ["seq"],
    owners: {},
    json: ["key"],
    moves: OF_DATABASE,
    exported: NOT_OF_TENANT,
    erased: null,
  }),
  predicates: declare(tables.predicates, {
    key: ["number"],
    owners: {},
    moves: { stays: "A database numbers its predicates by itself." },
    exported: NOT_OF_TENANT,
    erased: null,
  }),
  vector_state: declare(tables.vectorState, {
    key: ["id"],
    owners: {},
    json: ["progress"],
    moves: OF_DATABASE,
    exported: NOT_OF_TENANT,
    erased: null,
  }),
  compaction: declare(tables.compaction, {
    key: ["id"],
    owners: {},
    moves: OF_DATABASE,
    exported: NOT_OF_TENANT,
    erased: null,
  }),
} as const;

export type TableName = keyof typeof TABLES;
export type CatalogueEntry = TableEntry & { readonly table: SQLiteTable };

export function listTables(): [TableName, CatalogueEntry][] {
  return Object.entries(TABLES) as [TableName, CatalogueEntry][];
}

/** Returns the columns of a table that are stored, in their order. */
export function listStoredColumns({ table }: Pick<CatalogueEntry, "table">): string[] {
  return Object.entries(getTableColumns(table)).flatMap(([column, { generated }]) =>
    generated === undefined ? [column] : [],
  );
}
