// Similarity measures: cosine similarity of vectors, and term overlap of texts for stores too small for a text index.
import { extractIndexWords, extractSearchTerms } from "./words/query-terms";
import { stem } from "./words/stem";

/** Inverse document frequency. src/recall/search/item-repository.ts has the same formula in SQL. */
function weighTerm(documentFrequency: number): number {
  return 1 / (1 + Math.log(Math.max(1, documentFrequency)));
}

/** Returns for each text the weighted share of the query's terms that it contains, from 0 to 1. */
export function scoreWordOverlap(query: string, texts: readonly string[]): number[] {
  const forms = new Map(extractSearchTerms(query).map((one) => [stem(one.term), one.forms.map(stem)]));
  const terms = [...forms.keys()];
  const matches = texts.map((text) => {
    const words = new Set(extractIndexWords(text).map(stem));
    return terms.filter((term) => forms.get(term)?.some((form) => words.has(form)));
  });
  const weights = new Map(
    terms.map((term) => [term, weighTerm(matches.filter((matched) => matched.includes(term)).length)]),
  );
  const sumWeights = (matched: readonly string[]) =>
    matched.reduce((total, term) => total + (weights.get(term) ?? 0), 0);
  const total = sumWeights(terms);
  return matches.map((matched) => (total === 0 ? 0 : sumWeights(matched) / total));
}

/** Returns the cosine similarity of two vectors of length 1, which is their dot product. */
export function cosineSimilarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
