// Finds what a user's recent texts are about: names, and content words that several texts share.

import { findMentions, isCommonWord } from "../cognition/projectors/entity-recognition";
import { splitSentences } from "../language/sentences";
import { extractQueryTerms } from "../language/words/query-terms";
import { stem } from "../language/words/stem";

/** A name says more than a word: one mention of it counts as much as two texts with the same word. */
const NAME_WEIGHT = 2;
const MIN_WORD_CHARS = 4;
/** One text may mention many things in passing; a topic weighs at least this much. */
const MIN_WEIGHT = 2;

type Topic = { label: string; weight: number };

/** Returns up to `limit` topics of texts, the most frequent first; among equals, those of the first texts. */
export function findTopics(texts: readonly string[], limit: number): string[] {
  const topics = new Map<string, Topic>();
  for (const text of texts) {
    for (const [key, { label, weight }] of collectTerms(text)) {
      const known = topics.get(key);
      topics.set(key, { label: known?.label ?? label, weight: (known?.weight ?? 0) + weight });
    }
  }
  // The sort is stable and a map keeps the order of insertion, so earlier texts come first among equals.
  return [...topics.values()]
    .filter(({ weight }) => weight >= MIN_WEIGHT)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, limit)
    .map(({ label }) => label);
}

/** Returns the terms of a text, each once: names, and the words that are no part of a name. */
function collectTerms(text: string): Map<string, Topic> {
  const terms = new Map<string, Topic>();
  const inNames = new Set<string>();
  for (const { name, type } of findMentions(splitSentences(text), true).found) {
    if (type !== "name" && type !== "version") continue;
    terms.set(name.toLowerCase(), { label: name, weight: NAME_WEIGHT });
    for (const word of extractQueryTerms(name)) inNames.add(word);
  }
  for (const word of extractQueryTerms(text)) {
    if (word.length < MIN_WORD_CHARS || !/^\p{L}+$/u.test(word) || inNames.has(word)) continue;
    const root = stem(word);
    if (isCommonWord(word) || isCommonWord(root) || EMPTY_WORDS.has(word) || EMPTY_WORDS.has(root)) continue;
    if (!terms.has(root)) terms.set(root, { label: word, weight: 1 });
  }
  return terms;
}

/** Verbs and adverbs of statements about oneself: they say how someone relates to a topic, not what it is. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  [
    "love hate prefer enjoy live move come went back look feel seem become believe guess hope wish mean said says tell",
    "told called named born going gonna wanna getting doing trying used able actually already almost away basically",
    "better bigger currently definitely different especially exactly finally generally getting honestly kinda little lots",
    "mainly mostly myself nearly pretty probably recently simply since sort stuff super thing things totally user assistant",
    "bring happen leave mind plan start stay turn wonder another anyway because being every half long made make making next",
    "nice okay once over please quick quickly rather same sometimes somehow sure there under until whole without years",
    "week weeks month months year days hours minutes time times today yesterday tomorrow morning evening night",
    "also that this with from have your mine yours ours they them then than were what when where which would could should",
  ]
    .join(" ")
    .split(" "),
);
