// Renders the views of the memory tool: a directory, two levels deep, and the lines of a file.

const DEPTH = 2;
const LINE_NUMBER_WIDTH = 6;
const MAX_LINES = 999_999;

export type FileSize = { path: string; bytes: number };

/** Renders a directory; its size is the sum of all files below it. */
export function renderDirectory(directory: string, files: readonly FileSize[]): string {
  const sizes = new Map<string, number>();
  for (const { path, bytes } of files) {
    const names = path.slice(directory.length + 1).split("/");
    if (names.some((name) => name.startsWith(".") || name === "node_modules")) continue;
    for (let depth = 1; depth <= Math.min(DEPTH, names.length); depth += 1) {
      const name = names.slice(0, depth).join("/") + (depth < names.length ? "/" : "");
      sizes.set(name, (sizes.get(name) ?? 0) + bytes);
    }
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    `Here're the files and directories up to 2 levels deep in ${directory}, excluding hidden items and node_modules:`,
    `${formatSize(total)}\t${directory}`,
    ...[...sizes]
      .toSorted(([a], [b]) => comparePaths(a, b))
      .map(([name, bytes]) => `${formatSize(bytes)}\t${directory}/${name}`),
  ].join("\n");
}

/** Compares name by name, so that the files of a directory follow it. */
function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  const at = left.findIndex((name, i) => name !== right[i]);
  return (left[at] ?? "") < (right[at] ?? "") ? -1 : 1;
}

function formatSize(bytes: number): string {
  if (bytes === 0) return "0B";
  const step = Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), 3);
  const size = bytes / 1024 ** step;
  return `${size % 1 === 0 ? size : size.toFixed(1)}${"BKMG"[step]}`;
}

export function numberLines(lines: readonly string[], first: number): string {
  return lines.map((line, i) => `${String(i + first).padStart(LINE_NUMBER_WIDTH, " ")}\t${line}`).join("\n");
}

export function renderFile(path: string, text: string, range: readonly number[] | undefined): string {
  const lines = text.split("\n");
  if (lines.length > MAX_LINES)
    throw new Error(
      `File ${path} has too many lines (${lines.length}). Maximum is ${MAX_LINES.toLocaleString("en")} lines.`,
    );
  const [from = 1, to = -1] = range?.length === 2 ? range : [];
  const start = Math.max(1, from);
  const shown = lines.slice(start - 1, to === -1 ? lines.length : to);
  return `Here's the content of ${path} with line numbers:\n${numberLines(shown, start)}`;
}
