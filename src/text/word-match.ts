// Texts matched by their words, in memory: what the text index does for the d1 provider, for stores that are small.

import { queryTerms, wordsOf } from "./query-terms";
import { stem } from "./stem";

/** As the text index reads a word: without accents, in its base form. */
function formOf(word: string): string {
  return stem(
    word
      .normalize("NFD")
      .replace(/[\u0300-\u036f]/g, "")
      .normalize("NFC"),
  );
}

/** A word counts the less, the more texts have it. The same in SQL: src/store/items/item-repository.ts. */
function weightOf(texts: number): number {
  return 1 / (1 + Math.log(Math.max(1, texts)));
}

/** For each text, the share of the query's words that it has, from 0 to 1. */
export function matchWords(query: string, texts: readonly string[]): number[] {
  const asked = [...new Set(queryTerms(query).map(formOf))];
  const found = texts.map((text) => {
    const words = new Set(wordsOf(text).map(formOf));
    return asked.filter((word) => words.has(word));
  });
  const weights = new Map(
    asked.map((word) => [word, weightOf(found.filter((has) => has.includes(word)).length)]),
  );
  const sum = (words: readonly string[]) =>
    words.reduce((total, word) => total + (weights.get(word) ?? 0), 0);
  const all = sum(asked);
  return found.map((has) => (all === 0 ? 0 : sum(has) / all));
}
