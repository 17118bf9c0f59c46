// Renders rows of text as a Markdown table that also reads well in a terminal.

/** A delimiter cell has a dash and, for right alignment, a colon. */
const MIN_WIDTH = 2;

/** `align` has "l" or "r" for each column. */
export function renderTable(
  head: readonly string[],
  align: string,
  rows: readonly (readonly string[])[],
): string {
  const lines = [head, ...rows];
  const columns = head.map((_, column) => ({
    right: align[column] === "r",
    width: Math.max(MIN_WIDTH, ...lines.map((line) => line[column]?.length ?? 0)),
  }));
  const renderLine = (line: readonly string[]) => {
    const cells = columns.map(({ right, width }, column) => {
      const cell = line[column] ?? "";
      return right ? cell.padStart(width) : cell.padEnd(width);
    });
    return `| ${cells.join(" | ")} |`;
  };
  const delimiters = columns.map(({ right, width }) =>
    right ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  return [renderLine(head), `| ${delimiters.join(" | ")} |`, ...rows.map(renderLine)].join("\n");
}
