// Turns queries and texts into the terms of the text index. Terms are plain words, so a query cannot contain FTS5 syntax.
import { listIdentifierParts, listIdentifierWords } from "./identifiers";

/** Further terms slow the text index down without changing its first hits. */
const MAX_QUERY_TERMS = 32;

const STOP_WORDS = new Set(
  `a about am an and are as at be been but by can could did do does for from had has have he her him his how i if in
  into is it its me my of on or our she so than that the their them then there these they this those to us was we were
  what when where which who whom why will with would you your`.split(/\s+/),
);

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns the distinct words of a text, in lower case. */
export function extractWords(text: string): string[] {
  return [...new Set(separateCharacters(text.normalize("NFKC").toLowerCase()).match(WORD) ?? [])];
}

/** Returns the distinct words under which the text index finds a text: its own, and those of its identifiers. */
export function extractIndexWords(text: string): string[] {
  return [...new Set([...extractWords(text), ...listIdentifierWords(text.normalize("NFKC"))])];
}

/** Returns the words of a query without stop words, or all of them if it has only stop words. */
export function extractQueryTerms(query: string): string[] {
  const words = extractWords(query);
  const terms = words.filter((word) => !STOP_WORDS.has(word));
  return (terms.length > 0 ? terms : words).slice(0, MAX_QUERY_TERMS);
}

/** Returns the terms that a query searches for: its words, and the parts of its identifiers. */
export function extractSearchTerms(query: string): string[] {
  const parts = listIdentifierParts(query.normalize("NFKC")).filter((part) => !STOP_WORDS.has(part));
  return [...new Set([...extractQueryTerms(query), ...parts])].slice(0, MAX_QUERY_TERMS);
}

const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Separates the characters of scripts without spaces: the FTS5 tokenizer would index a whole text as one word. */
export function separateCharacters(text: string): string {
  return text.replace(UNSPACED_SCRIPT, " $& ");
}

/** Returns the text that is indexed: the text itself, followed by the words of its identifiers that it lacks. */
export function toIndexText(text: string): string {
  const words = new Set(extractWords(text));
  return [separateCharacters(text), ...listIdentifierWords(text).filter((word) => !words.has(word))].join(
    " ",
  );
}
