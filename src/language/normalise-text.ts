// Normalises, shortens and compares plain text.
import { removeInvisible } from "../kernel/validate-input";

/** Returns the form in which two contents count as the same memory; memory ids are derived from it. */
export function normaliseContent(text: string): string {
  const visible = removeInvisible(text);
  const folded = visible.normalize("NFKC").toLowerCase().normalize("NFKC").replace(/\s+/g, " ").trim();
  let end = folded.length;
  while (end > 0 && " .!".includes(folded.charAt(end - 1))) end -= 1;
  // Content of punctuation alone stays as it is.
  return end === 0 ? folded : folded.slice(0, end);
}

/** Shortens a text to at most `max` code points, ending with an ellipsis. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = Array.from(text);
  return points.length <= max
    ? text
    : `${points
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}

/** Orders texts by UTF-16 code unit, which sorts ISO timestamps and does not depend on a locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Collapses whitespace and control characters, so that no text can forge another line. */
export function toSingleLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

// Splits long texts into parts.

/** The ends of a paragraph, a line, a sentence and a word, the best place to split first. */
const BOUNDARIES = ["\n\n", "\n", ". ", " "];
/** A part ends at a boundary in its last quarter, else where it is full. */
const MIN_FILL = 0.75;

/** Splits a text into parts of at most `max` code points, which join to the same text. */
export function splitText(text: string, max: number): string[] {
  const points = Array.from(text);
  const parts: string[] = [];
  for (let from = 0; from < points.length; ) {
    const full = points.slice(from, from + max).join("");
    const part = from + max < points.length ? cutAtBoundary(full) : full;
    parts.push(part);
    from += Array.from(part).length;
  }
  return parts;
}

function cutAtBoundary(full: string): string {
  for (const boundary of BOUNDARIES) {
    const at = full.lastIndexOf(boundary);
    if (at >= full.length * MIN_FILL) return full.slice(0, at + boundary.length);
  }
  return full;
}

// Finds the memories that a tool result may quote.

/** Returns all that may be the id of a memory in a result. */
export function listQuotedIds(result: object): string[] {
  return [...new Set(JSON.stringify(result).match(/\b[0-9a-f]{32}\b/g))];
}
