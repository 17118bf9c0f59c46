// A table for people: columns as wide as they need, the widest of the free ones cut until it fits.
import stringWidth from "string-width";
import type { Terminal } from "./terminal";
import { cut, oneLine } from "./width";

export type Column<T> = {
  title: string;
  of: (row: T) => string | number | null;
  /** May be cut where there is no room. */
  free?: true;
  /** How the cell looks, once it is padded. */
  paint?: (cell: string, row: T) => string;
};

const GAP = "  ";
/** A column that is cut below this says nothing. */
const LEAST = 12;

export function tableOf<T>(terminal: Terminal, columns: readonly Column<T>[], rows: readonly T[]): string {
  const cells = rows.map((row) => columns.map(({ of }) => oneLine(String(of(row) ?? "–"))));
  const widths = fitted(terminal.columns, columns, cells);
  const lay = (texts: readonly string[], paint: (text: string, column: number) => string) =>
    texts
      .map((text, at) => {
        const width = widths[at] ?? 0;
        const shown = cut(text, width);
        const isLast = at === texts.length - 1;
        return paint(isLast ? shown : shown + " ".repeat(width - stringWidth(shown)), at);
      })
      .join(GAP);
  const titles = columns.map(({ title }) => title);
  return [
    lay(titles, (text) => terminal.paint("dim", text)),
    ...rows.map((row, at) =>
      lay(cells[at] ?? [], (text, column) => columns[column]?.paint?.(text, row) ?? text),
    ),
  ].join("\n");
}

function fitted(room: number, columns: readonly Column<never>[], cells: readonly string[][]): number[] {
  const widths = columns.map(({ title }, at) =>
    Math.max(stringWidth(title), ...cells.map((row) => stringWidth(row[at] ?? ""))),
  );
  const total = () => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  for (let over = total() - room; over > 0; over = total() - room) {
    const free = columns.flatMap(({ free }, at) => (free && (widths[at] ?? 0) > LEAST ? [at] : []));
    const [widest] = free.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (widest === undefined) break;
    const next = widths[free[1] ?? -1] ?? LEAST;
    const width = widths[widest] ?? 0;
    // Down to the next widest at once, then one by one.
    widths[widest] = Math.max(LEAST, width - over, width > next ? next : width - 1);
  }
  return widths;
}

/** Names and values, one below the other. */
export function fieldsOf(
  terminal: Terminal,
  fields: Readonly<Record<string, string | number | null>>,
): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(
      ([name, value]) => `${terminal.paint("dim", name.padEnd(width))}${GAP}${oneLine(String(value ?? "–"))}`,
    )
    .join("\n");
}

/** A time, to the minute. */
export function minute(time: string | null): string | null {
  return time === null ? null : time.slice(0, 16).replace("T", " ");
}
