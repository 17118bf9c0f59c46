// A light stemmer for Arabic, after Larkey's light10: removes the article with its prepositions, and the endings of
// nouns. The word must be folded. The text index and queries stem alike.

const PREFIXES = ["وال", "بال", "كال", "فال", "لل", "ال"];
const SUFFIXES = ["ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"];

/** The letters that remain of a word at least. */
const MIN_STEM = 2;
/** "and" is a single letter, which many words begin with. */
const MIN_STEM_AFTER_AND = 3;

export function stemArabic(word: string): string {
  const prefix = PREFIXES.find((one) => word.startsWith(one) && word.length - one.length >= MIN_STEM);
  let stem = prefix === undefined ? word : word.slice(prefix.length);
  if (prefix === undefined && stem.startsWith("و") && stem.length > MIN_STEM_AFTER_AND) stem = stem.slice(1);
  for (const suffix of SUFFIXES)
    if (stem.endsWith(suffix) && stem.length - suffix.length >= MIN_STEM)
      stem = stem.slice(0, -suffix.length);
  return stem;
}
