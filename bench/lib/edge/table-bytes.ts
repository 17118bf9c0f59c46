// Reads how many bytes of the database each table and each index takes: its pages, without free ones.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getItem } from "../get-item.ts";
import { formatCount } from "../report/format.ts";
import { renderTable } from "../report/markdown-table.ts";

export interface TableBytes {
  name: string;
  bytes: number;
}

/** Opens the file of the database in a state folder. The service must not be running: its last writes would be missing. */
export async function openStateDatabase(folder: string): Promise<DatabaseSync> {
  const files = join(folder, "v3", "d1", "miniflare-D1DatabaseObject");
  const names = (await readdir(files)).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  if (names.length !== 1) throw new Error(`${files} has ${names.length} databases`);
  return new DatabaseSync(join(files, getItem(names, 0)));
}

/** Returns the largest first. */
export function readTableBytes(db: DatabaseSync): TableBytes[] {
  const rows = db
    .prepare("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC")
    .all();
  return rows.map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) }));
}

export function sumBytes(tables: readonly TableBytes[]): number {
  return tables.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Tables below this share of the whole are one line. */
const LISTED_SHARE = 0.01;

export function renderTableBytes(tables: readonly TableBytes[], memories: number): string {
  const all = sumBytes(tables);
  const isListed = ({ bytes }: TableBytes) => bytes >= all * LISTED_SHARE;
  const others = tables.filter((table) => !isListed(table));
  const lines = [
    ...tables.filter(isListed),
    { name: `${others.length} others`, bytes: sumBytes(others) },
    { name: "all", bytes: all },
  ];
  return renderTable(
    ["table or index", "bytes a memory"],
    "lr",
    lines.map(({ name, bytes }) => [name, formatCount(Math.round(bytes / memories))]),
  );
}
