// Reads figures that a benchmark has printed from the page that quotes them, so that each is written down once.
import { readFile } from "node:fs/promises";
import { root } from "../../../scripts/lib/repository.ts";

/** Reads a row of a table in Markdown by its first cell. Returns the cells by the heads of their columns. */
export async function readMeasuredRow(
  page: string,
  head: string,
  name: string,
): Promise<(column: string) => string> {
  const text = await readFile(`${root}/${page}`, "utf8");
  const lines = text.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const start = lines.findIndex(([, first, second]) => `${first} | ${second}` === head);
  const row = lines.slice(start).find(([, first]) => first === name);
  if (start < 0 || row === undefined) throw new Error(`${page} has no table "${head}" with a row "${name}"`);
  return (column) => {
    const cell = row[lines[start]?.indexOf(column) ?? -1];
    if (cell === undefined) throw new Error(`The table "${head}" of ${page} has no column "${column}"`);
    return cell;
  };
}

/** Reads two numbers with a plus between: of D1 and of objects. */
export function parsePair(cell: string): [number, number] {
  const [d1 = "", object = ""] = cell.split("+");
  return [parseNumber(d1), parseNumber(object)];
}

export function parseNumber(text: string): number {
  const number = Number(text.replaceAll(",", ""));
  if (text === "" || Number.isNaN(number)) throw new Error(`Not a number: ${text}`);
  return number;
}
