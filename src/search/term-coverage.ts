// Measures how much of a query a text covers, on one scale for all kinds of hits: BM25 scores of different tables are
// not comparable. Pure.
import { extractQueryTerms, extractWords } from "../text/query-terms";
import { stem } from "../text/stem";

/** The part of a text that is compared with a query, in characters: longer ones are documents. */
const COMPARED_CHARS = 4_000;

/** English endings after an apostrophe: parts of words, not terms. */
const CONTRACTION = /['’](?:s|t|d|m|re|ve|ll)\b/giu;

/**
 * Returns a function from the index of a text to the share of the query's terms in it, from 0 to 1. A term counts the
 * more, the fewer of the texts contain it.
 */
export function measureTermCoverage(query: string, texts: readonly string[]): (index: number) => number {
  const stems = texts.map((text) => extractStems(text));
  const terms = [...extractStems(query, extractQueryTerms)].map((term) => {
    const found = stems.filter((words) => words.has(term)).length;
    return { term, weight: Math.log(1 + texts.length / Math.max(1, found)) };
  });
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  return (index) => {
    const words = stems[index];
    if (words === undefined || total === 0) return 0;
    return terms.reduce((sum, { term, weight }) => (words.has(term) ? sum + weight : sum), 0) / total;
  };
}

/** Returns the share of a text's terms that another text contains, from 0 to 1. */
export function computeTermOverlap(text: string, other: string): number {
  const terms = extractStems(text, extractQueryTerms);
  const words = extractStems(other);
  return terms.size === 0 ? 0 : [...terms].filter((term) => words.has(term)).length / terms.size;
}

function extractStems(text: string, extract = extractWords): Set<string> {
  return new Set(extract(text.slice(0, COMPARED_CHARS).replace(CONTRACTION, " ")).map(stem));
}
