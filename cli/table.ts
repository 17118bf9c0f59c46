// Renders tables for people. Columns are as wide as their content; flexible columns shrink until the table fits.
// Ids are never shortened, because every command takes them whole.
import stringWidth from "string-width";
import type { Terminal } from "./terminal";
import { toOneLine, truncateToWidth } from "./width";

export type Column<T> = {
  title: string;
  of: (row: T) => string | number | null;
  /** Whether the column may be truncated. */
  free?: true;
  /** Colours the padded cell. */
  paint?: (cell: string, row: T) => string;
};

const GAP = "  ";
/** Narrower columns are unreadable. */
const MIN_COLUMN_WIDTH = 12;
/** A last column of text that would be cut to less than this has a line of its own under each row. */
const MIN_TEXT_WIDTH = 30;

export function renderTable<T>(
  terminal: Terminal,
  columns: readonly Column<T>[],
  rows: readonly T[],
): string {
  const cells = rows.map((row) => columns.map(({ of }) => toOneLine(String(of(row) ?? "–"))));
  const widths = fitWidths(terminal.columns, columns, cells);
  const last = columns.length - 1;
  const textWidth = widths[last] ?? 0;
  const isCut = textWidth < MIN_TEXT_WIDTH && cells.some((row) => stringWidth(row[last] ?? "") > textWidth);
  if (isCut && columns.findIndex(({ free }) => free) === last) {
    const [head, ...lines] = renderTable(terminal, columns.slice(0, last), rows).split("\n");
    const texts = cells.map((row) => GAP + truncateToWidth(row[last] ?? "", terminal.columns - GAP.length));
    return [head, ...lines.flatMap((line, at) => [line, texts[at]])].join("\n");
  }
  const lay = (texts: readonly string[], paint: (text: string, column: number) => string) =>
    texts
      .map((text, at) => {
        const width = widths[at] ?? 0;
        const shown = truncateToWidth(text, width);
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

function fitWidths(room: number, columns: readonly Column<never>[], cells: readonly string[][]): number[] {
  const widths = columns.map(({ title }, at) =>
    Math.max(stringWidth(title), ...cells.map((row) => stringWidth(row[at] ?? ""))),
  );
  const total = () => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  for (let over = total() - room; over > 0; over = total() - room) {
    const free = columns.flatMap(({ free }, at) =>
      free && (widths[at] ?? 0) > MIN_COLUMN_WIDTH ? [at] : [],
    );
    const [widest] = free.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (widest === undefined) break;
    const next = widths[free[1] ?? -1] ?? MIN_COLUMN_WIDTH;
    const width = widths[widest] ?? 0;
    // Shrinks to the next widest column at once, then by one character at a time.
    widths[widest] = Math.max(MIN_COLUMN_WIDTH, width - over, width > next ? next : width - 1);
  }
  return widths;
}

/** Renders names and values, one pair per line. */
export function renderFields(
  terminal: Terminal,
  fields: Readonly<Record<string, string | number | null>>,
): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(
      ([name, value]) =>
        `${terminal.paint("dim", name.padEnd(width))}${GAP}${toOneLine(String(value ?? "–"))}`,
    )
    .join("\n");
}

/** Formats a time to the minute. */
export function formatMinute(time: string | null): string | null {
  return time === null ? null : time.slice(0, 16).replace("T", " ");
}
