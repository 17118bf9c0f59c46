// The rows that belong to a user, an agent, a project or the whole tenant, for their erasure. Each call erases a bounded
// part and leaves the rest as it was.

import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../platform/d1";
import { requestCompaction } from "../compaction";
import { declareMethods } from "../declare-methods";
import { toEntityIri } from "../entities/entity-mapping";
import { repeatsHandoff } from "../handover/handoff-repository";
import { deleteItems, selectItemVectors } from "../item-repository";
import { forgetKeys } from "../known-keys";
import { type ErasedMemories, eraseMemories, eraseVectors } from "../memories/erase-memories";
import { removeProjectPolicy, selectProjectPolicy } from "../privacy/privacy-repository";
import type { StoreContext } from "../store-context";

export type ErasureTarget =
  | { kind: "user" | "agent"; id: string }
  /** `privacyPolicy` tells whether its privacy policy is erased, too: only who may change policies may do that. */
  | { kind: "project"; id: string; privacyPolicy: boolean }
  | { kind: "tenant" };

/** The tables whose rows belong to each kind of owner by its column. */
const OWNED_TABLES = {
  user: ["sessions", "messages", "memories", "episodes"],
  agent: ["sessions", "messages", "memories", "episodes", "policies", "ledgers", "briefing_counts"],
  project: ["sessions", "messages", "memories", "episodes", "skill_proposals", "briefing_counts"],
} as const;

/** The tables that a tenant's erasure empties last, once nothing else is left. */
const TENANT_TABLES = [
  "policies",
  "privacy_policies",
  "ontology_extensions",
  "ledgers",
  "handoffs",
  "skill_proposals",
  "briefing_counts",
  "operations",
  "quotations",
  "redactions",
  "webhooks",
  "webhook_deliveries",
  "vector_queue",
  "triples",
  "memory_versions",
  "tenant_usage",
  "usage_counts",
  "usage_flushes",
  // A tenant that is later given the same name must not see what happened in this one.
  "audit_log",
  "tenants",
] as const;

/** Rows of the other tables that an erasure deletes. */
export type ErasedRecords = {
  policies: number;
  ledgers: number;
  handoffs: number;
  skill_proposals: number;
  privacy_policies: number;
};

