// Removes the text of an erased memory from stored JSON, in which it may be a whole value, part of one, or part of JSON
// that a value contains as text.

export const ERASED = "[erased]";

/** JSON within JSON within JSON: a tool result in a provider's envelope, clipped and stored as a thread entry. */
const MAX_DEPTH = 3;

/** A text that is shorter, or a single word, occurs by chance: only whole values that equal it are removed. */
const MIN_CHARS = 12;

/** Returns whether a text is long enough to be removed from within a longer one. */
export function isDistinctive(text: string): boolean {
  return text.length >= MIN_CHARS && /\S\s+\S/.test(text);
}

/** Returns the forms that a text has in stored JSON, the most deeply encoded first. */
export function listStoredForms(text: string): string[] {
  const isPart = isDistinctive(text);
  const quotes = listEncodings('"');
  const forms = listEncodings(text).map((value, n) => {
    // The quotes around a text are encoded once less than the text.
    const quote = isPart ? "" : (quotes[n + 1] ?? '"');
    return quote + value + quote;
  });
  return [...new Set(forms)];
}

/** Returns a text as it is encoded in JSON, in JSON within JSON, and so on, the most deeply encoded first. */
export function listEncodings(text: string): string[] {
  const encodings: string[] = [];
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) encodings.unshift(encode(encodings[0] ?? text));
  return encodings;
}

function encode(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the JSON without the text, which must be given in the forms that `listStoredForms` returns. */
export function redactJson(json: string, forms: readonly string[]): string {
  return forms.reduce((redacted, form) => {
    const quote = /^\\*"/.exec(form)?.[0] ?? "";
    const isWhole = quote !== "" && form.endsWith(quote) && form.length > 2 * quote.length;
    return redacted.replaceAll(form, isWhole ? quote + ERASED + quote : ERASED);
  }, json);
}
