// A page of a list: as a table with a word on what follows, or as the API's own JSON.
import type { List } from "../client/index";
import type { Context, PAGE, Values } from "./command";
import { numberIn } from "./numbers";
import { type Column, tableOf } from "./table";

export async function showPage<T>(
  { terminal, json, values }: Pick<Context, "terminal" | "json"> & { values: Values<typeof PAGE> },
  list: List<T>,
  { columns, none }: { columns: readonly Column<T>[]; none: string },
): Promise<void> {
  const page = await list.page({ limit: numberIn("limit", values.limit) ?? 20, cursor: values.cursor });
  if (json) return terminal.json(page);
  if (page.data.length === 0) return terminal.note(none);
  await terminal.line(tableOf(terminal, columns, page.data));
  if (page.next_cursor !== null) terminal.note(`There are more: --cursor ${page.next_cursor}`);
}
