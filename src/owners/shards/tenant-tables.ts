// The tables that move with a tenant from one database to another, in the order in which they are copied.
import { type CatalogueEntry, listStoredColumns, listTables } from "../../kernel/table-catalogue";

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

/** The table `statements`, copied as the view shows it: a database numbers its predicates by itself. */
const TRIPLES: TenantTable = {
  name: "triples",
  columns: ["tenant", "subject", "predicate", "object", "datatype", "graph", "digest", "position"],
  key: ["subject"],
  isNumbered: false,
  order: "position",
  tracked: "statements",
  binaryJson: [],
};

export const TENANT_TABLES: readonly TenantTable[] = listTables().flatMap(([name, entry]) => {
  if (entry.moves !== true) return [];
  return [name === TRIPLES.tracked ? TRIPLES : toTenantTable(name, entry)];
});

function toTenantTable(name: string, entry: CatalogueEntry): TenantTable {
  const { key, assigned = null, binaryJson = [] } = entry;
  return {
    name,
    columns: listStoredColumns(entry).filter((column) => column !== assigned),
    key,
    isNumbered: key[0] === "seq",
    order: assigned,
    tracked: name,
    binaryJson,
  };
}

export function findTenantTable(name: string): TenantTable {
  const found = TENANT_TABLES.find((table) => table.name === name);
  if (found === undefined) throw new Error(`No table ${name} moves with a tenant.`);
  return found;
}
