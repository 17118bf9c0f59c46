// Texts inside a Markdown document. Code between fences stands as it is; around it, what would read as structure of
// the document is escaped with a backslash.

/** A line of Markdown; of one between fences, or that is one, how far in the opening fence stands. */
export type Line = { text: string; code: { opens: boolean; indent: number } | null };

const BEFORE_FENCE = String.raw`(?:[ \t]|(?:[-*+]|\d{1,9}[.)])[ \t])*`;
const FENCE = "(?:`{3,}(?=[^`]*$)|~{3,})";
const OPENING = new RegExp(`^(${BEFORE_FENCE})(${FENCE})`);
const CLOSING = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;
/** Headings that cut the document; deeper ones are text. */
const HEADING = String.raw`#{1,2}[ \t]`;
const STRUCTURE = new RegExp(String.raw`^${BEFORE_FENCE}\\*(?=${FENCE})|^\\*(?=${HEADING})`);
const ESCAPED = new RegExp(String.raw`^(${BEFORE_FENCE}\\*)\\(?=${FENCE})|^(\\*)\\(?=${HEADING})`);

/** A fence that is never closed opens nothing: one that was forgotten must not swallow the rest. */
export function linesOf(markdown: string): Line[] {
  const lines = markdown.split("\n").map((text): Line => ({ text, code: null }));
  // The shortest fence of a kind that has no end: a longer one after it has none either, and need not be searched.
  const endless = new Map<string, number>();
  for (let at = 0; at < lines.length; at += 1) {
    const [, before = "", fence = ""] = OPENING.exec(lines[at]?.text ?? "") ?? [];
    const kind = fence.charAt(0);
    if (fence === "" || fence.length >= (endless.get(kind) ?? Number.POSITIVE_INFINITY)) continue;
    const end = endOf(lines, at, fence);
    if (end === null) {
      endless.set(kind, fence.length);
      continue;
    }
    for (const [index, line] of lines.slice(at, end + 1).entries())
      line.code = { opens: index === 0, indent: before.length };
    at = end;
  }
  return lines;
}

function endOf(lines: readonly Line[], start: number, fence: string): number | null {
  for (let at = start + 1; at < lines.length; at += 1) {
    if (CLOSING.exec(lines[at]?.text ?? "")?.[1]?.startsWith(fence)) return at;
  }
  return null;
}

export function escapeStructure(text: string): string {
  return eachLine(text, (line) => line.replace(STRUCTURE, "$&\\"));
}

export function unescapeStructure(text: string): string {
  return eachLine(text, (line) => line.replace(ESCAPED, "$1$2"));
}

function eachLine(text: string, change: (line: string) => string): string {
  return linesOf(text)
    .map((line) => (line.code === null ? change(line.text) : line.text))
    .join("\n");
}
