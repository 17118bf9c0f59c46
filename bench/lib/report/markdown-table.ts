// Rows of text as a Markdown table that also reads well in a terminal.

/** A rule has a dash and, to the right, a colon. */
const MIN_WIDTH = 2;

/** The first column is text, the others are aligned as `align` says: "l" or "r" for each. */
export function table(head, align, rows) {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(MIN_WIDTH, ...lines.map((line) => line[column].length)));
  const format = (line) => {
    const cells = line.map((cell, column) =>
      align[column] === "r" ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
    );
    return `| ${cells.join(" | ")} |`;
  };
  const rule = widths.map((width, column) =>
    align[column] === "r" ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  return [format(head), `| ${rule.join(" | ")} |`, ...rows.map(format)].join("\n");
}
