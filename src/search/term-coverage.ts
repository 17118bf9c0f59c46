// Measures how much of a query a text covers, on one scale for all kinds of hits: BM25 scores of different tables are
// not comparable. Pure.
import { stemPorter } from "../text/porter-stem";
import { extractIndexWords, extractQueryTerms, extractSearchTerms, extractWords } from "../text/query-terms";
import { stem } from "../text/stem";
import { canMatchInside, canMatchPrefix } from "./word-parts";

/** The part of a text that is compared with a query, in characters: longer ones are documents. */
const COMPARED_CHARS = 4_000;

/** English endings after an apostrophe: parts of words, not terms. */
const CONTRACTION = /['’](?:s|t|d|m|re|ve|ll)\b/giu;

/**
 * Returns a function from the index of a text to the share of the query's terms in it, from 0 to 1. A term counts the
 * more, the fewer of the texts contain it. Words match as in the text index: by their stem, else as a part of a word.
 */
export function measureTermCoverage(query: string, texts: readonly string[]): (index: number) => number {
  const compared = texts.map(prepareText);
  const terms = listTerms(query).map((term) => {
    const covered = findTexts(term, compared);
    return { covered, weight: Math.log(1 + texts.length / Math.max(1, covered.size)) };
  });
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  return (index) => {
    const text = compared[index];
    if (text === undefined || total === 0) return 0;
    return terms.reduce((sum, { covered, weight }) => (covered.has(text) ? sum + weight : sum), 0) / total;
  };
}

type ComparedText = { words: readonly string[]; folded: string };

function prepareText(text: string): ComparedText {
  const folded = foldAccents(text.slice(0, COMPARED_CHARS).replace(CONTRACTION, " "));
  return { words: extractIndexWords(folded), folded: folded.toLowerCase() };
}

/** Returns the terms of a query that differ in their stems. */
function listTerms(query: string): string[] {
  const terms = extractSearchTerms(foldAccents(query.replace(CONTRACTION, " ")));
  return [...new Map(terms.map((term) => [stemPorter(term), term])).values()];
}

/** Returns the texts with a term: as a word, else at the beginning of a word, else anywhere. */
function findTexts(term: string, texts: readonly ComparedText[]): ReadonlySet<ComparedText> {
  const stemmed = stemPorter(term);
  // Words of one stem differ from its last letter on: few words need to be stemmed.
  const head = stemmed.slice(0, -1);
  const exact = texts.filter(({ words }) =>
    words.some((word) => word.startsWith(head) && stemPorter(word) === stemmed),
  );
  if (exact.length > 0) return new Set(exact);
  const begun = canMatchPrefix(term)
    ? texts.filter(({ words }) => words.some((word) => word.startsWith(term)))
    : [];
  if (begun.length > 0) return new Set(begun);
  return new Set(canMatchInside(term) ? texts.filter(({ folded }) => folded.includes(term)) : []);
}

/** Strips accents, as the tokenizer of the text index does. */
function foldAccents(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text;
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}

/** Returns the share of a text's terms that another text contains, from 0 to 1. */
export function computeTermOverlap(text: string, other: string): number {
  const terms = extractStems(text, extractQueryTerms);
  const words = extractStems(other, extractWords);
  return terms.size === 0 ? 0 : [...terms].filter((term) => words.has(term)).length / terms.size;
}

function extractStems(text: string, extract: (text: string) => string[]): Set<string> {
  return new Set(extract(text.slice(0, COMPARED_CHARS).replace(CONTRACTION, " ")).map(stem));
}
