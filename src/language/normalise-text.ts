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
