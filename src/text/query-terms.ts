// From what a person asks to the words that the text index is asked for. Nothing of the query is FTS5 syntax: it is
// cut into words, and every word is quoted.
import { LIMITS } from "../limits";
import { indexText } from "./memory-text";

const STOP_WORDS = new Set(
  `a about am an and are as at be been but by can could did do does for from had has have he her him his how i if in
  into is it its me my of on or our she so than that the their them then there these they this those to us was we were
  what when where which who whom why will with would you your`.split(/\s+/),
);

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text, each once, in lower case. */
export function wordsOf(text: string): string[] {
  return [...new Set(indexText(text.normalize("NFKC").toLowerCase()).match(WORD) ?? [])];
}

/** The words of a query, without the ones that every text has; all of them when nothing else is left. */
export function queryTerms(query: string): string[] {
  const words = wordsOf(query);
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : words).slice(0, LIMITS.queryTerms);
}
