// Measures how much of a query a text covers, on one scale for all kinds of hits: BM25 scores of different tables are
// not comparable. Pure.

import { isQuestion } from "../../language/questions";
import { foldLetters } from "../../language/words/fold-letters";
import { stemPorter } from "../../language/words/porter-stem";
import { extractIndexWords, extractSearchTerms, type SearchTerm } from "../../language/words/query-terms";
import { stem } from "../../language/words/stem";
import { canMatchInside, canMatchPrefix } from "./lexical-search";

/** The part of a text that is compared with a query, in characters: longer ones are documents. */
const COMPARED_CHARS = 4_000;

/** English endings after an apostrophe: parts of words, not terms. */
const CONTRACTION = /['’](?:s|t|d|m|re|ve|ll)\b/giu;

/**
 * Returns a function from the index of a text to the share of the query's terms in it, from 0 to 1. A term counts the
 * more, the fewer of the texts contain it; `others`, which continue the indexes, are measured and do not count in this.
 * Words match as in the text index: by their stem, else as a part of a word.
 */
export function measureTermCoverage(
  query: string,
  texts: readonly ComparableText[],
  others: readonly ComparableText[] = [],
): (index: number) => number {
  const compared = [...texts, ...others].map(toPrepared);
  const terms = listTerms(query).map((term) => {
    const covered = findTexts(term, compared);
    const count = covered.filter((index) => index < texts.length).length;
    return { covered: new Set(covered), weight: Math.log(1 + texts.length / Math.max(1, count)) };
  });
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  return (index) => {
    if (total === 0) return 0;
    return terms.reduce((sum, { covered, weight }) => (covered.has(index) ? sum + weight : sum), 0) / total;
  };
}

/** Returns a function from the index of a text to whether it has any search term of the query, parts included. */
export function findTermMatches(query: string, texts: readonly ComparableText[]): (index: number) => boolean {
  const compared = texts.map(toPrepared);
  const terms = extractSearchTerms(query.replace(CONTRACTION, " "));
  const matching = new Set(terms.flatMap((term) => findTexts(term, compared)));
  return (index) => matching.has(index);
}

/** A text with its words. Finding them takes longer than comparing them with a query. */
export type PreparedText = { words: readonly string[]; folded: string };

type ComparableText = string | PreparedText;

function toPrepared(text: ComparableText): PreparedText {
  return typeof text === "string" ? prepareText(text) : text;
}

export function prepareText(text: string): PreparedText {
  const folded = foldLetters(text.slice(0, COMPARED_CHARS).replace(CONTRACTION, " "));
  return { words: extractIndexWords(folded), folded: folded.toLowerCase() };
}

/** Returns the terms of a query that differ in their stems. */
function listTerms(query: string): SearchTerm[] {
  const terms = extractSearchTerms(query.replace(CONTRACTION, " "));
  const compared = terms.filter(({ isPart }) => !isPart);
  return [...new Map(compared.map((one) => [stemPorter(one.term), one])).values()];
}

/** Returns the indexes of the texts with a term: as a word, else at the beginning of a word, else anywhere. */
function findTexts({ term, forms }: SearchTerm, texts: readonly PreparedText[]): number[] {
  const findAll = (test: (text: PreparedText) => boolean) =>
    texts.flatMap((text, index) => (test(text) ? [index] : []));
  // Words of one stem differ from its last letter on: few words need to be stemmed.
  const stems = forms.map(stemPorter).map((stemmed) => ({ stemmed, head: stemmed.slice(0, -1) }));
  const matches = (word: string) =>
    stems.some(({ stemmed, head }) => word.startsWith(head) && stemPorter(word) === stemmed);
  const exact = findAll(({ words }) => words.some(matches));
  if (exact.length > 0) return exact;
  const begun = canMatchPrefix(term)
    ? findAll(({ words }) => words.some((word) => word.startsWith(term)))
    : [];
  if (begun.length > 0) return begun;
  const parts = forms.filter(canMatchInside);
  return findAll(({ folded }) => parts.some((part) => folded.includes(part)));
}

/** Returns the share of a text's terms that another text contains, from 0 to 1. */
export function computeTermOverlap(text: string, other: string): number {
  const clean = (whole: string) => whole.slice(0, COMPARED_CHARS).replace(CONTRACTION, " ");
  const terms = new Set(extractSearchTerms(clean(text)).map(({ term }) => stem(term)));
  const words = new Set(extractIndexWords(clean(other)).map(stem));
  return terms.size === 0 ? 0 : [...terms].filter((term) => words.has(term)).length / terms.size;
}

// Ranking signals in the own text of a candidate: how much it says, whether it only asks, and whether it has the kind of
// value that the query asks for. Pure.

type TextSignals = {
  /** The natural logarithm of the number of words and one: a text that says more answers more. */
  length: number;
  /** Whether the text ends with a question. */
  asks: boolean;
  /** Whether the query asks when, and the text has an expression of time. */
  answersWhen: boolean;
  /** Whether the query asks for a number, and the text has one. */
  answersCount: boolean;
};

const ASKS_WHEN = /^\s*(?:when|what (?:date|day|month|year|time)|which (?:date|day|month|year))\b/iu;
const ASKS_COUNT = /\bhow (?:many|much|long|often|old)\b/iu;

const TIME_EXPRESSION =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|summer|winter|spring|fall|autumn|morning|since|\d{4})\b/iu;
const NUMBER =
  /\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|first|second|third)\b/iu;

/** Returns the function that detects the signals of a text for a query. */
export function createTextSignals(query: string): (text: string) => TextSignals {
  const asksWhen = ASKS_WHEN.test(query);
  const asksCount = ASKS_COUNT.test(query);
  return (text) => ({
    length: Math.log1p(text.trim().split(/\s+/).length),
    asks: isQuestion(text),
    answersWhen: asksWhen && TIME_EXPRESSION.test(text),
    answersCount: asksCount && NUMBER.test(text),
  });
}

type SessionCandidate = { session_id: string | null; cosine: number | null };

/** The candidates of a session that support another one. */
const SUPPORTERS = 3;

/**
 * Returns the support of a candidate by its session: the mean cosine similarity of the three nearest other candidates of
 * the same session. A session about the subject has several texts near the query.
 */
export function measureSessionSupport<T extends SessionCandidate>(
  candidates: readonly T[],
): (candidate: T) => number {
  const near = candidates
    .filter(({ session_id, cosine }) => session_id !== null && (cosine ?? 0) > 0)
    .sort((a, b) => (b.cosine ?? 0) - (a.cosine ?? 0));
  const nearest = new Map<string | null, T[]>();
  for (const candidate of near) {
    const list = nearest.get(candidate.session_id) ?? [];
    // One more than needed: a candidate does not support itself.
    if (list.length <= SUPPORTERS) nearest.set(candidate.session_id, [...list, candidate]);
  }
  return (candidate) => {
    const others = (nearest.get(candidate.session_id) ?? []).filter((other) => other !== candidate);
    return others.slice(0, SUPPORTERS).reduce((sum, { cosine }) => sum + (cosine ?? 0), 0) / SUPPORTERS;
  };
}
