// SQL that removes deleted text from the pages of a SQLite file, for databases in which PRAGMA and VACUUM are refused.
// SQLite leaves deleted text in free pages, and in the unused part of pages that are still in use. So tables are copied,
// dropped and created again, and free pages are overwritten with zeros in between.

/** A table with what it takes to create it again. */
export type RewritableTable = {
  name: string;
  sql: string;
  /** The columns that an INSERT may name: all but the generated ones. */
  columns: readonly string[];
  /** The statements that create its indexes and triggers. */
  indexes: readonly string[];
  triggers: readonly string[];
};

/** Selects the tables that can be rewritten, with their columns, indexes and triggers as JSON. */
export const SELECT_TABLES = `SELECT t.name, t.sql,
    (SELECT json_group_array(c.name) FROM pragma_table_xinfo(t.name) c WHERE c.hidden = 0) AS columns,
    (SELECT json_group_array(i.sql) FROM sqlite_master i
      WHERE i.type = 'index' AND i.tbl_name = t.name AND i.sql IS NOT NULL) AS indexes,
    (SELECT json_group_array(g.sql) FROM sqlite_master g
      WHERE g.type = 'trigger' AND g.tbl_name = t.name) AS triggers
  FROM sqlite_master t WHERE t.type = 'table' AND t.sql LIKE 'CREATE TABLE%'
    AND substr(t.name, 1, 4) NOT IN ('_cf_', 'sqli') AND t.name NOT IN ('filler', 'd1_migrations')
    AND NOT EXISTS (SELECT 1 FROM sqlite_master f WHERE f.sql LIKE 'CREATE VIRTUAL%' AND substr(t.name, 1, length(f.name) + 1) = f.name || '_')`;

export type TableRow = { name: string; sql: string; columns: string; indexes: string; triggers: string };

export function toRewritableTable({ name, sql, columns, indexes, triggers }: TableRow): RewritableTable {
  const parse = (json: string) => JSON.parse(json) as string[];
  return { name, sql, columns: parse(columns), indexes: parse(indexes), triggers: parse(triggers) };
}

const COPY_SUFFIX = "__copy";

/** Copies tables and drops them: their pages become free. */
export function buildCopies(tables: readonly RewritableTable[]): string[] {
  return tables.flatMap(({ name, columns }) => [
    `CREATE TABLE "${name}${COPY_SUFFIX}" AS SELECT ${listColumns(columns)} FROM "${name}"`,
    `DROP TABLE "${name}"`,
  ]);
}

/** Creates the tables again from their copies, row by row in the same order. Triggers come last: no row is new. */
export function buildRestorations(tables: readonly RewritableTable[]): string[] {
  return tables.flatMap(({ name, sql, columns, indexes, triggers }) => [
    sql,
    `INSERT INTO "${name}" (${listColumns(columns)}) SELECT ${listColumns(columns)} FROM "${name}${COPY_SUFFIX}" ORDER BY rowid`,
    ...indexes,
    ...triggers,
    `DROP TABLE "${name}${COPY_SUFFIX}"`,
  ]);
}

function listColumns(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(", ");
}

/**
 * The sizes of a filler row. Two rows fill a leaf page of 4,096 bytes to the last byte, and the rest of each row fills
 * overflow pages: no byte of a page that they take is left as it was. The larger rows keep the tree flat, since its inner
 * pages are not filled.
 */
const SMALL_ROW_BYTES = 100_235;
const LARGE_ROW_BYTES = 1_000_475;
const LARGE_FROM_BYTES = 64_000_000;

/** The first row number: those from 16,384 to 2,097,151 all take three bytes, which the sizes above include. */
const FIRST_ROW = 20_000;

/** Writes zeros over at least this many bytes of free pages. The rows must be deleted afterwards. */
export function buildFiller(bytes: number): string {
  const rowBytes = bytes < LARGE_FROM_BYTES ? SMALL_ROW_BYTES : LARGE_ROW_BYTES;
  const rows = 2 * Math.ceil(bytes / rowBytes / 2);
  return `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows - 1})
    INSERT INTO filler (id, zeros) SELECT ${FIRST_ROW} + i, zeroblob(${rowBytes}) FROM n`;
}

/**
 * Creates a table without rows for every page that was the root of a table or an index. SQLite roots a new table in the
 * free page with the lowest number, and those of dropped roots are low: these tables take them from the restored ones.
 */
export function buildRootTables(tables: readonly RewritableTable[]): { create: string[]; drop: string[] } {
  // A primary key or UNIQUE constraint is one more index, of which there are at most two in a table.
  const roots = tables.reduce((sum, { indexes }) => sum + 3 + indexes.length, 0);
  const names = Array.from({ length: roots }, (_, n) => `root__${n}`);
  return {
    create: names.map((name) => `CREATE TABLE ${name} (id INTEGER)`),
    drop: names.map((name) => `DROP TABLE ${name}`),
  };
}

export const DELETE_FILLER = "DELETE FROM filler";
