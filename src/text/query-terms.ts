// From what a person asks to the words that the text index is asked for. Nothing of the query is FTS5 syntax: it is
// cut into words, and every word is quoted.
import { LIMITS } from "../limits";

const STOP_WORDS = new Set(
  `a about am an and are as at be been but by can could did do does for from had has have he her him his how i if in
  into is it its me my of on or our she so than that the their them then there these they this those to us was we were
  what when where which who whom why will with would you your`.split(/\s+/),
);

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text, each once, in lower case. */
export function extractWords(text: string): string[] {
  return [...new Set(toIndexText(text.normalize("NFKC").toLowerCase()).match(WORD) ?? [])];
}

/** The words of a query, without the ones that every text has; all of them when nothing else is left. */
export function extractQueryTerms(query: string): string[] {
  const words = extractWords(query);
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : words).slice(0, LIMITS.queryTerms);
}
export const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
/** Scripts that write no spaces would be one endless word to the tokenizer: each character becomes a word. */

export function toIndexText(text: string): string {
  return text.replace(UNSPACED_SCRIPT, " $& ");
}
