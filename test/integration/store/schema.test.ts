// The drizzle schema, from which row types and column lists are derived, against the tables that the migrations create.
import { env } from "cloudflare:workers";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import * as schema from "../../../src/store/tables";

type Column = { name: string; type: string; notNull: boolean; primaryKey: boolean };

const tables = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map(getTableConfig);

/** The columns of a table in D1, generated ones included, in their order. */
async function readColumns(table: string): Promise<Column[]> {
  const { results } = await env.DB.prepare(`PRAGMA table_xinfo(${table})`).all<{
    name: string;
    type: string;
    notnull: number;
    pk: number;
  }>();
  // SQLite reports "TEXT GENERATED ALWAYS" as the type of a generated column.
  return results.map(({ name, type, notnull, pk }) => ({
    name,
    type: type.split(" ")[0]?.toLowerCase() ?? "",
    notNull: notnull === 1 || pk > 0,
    primaryKey: pk > 0,
  }));
}

describe("the drizzle schema", () => {
  it("declares every table of the migrations", async () => {
    const { results } = await env.DB.prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'd1\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
    ).all<{ name: string }>();
    expect(tables.map(({ name }) => name).toSorted()).toEqual(results.map(({ name }) => name).toSorted());
  });

  it.each(
    tables.map((table) => [table.name, table] as const),
  )("declares the columns of %s", async (name, table) => {
    const keys = new Set(table.primaryKeys.flatMap(({ columns }) => columns.map((column) => column.name)));
    const declared = table.columns.map(
      (column): Column => ({
        name: column.name,
        type: column.getSQLType(),
        notNull: column.notNull,
        primaryKey: column.primary || keys.has(column.name),
      }),
    );
    expect(declared).toEqual(await readColumns(name));
  });
});
