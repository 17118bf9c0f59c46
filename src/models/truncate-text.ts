// Cuts a text to what a model reads of it.

const encoder = new TextEncoder();

/** Replaces an empty text, which services reject. */
const EMPTY_TEXT = ".";

/** Returns the beginning of a text, up to `maxBytes` of UTF-8, and its number of bytes. */
export function truncateText(whole: string, maxBytes: number): { text: string; bytes: number } {
  // encodeInto stops before the first character that does not fit.
  const { read, written } = encoder.encodeInto(whole, new Uint8Array(Math.min(maxBytes, whole.length * 3)));
  const text = whole.slice(0, read).toWellFormed();
  return text.trim() === "" ? { text: EMPTY_TEXT, bytes: EMPTY_TEXT.length } : { text, bytes: written };
}
