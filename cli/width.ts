// Cuts texts to the width of a terminal. Stored texts may hold anything: a terminal would obey their control
// characters, so these are never shown.
import stringWidth from "string-width";

const segmenter = new Intl.Segmenter();

/** Cuts a text to at most `width` columns, and ends it with … where something is missing. */
export function truncateToWidth(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of segmenter.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Joins a text into one line without control characters. */
export function toOneLine(text: string): string {
  return replaceControlCharacters(text).replaceAll(/\s+/g, " ").trim();
}

/** Replaces control characters, except line breaks and tabs. */
export function replaceControlCharacters(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "�");
}
