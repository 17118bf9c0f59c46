// Turns queries and texts into the terms of the text index. Terms are plain words, so a query cannot contain FTS5 syntax.
import { listUnspacedDateNames, translateDateName } from "../times/date-names";
import { stemArabic } from "./arabic-stem";
import { stemCyrillic } from "./cyrillic-stem";
import { foldDigits, foldLetters } from "./fold-letters";
import { stemPorter } from "./porter-stem";
import { isGermanStopWord, isStopWord, listGermanForms, mayBeGerman } from "./stop-words";
import {
  countUnspacedCharacters,
  hasUnspacedScript,
  isUnspaced,
  listTextPhrases,
  listUnspacedTerms,
  separateCharacters,
} from "./unspaced-scripts";

// Splits identifiers into words: camelCase, HTTPServer2, snake_case and kebab-case. Pure.

const IDENTIFIER = /[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*/gu;

/** The seams within an identifier: a separator, aB and ABc. "APIs" has none. */
const SEAM = /[_-]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;

/** Few words have a seam, and this is faster than splitting them. */
const HAS_SEAM = /[_-]|[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}/u;

/** Longer ones are keys and hashes, whose parts are not words. */
const MAX_IDENTIFIER_CHARS = 64;
const MAX_PARTS = 8;

/** Returns the parts of each identifier in a text that has more than one, in lower case. */
function splitIdentifiers(text: string): string[][] {
  return (text.match(IDENTIFIER) ?? []).flatMap((identifier) => {
    if (identifier.length > MAX_IDENTIFIER_CHARS || !HAS_SEAM.test(identifier)) return [];
    if (!/\p{L}/u.test(identifier)) return [];
    const parts = identifier.split(SEAM).filter((part) => part !== "");
    return parts.length < 2 || parts.length > MAX_PARTS ? [] : [parts.map((part) => part.toLowerCase())];
  });
}

/** Returns the distinct parts of the identifiers in a text: getUserById → get, user, by, id. */
export function listIdentifierParts(text: string): string[] {
  return [...new Set(splitIdentifiers(text).flat())].filter(isWord);
}

/**
 * Returns the parts of the identifiers in a text, and what each identifier reads like from any of its parts on:
 * getUserById → get, user, by, id, getuserbyid, userbyid, byid. So the beginning of a word finds "userby".
 */
export function listIdentifierWords(text: string): string[] {
  const identifiers = splitIdentifiers(text);
  const joined = identifiers.flatMap((parts) => parts.map((_, i) => parts.slice(i).join("")));
  return [...new Set([...identifiers.flat(), ...joined])].filter(isWord);
}

/** Nobody searches for a single character. */
function isWord(part: string): boolean {
  return part.length > 1;
}

/** Further terms slow the text index down without changing its first hits. */
const MAX_QUERY_TERMS = 32;
/** Phrases of two characters overlap: a sentence has about as many of them as characters. */
const MAX_QUERY_PHRASES = 64;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns the distinct words of a text, in lower case. Characters of unspaced scripts are words. */
export function extractWords(text: string): string[] {
  return [...new Set(separateCharacters(text.normalize("NFKC").toLowerCase()).match(WORD) ?? [])];
}

/** Returns the distinct terms under which the text index finds a text, phrases of two characters included. */
export function extractIndexWords(text: string): string[] {
  const folded = foldLetters(text);
  const words = folded.toLowerCase();
  return [
    ...new Set([
      ...(separateCharacters(words).match(WORD) ?? []).map(stemScript),
      ...listIdentifierWords(folded),
      ...listTextPhrases(words),
    ]),
  ];
}

/** Returns the words of a query without stop words, or all of them if it has only stop words. */
export function extractQueryTerms(query: string): string[] {
  const words = extractWords(query);
  const terms = words.filter(createContentTest(words));
  return (terms.length > 0 ? terms : words).slice(0, MAX_QUERY_TERMS);
}

/** A term of a query. */
export type SearchTerm = {
  /** The term as the text index has it. */
  term: string;
  /** All forms that match, the term first. */
  forms: readonly string[];
  /** Part of another term: it finds more texts, and does not count as a term that a text covers. */
  isPart: boolean;
};

/** The terms of the last queries: a search extracts those of one query several times. */
const lastTerms = new Map<string, readonly SearchTerm[]>();
const CACHED_QUERIES = 8;

/** Returns the terms that a query searches for: its words, the parts of its identifiers, and phrases of two characters. */
export function extractSearchTerms(query: string): readonly SearchTerm[] {
  const known = lastTerms.get(query);
  if (known !== undefined) return known;
  const terms = findSearchTerms(query);
  lastTerms.set(query, terms);
  for (const oldest of lastTerms.keys()) {
    if (lastTerms.size <= CACHED_QUERIES) break;
    lastTerms.delete(oldest);
  }
  return terms;
}

function findSearchTerms(query: string): SearchTerm[] {
  const words = extractWords(query).filter((word) => !isUnspaced(word));
  const unspaced = hasUnspacedScript(query)
    ? listUnspacedTerms(foldLetters(query).toLowerCase())
    : { phrases: [], parts: [] };
  const isContent = createContentTest(words);
  const content = words.filter(isContent);
  const parts = listIdentifierParts(query.normalize("NFKC")).filter(isContent);
  const chosen = content.length + unspaced.phrases.length > 0 ? [...content, ...parts] : words;
  const german = mayBeGerman(words);
  const terms = new Map(chosen.map((word) => [toIndexWord(word), listForms(word, german)]));
  const dates = listUnspacedDateNames(foldDigits(query.normalize("NFKC"))).map(({ name, english }) => ({
    term: english,
    forms: /\d/.test(name) ? [english, separateCharacters(name).trim()] : [english],
    isPart: false,
  }));
  return [
    ...[...terms].map(([term, forms]) => ({ term, forms, isPart: false })).slice(0, MAX_QUERY_TERMS),
    ...[
      ...dates,
      ...unspaced.phrases.map((term) => ({ term, forms: [term], isPart: false })),
      ...unspaced.parts.map((term) => ({ term, forms: [term], isPart: true })),
    ].slice(0, MAX_QUERY_PHRASES),
  ];
}

/** Returns the FTS5 expression that matches any form of a term. */
export function toMatchExpression({ forms }: Pick<SearchTerm, "forms">): string {
  const phrases = forms.map((form) => `"${form}"`);
  return phrases.length === 1 ? phrases.join("") : `(${phrases.join(" OR ")})`;
}

/** Returns the number of words of a query, without stop words. Two characters of an unspaced script count as a word. */
export function countQueryWords(query: string): number {
  const words = extractQueryTerms(query).filter((word) => !isUnspaced(word));
  return words.length + Math.ceil(countUnspacedCharacters(query) / 2);
}

/** Whether a query has a word other than stop words. */
export function hasContentWords(query: string): boolean {
  const words = extractWords(query);
  return words.some(createContentTest(words));
}

/** Returns the test whether a word of a query, in lower case, says what the query is about. */
function createContentTest(words: readonly string[]): (word: string) => boolean {
  const german = mayBeGerman(words);
  return (word) => !isStopWord(foldLetters(word)) && !(german && isGermanStopWord(word));
}

function toIndexWord(word: string): string {
  return stemScript(foldLetters(word));
}

/** Returns the forms in which a word may stand in the text index, of which no two have the same stem there. */
function listForms(word: string, german: boolean): string[] {
  const term = toIndexWord(word);
  // The text index has the month and the weekday of a message in English.
  const dateName = translateDateName(word) ?? term;
  const forms = [term, ...(german ? listGermanForms(term) : listRelatedForms(term)), dateName];
  const stems = forms.map(stemPorter);
  return forms.filter((_, i) => stems.indexOf(stems[i] ?? "") === i);
}

/** Shorter nouns are more often unrelated: "Italy" and "italic". */
const MIN_NOUN_CHARS = 6;

/**
 * Returns the adjective of a noun, or the noun of an adjective, which the stemmer keeps apart: "allergy" and "allergic".
 * Words in "-cy" have none: "policy" would be "polic", the stem of "police".
 */
function listRelatedForms(term: string): string[] {
  const [, stem, ending] = /^(.*[^aeiouc])(y|ies|ic)$/.exec(term) ?? [];
  if (stem === undefined || `${stem}y`.length < MIN_NOUN_CHARS) return [];
  return [ending === "ic" ? `${stem}y` : `${stem}ic`];
}

const INFLECTED_SCRIPT = /\p{Script=Cyrillic}+|\p{Script=Arabic}+/gu;

/** Stems the words of scripts that the stemmer of the text index does not know. The text must be folded. */
function stemScript(text: string): string {
  return text.replace(INFLECTED_SCRIPT, (word) =>
    /\p{Script=Arabic}/u.test(word) ? stemArabic(word) : stemCyrillic(word.toLowerCase()),
  );
}

/** Returns the text that is indexed: the text itself, followed by the words of its identifiers that it lacks. */
export function toIndexText(text: string): string {
  const folded = foldLetters(text);
  const words = new Set(extractWords(folded));
  const identifiers = listIdentifierWords(folded).filter((word) => !words.has(word));
  return [separateCharacters(stemScript(folded)), ...identifiers].join(" ");
}
