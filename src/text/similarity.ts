// Texts matched by their words, in memory: what the text index does for the d1 provider, for stores that are small.

import { extractQueryTerms, extractWords } from "./query-terms";
import { stem } from "./stem";

/** As the text index reads a word: without accents, in its base form. */
function normaliseWord(word: string): string {
  return stem(
    word
      .normalize("NFD")
      .replace(/[\u0300-\u036f]/g, "")
      .normalize("NFC"),
  );
}

/** A word counts the less, the more texts have it. The same in SQL: src/store/items/item-repository.ts. */
function weighTerm(texts: number): number {
  return 1 / (1 + Math.log(Math.max(1, texts)));
}

/** For each text, the share of the query's words that it has, from 0 to 1. */
export function scoreWordOverlap(query: string, texts: readonly string[]): number[] {
  const asked = [...new Set(extractQueryTerms(query).map(normaliseWord))];
  const found = texts.map((text) => {
    const words = new Set(extractWords(text).map(normaliseWord));
    return asked.filter((word) => words.has(word));
  });
  const weights = new Map(
    asked.map((word) => [word, weighTerm(found.filter((has) => has.includes(word)).length)]),
  );
  const sum = (words: readonly string[]) =>
    words.reduce((total, word) => total + (weights.get(word) ?? 0), 0);
  const all = sum(asked);
  return found.map((has) => (all === 0 ? 0 : sum(has) / all));
}

export function cosineSimilarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
