// The rows that belong to a user, an agent, a project or the whole tenant, for their erasure. Each call erases a bounded
// part and leaves the rest as it was.

import { type SQL, sql } from "drizzle-orm";
import { repeatsHandoff } from "../experience/handover/handoff-repository";
import { requestCompaction } from "../kernel/databases/compaction";
import { type Database, readAll, runBatch } from "../kernel/databases/d1";
import { declareMethods } from "../kernel/declare-methods";
import { forgetKeys } from "../kernel/known-keys";
import { matchOwnerColumns } from "../kernel/match-owner";
import type { StoreContext } from "../kernel/store-context";
import { type CatalogueEntry, listTables, type TABLES, type TableName } from "../kernel/table-catalogue";
import { type ErasedMemories, eraseMemories, eraseVectors } from "../memories/store/erase-memories";
import { toEntityIri } from "../ontology/entity-mapping";
import { deleteItems, selectItemVectors } from "../recall/search/item-repository";
import { removeProjectPolicy, selectProjectPolicy } from "../trust/privacy/privacy-repository";

export type ErasureTarget =
  | { kind: "user" | "agent"; id: string }
  /** `privacyPolicy` tells whether its privacy policy is erased, too: only who may change policies may do that. */
  | { kind: "project"; id: string; privacyPolicy: boolean }
  | { kind: "tenant" };

type CountedTable = {
  [T in TableName]: (typeof TABLES)[T]["erased"] extends { readonly counted: true } ? T : never;
}[TableName];

/** Rows of the smaller tables that an erasure deletes. */
type ErasedRecords = Record<CountedTable | "privacy_policies", number>;

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
    exists: reads((owner: ErasureTarget) => anyExists(selectErasable(tenant, owner))),

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
      const owned = listOwnedRows(tenant, owner).filter(
        ({ erased }) => erased.with === "owner" && erased.by === "batch",
      );
      const counts = listTables().flatMap(([name, { erased }]) => {
        if (erased?.counted !== true) return [];
        const rows = owned.find((one) => one.name === name);
        return [rows === undefined ? sql`0` : sql`(${selectOwned("count(*)", name, rows.where)})`].map(
          (count) => sql`${count} AS ${sql.raw(name)}`,
        );
      });
      const handedOver = owned.filter(({ name }) => name === "handoffs");
      const [rows] = await runBatch(db, [
        sql`SELECT ${sql.join(counts, sql`, `)}, ${countPrivacyPolicies(tenant, owner)} AS privacy_policies`,
        // The reply to a handoff repeats its context.
        ...handedOver.map(
          ({ where }) => sql`DELETE FROM operations WHERE tenant = ${tenant}
            AND ${repeatsHandoff(selectOwned("id", "handoffs", where))}`,
        ),
        ...owned.map(({ name, where }) => deleteOwned(name, where)),
        ...(erasesPolicy(owner) ? [removeProjectPolicy(tenant, owner.id)] : []),
        ...(owner.kind === "tenant" ? [deleteOwned("privacy_policies", sql`tenant = ${tenant}`)] : []),
        ...(owner.kind === "agent" || owner.kind === "project"
          ? [deleteDeclaration(tenant, owner.kind, owner.id)]
          : []),
        ...(owned.length === 0 ? [] : [requestCompaction]),
      ]);
      const [counted] = (rows ?? []) as ErasedRecords[];
      if (counted === undefined) throw new Error("D1 gave no counts of erased records");
      return counted;
    }),

    /** Deletes the keys of the tenant, and the replies to ADMIN_KEY that show them. */
    eraseKeys: removes(() => eraseTenantKeys(db, tenant)),

    /**
     * Deletes the last rows of a tenant, whose sessions, memories, episodes and items are erased. Returns its triples. Keeps
     * its number if there are several databases: `DB` has assigned it for all of them.
     */
    eraseLeftovers: removes(async ({ keepsNumber }: { keepsNumber: boolean }): Promise<number> => {
      const where = sql`tenant = ${tenant}`;
      const last = listOwnedRows(tenant, { kind: "tenant" }).filter(
        ({ name, erased }) => erased.by === "batch" && !(name === "tenants" && keepsNumber),
      );
      const [rows] = await runBatch(db, [
        selectOwned("count(*) AS n", "triples", where),
        ...last.map(({ name }) => deleteOwned(name, where)),
        requestCompaction,
      ]);
      const [counted] = (rows ?? []) as { n: number }[];
      return counted?.n ?? 0;
    }),
  };
}

type OwnedRows = { name: TableName; where: SQL; erased: NonNullable<CatalogueEntry["erased"]> };

/** Returns the tables that can have rows of the owner, with the condition on them. */
function listOwnedRows(tenant: string, owner: ErasureTarget): OwnedRows[] {
  const isOfTenant = sql`tenant = ${tenant}`;
  return listTables().flatMap(([name, { owners, erased }]) => {
    if (erased === null) return [];
    if (owner.kind === "tenant") return [{ name, where: isOfTenant, erased }];
    // Those of sessions and memories are erased with them.
    if (erased.with === "tenant" || owners === "session" || owners === "memory") return [];
    const isOfOwner = matchOwnerColumns({ [`${owner.kind}_id`]: owner.id }, owners);
    return isOfOwner === null ? [] : [{ name, where: sql`${isOfTenant} AND ${isOfOwner}`, erased }];
  });
}

function selectOwned(columns: string, table: string, where: SQL): SQL {
  return sql`SELECT ${sql.raw(columns)} FROM ${sql.raw(table)} WHERE ${where}`;
}

function deleteOwned(table: string, where: SQL): SQL {
  return sql`DELETE FROM ${sql.raw(table)} WHERE ${where}`;
}

/** Matches the rows of a table in which the owner has a column of its name. */
function isOwned(tenant: string, owner: ErasureTarget): SQL {
  if (owner.kind === "tenant") return sql`tenant = ${tenant}`;
  return sql`tenant = ${tenant} AND ${sql.raw(`${owner.kind}_id`)} = ${owner.id}`;
}

/** Deletes the triples of an owner, whose declaration the caller has erased with the references to it. */
function deleteDeclaration(tenant: string, kind: "agent" | "project", id: string): SQL {
  return deleteOwned("triples", isDeclared(tenant, kind, id));
}

function isDeclared(tenant: string, kind: "agent" | "project", id: string): SQL {
  return sql`tenant = ${tenant} AND subject = ${toEntityIri({ kind, id })}`;
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

/** Returns SELECTs that find what an erasure of the owner deletes. A tenant keeps its number. */
function selectErasable(tenant: string, owner: ErasureTarget): SQL[] {
  return [
    ...listOwnedRows(tenant, owner).flatMap(({ name, where }) =>
      name === "tenants" ? [] : [selectOwned("1", name, where)],
    ),
    ...(erasesPolicy(owner) ? [selectProjectPolicy(tenant, owner.id)] : []),
    ...(owner.kind === "agent" || owner.kind === "project"
      ? [selectOwned("1", "triples", isDeclared(tenant, owner.kind, owner.id))]
      : []),
  ];
}

/** Deletes what `DB` has of a tenant that is in another database: the audit log, and the replies to calls about keys. */
export async function eraseHomeRows(db: Database, tenant: string): Promise<void> {
  const where = sql`tenant = ${tenant}`;
  await runBatch(db, [deleteOwned("audit_log", where), deleteOwned("operations", where), requestCompaction]);
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
