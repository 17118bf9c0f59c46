// Markdown lines and lists. Fenced code stays verbatim; elsewhere, text that would read as document structure is escaped
// with a backslash.

/** A line of Markdown. `code` is set for fenced lines and the fences: the indent is that of the opening fence. */
export type MarkdownLine = { text: string; code: { opens: boolean; indent: number } | null };

const BEFORE_FENCE = String.raw`(?:[ \t]|(?:[-*+]|\d{1,9}[.)])[ \t])*`;
const FENCE = "(?:`{3,}(?=[^`]*$)|~{3,})";
const OPENING = new RegExp(`^(${BEFORE_FENCE})(${FENCE})`);
const CLOSING = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;
/** Headings that divide the document; deeper ones are text. */
const HEADING = String.raw`#{1,2}[ \t]`;
const STRUCTURE = new RegExp(String.raw`^${BEFORE_FENCE}\\*(?=${FENCE})|^\\*(?=${HEADING})`);
const ESCAPED = new RegExp(String.raw`^(${BEFORE_FENCE}\\*)\\(?=${FENCE})|^(\\*)\\(?=${HEADING})`);

/** Splits Markdown into lines. A fence that is never closed opens no code: it must not swallow the rest. */
export function parseLines(markdown: string): MarkdownLine[] {
  const lines = markdown.split("\n").map((text): MarkdownLine => ({ text, code: null }));
  // The shortest unclosed fence of each kind: a longer one after it is unclosed too and needs no search.
  const unclosed = new Map<string, number>();
  for (let at = 0; at < lines.length; at += 1) {
    const [, before = "", fence = ""] = OPENING.exec(lines[at]?.text ?? "") ?? [];
    const kind = fence.charAt(0);
    if (fence === "" || fence.length >= (unclosed.get(kind) ?? Number.POSITIVE_INFINITY)) continue;
    const end = findFenceEnd(lines, at, fence);
    if (end === null) {
      unclosed.set(kind, fence.length);
      continue;
    }
    for (const [index, line] of lines.slice(at, end + 1).entries())
      line.code = { opens: index === 0, indent: before.length };
    at = end;
  }
  return lines;
}

function findFenceEnd(lines: readonly MarkdownLine[], start: number, fence: string): number | null {
  for (let at = start + 1; at < lines.length; at += 1) {
    if (CLOSING.exec(lines[at]?.text ?? "")?.[1]?.startsWith(fence)) return at;
  }
  return null;
}

/** Escapes fences and headings outside of code. */
export function escapeStructure(text: string): string {
  return mapProseLines(text, (line) => line.replace(STRUCTURE, "$&\\"));
}

export function unescapeStructure(text: string): string {
  return mapProseLines(text, (line) => line.replace(ESCAPED, "$1$2"));
}

function mapProseLines(text: string, change: (line: string) => string): string {
  return parseLines(text)
    .map((line) => (line.code === null ? change(line.text) : line.text))
    .join("\n");
}

const MARKER = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
/** A thematic break, which ends an item. */
const RULE = /^(?:-{3,}|\*{3,}|_{3,})[ \t]*$/;

export function renderBulletList(items: readonly string[]): string {
  return items.map((item) => renderListItem("- ", item)).join("\n");
}

export function renderNumberedList(items: readonly string[]): string {
  return items.map((item, index) => renderListItem(`${index + 1}. `, item)).join("\n");
}

function renderListItem(marker: string, text: string): string {
  return marker + escapeStructure(text).replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(marker.length)}`);
}

/** `width` is the indent of its text; 0 for a paragraph without a marker, which counts as an item. */
type Item = { width: number; lines: string[] };

/** Parses the items of a list as people write it: nested lists, wrapped lines, code, paragraphs without a marker. */
export function parseListItems(lines: readonly MarkdownLine[]): string[] {
  const items: Item[] = [];
  let item: Item | undefined;
  // Markers indented further than this belong to nested lists.
  let margin = Number.POSITIVE_INFINITY;
  // Whether an unindented next line continues the sentence.
  let wraps = false;
  for (const { text, code } of lines) {
    const inside = code !== null && !code.opens;
    const [marker, indent = ""] = (inside ? null : MARKER.exec(text)) ?? [];
    if (marker !== undefined && indent.length <= margin) {
      margin = indent.length;
      item = { width: marker.length, lines: [text.slice(marker.length)] };
      items.push(item);
      wraps = true;
    } else if (inside) {
      item?.lines.push(dedent(text, Math.min(item.width, code.indent)));
      wraps = false;
    } else if (text.trim() === "") {
      if (item?.width === 0) item = undefined;
      item?.lines.push(dedent(text, item.width));
      wraps = false;
    } else if (RULE.test(text)) {
      item = undefined;
    } else if (item === undefined) {
      item = { width: 0, lines: [text] };
      items.push(item);
      wraps = code === null;
    } else if (wraps && code === null && !/^[ \t]/.test(text)) {
      item.lines.push(`${item.lines.pop()} ${text}`);
    } else {
      item.lines.push(dedent(text, item.width));
      wraps = code === null;
    }
  }
  return items.map((one) => unescapeStructure(one.lines.join("\n").trim())).filter((one) => one !== "");
}

/** Removes up to `width` spaces of indent; a tab counts as the rest of it. */
function dedent(text: string, width: number): string {
  let at = 0;
  while (at < width && text[at] === " ") at += 1;
  return text.slice(at < width && text[at] === "\t" ? at + 1 : at);
}
