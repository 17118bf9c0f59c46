// Prints a page of a list: a table with the cursor of the next page, or the API's JSON.
import type { List } from "../client/index";
import type { Context, PAGE_OPTIONS, Values } from "./command";
import { parseNumber } from "./numbers";
import { type Column, renderTable } from "./table";

export async function showPage<T>(
  { terminal, json, values }: Pick<Context, "terminal" | "json"> & { values: Values<typeof PAGE_OPTIONS> },
  list: List<T>,
  { columns, none }: { columns: readonly Column<T>[]; none: string },
): Promise<void> {
  const page = await list.page({ limit: parseNumber("limit", values.limit) ?? 20, cursor: values.cursor });
  if (json) return terminal.json(page);
  if (page.data.length === 0) return terminal.note(none);
  await terminal.line(renderTable(terminal, columns, page.data));
  if (page.next_cursor !== null) terminal.note(`There are more: --cursor ${page.next_cursor}`);
}
