// The drizzle schema, from which row types and column lists are derived, and the table catalogue, from which moves, exports
// and erasures are derived, against the tables that the migrations create.
import { env } from "cloudflare:workers";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { afterEach, describe, expect, it } from "vitest";
import { type CatalogueEntry, listTables } from "../../../src/kernel/table-catalogue";
import * as schema from "../../../src/kernel/tables";
import { RECORD_KINDS } from "../../../src/transfer/export-records";

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

async function listTableNames(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'd1\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
  ).all<{ name: string }>();
  return results.map(({ name }) => name).toSorted();
}

describe("the drizzle schema", () => {
  it("declares every table of the migrations", async () => {
    expect(tables.map(({ name }) => name).toSorted()).toEqual(await listTableNames());
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

const CATALOGUE = "src/kernel/table-catalogue.ts";

/** Columns of these names say whom a row belongs to. */
const OWNER_COLUMNS = new Set([
  ...["user_id", "agent_id", "project_id", "session_id"],
  ...listTables().flatMap(([, { owners }]) =>
    typeof owners === "string"
      ? []
      : Object.values(owners)
          .flat()
          .filter((column) => column !== "id"),
  ),
]);

function listOwnerColumns({ owners }: CatalogueEntry): string[] {
  return typeof owners === "string" ? [`${owners}_id`] : Object.values(owners).flat();
}

function listDeclaredColumns(entry: CatalogueEntry): string[] {
  const { key, json = [], binaryJson = [], flags = [], assigned, exported } = entry;
  const without = "without" in exported ? (exported.without ?? []) : [];
  const more = assigned === undefined ? [] : [assigned];
  return [...key, ...listOwnerColumns(entry), ...json, ...binaryJson, ...flags, ...more, ...without];
}

/** Compares the catalogue with the schema. Each sentence says what is wrong and what to do. */
async function findFaults(): Promise<string[]> {
  const entries = new Map<string, CatalogueEntry>(listTables());
  const stored = await listTableNames();
  const faults = [...entries.keys()]
    .filter((name) => !stored.includes(name))
    .map((name) => `${CATALOGUE} has the table ${name}, which no migration creates: remove it.`);
  for (const name of stored) {
    const columns = (await readColumns(name)).map((column) => column.name);
    const owning = columns.filter((column) => OWNER_COLUMNS.has(column));
    const entry = entries.get(name);
    if (entry === undefined) {
      const owners = owning.length === 0 ? "its owners" : `its owners (${owning.join(", ")})`;
      faults.push(
        `${CATALOGUE} lacks the table ${name}: declare its key, ${owners}, whether it moves with its tenant, is exported, and is erased with whom.`,
      );
      continue;
    }
    for (const column of owning.filter((column) => !listOwnerColumns(entry).includes(column)))
      faults.push(`${CATALOGUE} lacks the owner column ${column} of ${name}: add it to \`owners\`.`);
    for (const column of listDeclaredColumns(entry).filter((column) => !columns.includes(column)))
      faults.push(`${CATALOGUE} has the column ${column} of ${name}, which no migration creates: remove it.`);
    if (typeof entry.owners === "object" && Object.keys(entry.owners).length > 0)
      if (entry.erased?.with !== "owner")
        faults.push(`${CATALOGUE} does not erase ${name} with its owners: set \`erased\`.`);
  }
  return faults;
}

describe("the table catalogue", () => {
  afterEach(async () => {
    await env.DB.prepare("DROP TABLE IF EXISTS notes").run();
  });

  it("declares every table and owner column of the migrations, and nothing else", async () => {
    expect(await findFaults()).toEqual([]);
  });

  it("says what to declare for a new table with an owner", async () => {
    await env.DB.prepare(
      "CREATE TABLE notes (tenant TEXT NOT NULL, agent_id TEXT, text TEXT NOT NULL)",
    ).run();
    expect(await findFaults()).toEqual([
      "src/kernel/table-catalogue.ts lacks the table notes: declare its key, its owners (agent_id), whether it moves with " +
        "its tenant, is exported, and is erased with whom.",
    ]);
  });

  it("says what to declare for a new owner column", async () => {
    await env.DB.prepare("ALTER TABLE policies ADD COLUMN user_id TEXT").run();
    const faults = await findFaults();
    await env.DB.prepare("ALTER TABLE policies DROP COLUMN user_id").run();
    expect(faults).toEqual([
      "src/kernel/table-catalogue.ts lacks the owner column user_id of policies: add it to `owners`.",
    ]);
  });

  it("names each kind of an export once", () => {
    const kinds = listTables().flatMap(([, { exported }]) => {
      if ("rows" in exported) return [exported.rows];
      return "as" in exported ? exported.as : [];
    });
    expect(kinds.toSorted()).toEqual([...RECORD_KINDS].toSorted());
  });
});
