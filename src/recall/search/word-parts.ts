// Parts of words: which terms of a query may match a part of a word. Pure.
import { stemPorter } from "../../language/words/porter-stem";
import { hasUnspacedScript } from "../../language/words/unspaced-scripts";

/** Shorter terms are the beginning of too many words, or stand within too many. */
const MIN_PREFIX_CHARS = 3;
const MIN_INSIDE_CHARS = 4;

/**
 * Whether a term that no text has as a word may be the beginning of one. The text index compares stems, so an inflected
 * word ("pets") would match beginnings that it does not have itself ("Peter").
 */
export function canMatchPrefix(term: string): boolean {
  return term.length >= MIN_PREFIX_CHARS && isSpacedWord(term) && stemPorter(term) === term;
}

/** Whether a term that no word begins with may stand within one. */
export function canMatchInside(term: string): boolean {
  return term.length >= MIN_INSIDE_CHARS && isSpacedWord(term);
}

/** Parts of numbers mean nothing, and a phrase of two characters is no word. */
function isSpacedWord(term: string): boolean {
  return /^\S*\p{L}\S*$/u.test(term) && !hasUnspacedScript(term);
}

/**
 * Returns the forms in which a term may stand in a text after SQLite's `lower`, which changes ASCII letters only:
 * "übung" may also be "Übung" or "ÜBUNG" there.
 */
export function listLetterCases(term: string): string[] {
  const upper = term.toUpperCase();
  const [first = ""] = term;
  const title = first.toUpperCase() + term.slice(first.length);
  return [...new Set([term, title, upper].map((form) => form.replace(/[A-Z]/g, (c) => c.toLowerCase())))];
}