export function createOwnerRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, removes } = declareMethods(context);

  const readIds = async (statement: SQL): Promise<string[]> =>
    (await readAll<{ id: string }>(db, statement)).map(({ id }) => id);

  const anyExists = async (selects: readonly SQL[]): Promise<boolean> => {
    const terms = selects.map((select) => sql`EXISTS (${select})`);
    const [row] = await readAll<{ found: number }>(db, sql`SELECT ${sql.join(terms, sql` OR `)} AS found`);
    return row?.found === 1;
  };

  return {
    /** Returns whether any row belongs to the owner. */
    exists: reads((owner: ErasureTarget) => anyExists(selectOwned(tenant, owner))),

    /** Returns ids of the owner's sessions: those in the registry, then those of which only messages are left. */
    listSessionIds: reads(async (owner: ErasureTarget, limit: number): Promise<string[]> => {
      const where = isOwned(tenant, owner);
      const registered = await readIds(sql`SELECT id FROM sessions WHERE ${where} LIMIT ${limit}`);
      if (registered.length > 0) return registered;
      return readIds(
        sql`SELECT DISTINCT session_id AS id FROM (
          SELECT session_id FROM messages WHERE ${where} LIMIT 1000) LIMIT ${limit}`,
      );
    }),

    listEpisodeIds: reads((owner: ErasureTarget, limit: number) =>
      readIds(sql`SELECT id FROM episodes WHERE ${isOwned(tenant, owner)} LIMIT ${limit}`),
    ),

    /** Erases up to `limit` memories of the owner, whatever session, namespace or project they are in. */
    eraseMemories: removes(async (owner: ErasureTarget, limit: number): Promise<ErasedMemories> => {
      // Listed first: a SELECT with a limit could select other rows in each statement of the erasure.
      const ids = await readIds(sql`SELECT id FROM memories WHERE ${isOwned(tenant, owner)} LIMIT ${limit}`);
      return eraseMemories(
        context,
        sql`SELECT id FROM memories WHERE tenant = ${tenant}
          AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      );
    }),

    /** Erases up to `limit` items of the tenant with their vectors. */
    eraseItems: removes(async (limit: number): Promise<{ items: number; vectors: number }> => {
      const seqs = await readAll<{ seq: number }>(
        db,
        sql`SELECT seq FROM items WHERE tenant = ${tenant} LIMIT ${limit}`,
      );
      if (seqs.length === 0) return { items: 0, vectors: 0 };
      const which = sql`FROM items WHERE tenant = ${tenant}
        AND seq IN (SELECT value FROM json_each(${JSON.stringify(seqs.map(({ seq }) => seq))}))`;
      const vectors = await eraseVectors(context, "item", selectItemVectors(which));
      await runBatch(db, deleteItems(tenant, which));
      return { items: seqs.length, vectors };
    }),

    /** Erases the owner's rows in the smaller tables in one batch. */
    eraseRecords: removes(async (owner: ErasureTarget): Promise<ErasedRecords> => {
      const counted = (table: string, where: SQL) =>
        sql`(SELECT count(*) FROM ${sql.raw(table)} WHERE ${where})`;
      const none = sql`0`;
      const where = isOwned(tenant, owner);
      const isOfAgent = owner.kind === "agent" || owner.kind === "tenant";
      const isOfProject = owner.kind === "project" || owner.kind === "tenant";
      const handedOver = matchHandoffs(tenant, owner);
      const [rows] = await runBatch(db, [
        sql`SELECT ${isOfAgent ? counted("policies", where) : none} AS policies,
          ${isOfAgent ? counted("ledgers", where) : none} AS ledgers,
          ${handedOver === null ? none : counted("handoffs", handedOver)} AS handoffs,
          ${isOfProject ? counted("skill_proposals", where) : none} AS skill_proposals,
          ${countPrivacyPolicies(tenant, owner)} AS privacy_policies`,
        ...(isOfAgent ? deleteAll(["policies", "ledgers", "briefing_counts"], where) : []),
        ...(isOfProject ? deleteAll(["skill_proposals", "briefing_counts"], where) : []),
        ...(erasesPolicy(owner) ? [removeProjectPolicy(tenant, owner.id)] : []),
        ...(owner.kind === "tenant" ? deleteAll(["privacy_policies"], where) : []),
        ...(owner.kind === "agent" || owner.kind === "project"
          ? [deleteDeclaration(tenant, owner.kind, owner.id)]
          : []),
        ...(handedOver === null
          ? []
          : [
              // The reply to a handoff repeats its context.
              sql`DELETE FROM operations WHERE tenant = ${tenant}
                AND ${repeatsHandoff(sql`SELECT id FROM handoffs WHERE ${handedOver}`)}`,
              ...deleteAll(["handoffs"], handedOver),
            ]),
      ]);
      const [counts] = (rows ?? []) as ErasedRecords[];
      return counts ?? { policies: 0, ledgers: 0, handoffs: 0, skill_proposals: 0, privacy_policies: 0 };
    }),

    /** Deletes the keys of the tenant, and the replies to ADMIN_KEY that show them. */
    eraseKeys: removes(() => eraseTenantKeys(db, tenant)),

    /**
     * Deletes the last rows of a tenant, whose sessions, memories, episodes and items are erased. Returns its triples. Keeps
     * its number if there are several databases: `DB` has assigned it for all of them.
     */
    eraseRemains: removes(async ({ keepsNumber }: { keepsNumber: boolean }): Promise<number> => {
      const where = sql`tenant = ${tenant}`;
      const tables = TENANT_TABLES.filter((table) => table !== "tenants" || !keepsNumber);
      const [rows] = await runBatch(db, [
        sql`SELECT count(*) AS n FROM triples WHERE ${where}`,
        ...deleteAll(tables, where),
      ]);
      const [counted] = (rows ?? []) as { n: number }[];
      return counted?.n ?? 0;
    }),
  };
}

function deleteAll(tables: readonly string[], where: SQL): SQL[] {
  return [...tables.map((table) => sql`DELETE FROM ${sql.raw(table)} WHERE ${where}`), requestCompaction];
}

/** Matches the rows of a table in which the owner has a column. */
function isOwned(tenant: string, owner: ErasureTarget): SQL {
  if (owner.kind === "tenant") return sql`tenant = ${tenant}`;
  return sql`tenant = ${tenant} AND ${sql.raw(`${owner.kind}_id`)} = ${owner.id}`;
}

/** Matches the handoffs of an owner: an agent's are those from it and to it. Null for a user, who has none. */
function matchHandoffs(tenant: string, owner: ErasureTarget): SQL | null {
  switch (owner.kind) {
    case "user":
      return null;
    case "agent":
      return sql`tenant = ${tenant} AND (from_agent = ${owner.id} OR to_agent = ${owner.id})`;
    default:
      return isOwned(tenant, owner);
  }
}

/** Deletes the triples of an owner, whose declaration the caller has erased with the references to it. */
function deleteDeclaration(tenant: string, kind: "agent" | "project", id: string): SQL {
  return sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${toEntityIri({ kind, id })}`;
}

function erasesPolicy(owner: ErasureTarget): owner is Extract<ErasureTarget, { kind: "project" }> {
  return owner.kind === "project" && owner.privacyPolicy;
}

/** Counts the privacy policies that go with an owner: the project's own, or those of a tenant and all its projects. */
function countPrivacyPolicies(tenant: string, owner: ErasureTarget): SQL {
  if (erasesPolicy(owner)) return sql`(SELECT count(*) FROM (${selectProjectPolicy(tenant, owner.id)}))`;
  if (owner.kind !== "tenant") return sql`0`;
  return sql`(SELECT coalesce(sum((rules -> '$.tenant' IS NOT NULL)
      + (SELECT count(*) FROM json_each(rules, '$.projects'))), 0)
    FROM privacy_policies WHERE tenant = ${tenant})`;
}

/** Returns SELECTs that find the rows of an owner. */
function selectOwned(tenant: string, owner: ErasureTarget): SQL[] {
  const select = (table: string, where: SQL) => sql`SELECT 1 FROM ${sql.raw(table)} WHERE ${where}`;
  const where = isOwned(tenant, owner);
  if (owner.kind === "tenant")
    return [...OWNED_TABLES.user, "items", "api_keys", ...TENANT_TABLES]
      .filter((table) => table !== "tenants")
      .map((table) => select(table, where));
  const handedOver = matchHandoffs(tenant, owner);
  const { kind, id } = owner;
  return [
    ...OWNED_TABLES[kind].map((table) => select(table, where)),
    ...(handedOver === null ? [] : [select("handoffs", handedOver)]),
    ...(erasesPolicy(owner) ? [selectProjectPolicy(tenant, id)] : []),
    ...(kind === "user"
      ? []
      : [select("triples", sql`tenant = ${tenant} AND subject = ${toEntityIri({ kind, id })}`)]),
  ];
}

/** Deletes what `DB` has of a tenant that is in another database: the audit log, and the replies to calls about keys. */
export async function eraseHomeRows(db: Database, tenant: string): Promise<void> {
  await runBatch(db, deleteAll(["audit_log", "operations"], sql`tenant = ${tenant}`));
}

/** Deletes the keys of a tenant in one database, and the replies to ADMIN_KEY that show them. Returns how many there were. */
export async function eraseTenantKeys(db: Database, tenant: string): Promise<number> {
  const [rows] = await runBatch(db, [
    sql`SELECT count(*) AS n FROM api_keys WHERE tenant = ${tenant}`,
    sql`DELETE FROM api_keys WHERE tenant = ${tenant}`,
    sql`DELETE FROM operations WHERE tenant = '' AND response ->> '$.tenant' = ${tenant}`,
  ]).finally(() => forgetKeys({ tenant }));
  const [counted] = (rows ?? []) as { n: number }[];
  return counted?.n ?? 0;
}
