// Removes the text of an erased memory from stored JSON, in which it may be a whole value, part of one, or part of JSON
// that a value contains as text.

export const ERASED = "[erased]";

/** JSON within JSON within JSON: a tool result in a provider's envelope, clipped and stored as a thread entry. */
const MAX_DEPTH = 3;

/** A text that is shorter, or a single word, occurs by chance: only whole values that equal it are removed. */
const MIN_CHARS = 12;

/** Returns the forms that a text has in stored JSON, the most deeply encoded first. */
export function listStoredForms(text: string): string[] {
  const isDistinctive = text.length >= MIN_CHARS && /\S\s+\S/.test(text);
  const forms: string[] = [];
  let value = text;
  let quote = '"';
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    value = encode(value);
    forms.unshift(isDistinctive ? value : quote + value + quote);
    quote = encode(quote);
  }
  return [...new Set(forms)];
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
