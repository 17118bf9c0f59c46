// The kinds of records that are rows of a table of their own, as they are.
import { type SQL, sql } from "drizzle-orm";
import type { Binding } from "../kernel/access";
import { fromJson } from "../kernel/databases/statements";
import { parseJson } from "../kernel/json";
import { matchOwnerColumns, matchSession } from "../kernel/match-owner";
import {
  listStoredColumns,
  listTables,
  type OwnerColumns,
  type TABLES,
  type TableName,
} from "../kernel/table-catalogue";
import type { ExportRecord, RecordKind } from "./export-records";

type TableKind = {
  table: string;
  columns: readonly string[];
  /** What identifies a row in its tenant, and orders the rows. */
  key: readonly string[];
  /** Columns that hold JSON. */
  json: readonly string[];
  /** Columns that hold 0 or 1. */
  flags: readonly string[];
  /** `session` for rows that belong to the owner of their session. */
  owners: OwnerColumns | "session";
};

type ExportedRows<T> = T extends { readonly exported: { readonly rows: infer K extends RecordKind } }
  ? K
  : never;
export type TableKindName = { [T in TableName]: ExportedRows<(typeof TABLES)[T]> }[TableName];

/** The tables whose rows are exported as they are, by the kind of their records. */
const TABLE_KINDS = Object.fromEntries(
  listTables().flatMap(([table, entry]): [string, TableKind][] => {
    const { exported, key, owners, json = [], flags = [] } = entry;
    if (!("rows" in exported)) return [];
    if (owners === "memory")
      throw new Error(`Rows of ${table} are exported without the owner of their memory.`);
    const without = ["tenant", ...(exported.without ?? [])];
    const columns = listStoredColumns(entry).filter((column) => !without.includes(column));
    return [[exported.rows, { table, columns, key, json, flags, owners }]];
  }),
) as Record<TableKindName, TableKind>;

/** Whether an owner can have rows of a table. */
export function canOwnRows(kind: TableKindName, owner: Binding): boolean {
  const { owners } = TABLE_KINDS[kind];
  return owners === "session" || matchOwnerColumns(owner, owners) !== null;
}

export type RecordPlace = readonly (string | number)[];

/** Builds a SELECT of a page of rows, in the order of their keys; null if none can be the owner's. */
export function selectTablePage(
  tenant: string,
  kind: TableKindName,
  owner: Binding,
  { after, limit }: { after: RecordPlace | null; limit: number },
): SQL | null {
  const { table, columns, key, owners } = TABLE_KINDS[kind];
  const isOwned =
    owners === "session" ? matchSession(tenant, owner, sql`session_id`) : matchOwnerColumns(owner, owners);
  if (isOwned === null) return null;
  const keys = sql.raw(key.join(", "));
  const values = (after ?? []).map((value) => sql`${value}`);
  const isAfter = after === null ? sql`true` : sql`(${keys}) > (${sql.join(values, sql`, `)})`;
  return sql`SELECT ${sql.raw(columns.join(", "))} FROM ${sql.raw(table)}
    WHERE tenant = ${tenant} AND ${isOwned} AND ${isAfter} ORDER BY ${keys} LIMIT ${limit}`;
}

type Row = Readonly<Record<string, string | number | null>>;

export function toTableRecord<K extends TableKindName>(kind: K, row: Row): ExportRecord<K> {
  const { json, flags } = TABLE_KINDS[kind];
  const fields = Object.entries(row).map(([name, value]) => {
    if (json.includes(name)) return [name, parseJson(String(value))];
    return [name, flags.includes(name) ? value === 1 : value];
  });
  return { kind, ...Object.fromEntries(fields) } as ExportRecord<K>;
}

export function getRowKey(kind: TableKindName, row: object): RecordPlace {
  const values = row as Row;
  return TABLE_KINDS[kind].key.map((name) => values[name] ?? "");
}

/** Builds a SELECT of the keys, as JSON, of those records that are stored. */
export function selectKnownRows(tenant: string, kind: TableKindName, records: readonly object[]): SQL {
  const { table, key } = TABLE_KINDS[kind];
  const keys = JSON.stringify(records.map((record) => getRowKey(kind, record)));
  const columns = key.map((name) => `t.${name}`);
  const values = key.map((name, i) => `t.${name} = j.value ->> ${i}`);
  return sql`SELECT json_array(${sql.raw(columns.join(", "))}) AS key FROM json_each(${keys}) j
    CROSS JOIN ${sql.raw(table)} t ON t.tenant = ${tenant} AND ${sql.raw(values.join(" AND "))}`;
}

/** Inserts records that are not stored. `more` are values of further columns, by record. */
export function insertTableRows(
  tenant: string,
  kind: TableKindName,
  records: readonly object[],
  more: readonly string[] = [],
): SQL {
  const { table, columns, json, flags } = TABLE_KINDS[kind];
  const rows = records.map((record) =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => {
        if (json.includes(name)) return [name, JSON.stringify(value)];
        return [name, flags.includes(name) ? Number(value) : value];
      }),
    ),
  );
  const names = [...columns, ...more];
  return sql`INSERT INTO ${sql.raw(table)} (tenant, ${sql.raw(names.join(", "))})
    SELECT ${tenant}, ${fromJson(names)} FROM json_each(${JSON.stringify(rows)})`;
}
