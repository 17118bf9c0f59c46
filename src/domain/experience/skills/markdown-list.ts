// Lists of Markdown: written with the further lines of an item indented below its text, read as people write them.
import { escapeStructure, type Line, unescapeStructure } from "./markdown-text";

const MARKER = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
/** A rule between sections says nothing. */
const RULE = /^(?:-{3,}|\*{3,}|_{3,})[ \t]*$/;

export function bulleted(items: readonly string[]): string {
  return items.map((item) => listItem("- ", item)).join("\n");
}

export function numbered(items: readonly string[]): string {
  return items.map((item, index) => listItem(`${index + 1}. `, item)).join("\n");
}

function listItem(marker: string, text: string): string {
  return marker + escapeStructure(text).replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(marker.length)}`);
}

/** `width` is how far in its text stands; 0 for a paragraph without a marker, which is an item too. */
type Item = { width: number; lines: string[] };

export function itemsOf(lines: readonly Line[]): string[] {
  const items: Item[] = [];
  let item: Item | undefined;
  // Markers further in than this are of lists within an item.
  let margin = Number.POSITIVE_INFINITY;
  // Whether the next line, if it is not indented, goes on with the sentence.
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

/** A tab indents as far as is asked. */
function dedent(text: string, width: number): string {
  let at = 0;
  while (at < width && text[at] === " ") at += 1;
  return text.slice(at < width && text[at] === "\t" ? at + 1 : at);
}
