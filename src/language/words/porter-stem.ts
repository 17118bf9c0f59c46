// The Porter stemmer (1980), as the tokenizer `porter unicode61` of the text index applies it: a query term and a word
// match there if, and only if, their stems here are equal.

const CONSONANTS = "[^aeiou]";
const VOWELS = "[aeiouy]";
/** A run of consonants: y is one at the start of a run only. */
const C = `${CONSONANTS}[^aeiouy]*`;
const V = `${VOWELS}[aeiou]*`;

/** The measure of a stem is the number of its sequences of vowels and consonants: m > 0, m = 1, m > 1. */
const ABOVE_ZERO = new RegExp(`^(?:${C})?${V}${C}`);
const EXACTLY_ONE = new RegExp(`^(?:${C})?${V}${C}(?:${V})?$`);
const ABOVE_ONE = new RegExp(`^(?:${C})?${V}${C}${V}${C}`);
const HAS_VOWEL = new RegExp(`^(?:${C})?${VOWELS}`);
/** Ends with consonant, vowel, consonant, the last of which is not w, x or y. */
const SHORT_END = new RegExp(`^${C}${VOWELS}[^aeiouwxy]$`);

const STEP_2 = parseSuffixes(
  `ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent eli:e ousli:ous ization:ize
  ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble`,
);
const STEP_3 = parseSuffixes("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:");
const STEP_4 = parseSuffixes(
  `al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: sion:s tion:t ou: ism: ate: iti: ous: ive: ize:`,
);

export function stemPorter(word: string): string {
  if (word.length < 3) return word;
  let stemmed = removePlural(word);
  stemmed = removePast(stemmed);
  stemmed = stemmed.replace(/^(.+)y$/, (match, base: string) => (HAS_VOWEL.test(base) ? `${base}i` : match));
  stemmed = replaceSuffix(stemmed, STEP_2, ABOVE_ZERO);
  stemmed = replaceSuffix(stemmed, STEP_3, ABOVE_ZERO);
  stemmed = replaceSuffix(stemmed, STEP_4, ABOVE_ONE);
  return removeFinalL(removeFinalE(stemmed));
}

function removePlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function removePast(word: string): string {
  if (word.endsWith("eed")) return ABOVE_ZERO.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const base = /^(.*)(?:ed|ing)$/.exec(word)?.[1];
  if (base === undefined || !HAS_VOWEL.test(base)) return word;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (/([^aeioulsz])\1$/.test(base)) return base.slice(0, -1);
  return EXACTLY_ONE.test(base) && SHORT_END.test(base) ? `${base}e` : base;
}

function removeFinalE(word: string): string {
  if (!word.endsWith("e")) return word;
  const base = word.slice(0, -1);
  return ABOVE_ONE.test(base) || (EXACTLY_ONE.test(base) && !SHORT_END.test(base)) ? base : word;
}

function removeFinalL(word: string): string {
  return word.endsWith("ll") && ABOVE_ONE.test(word) ? word.slice(0, -1) : word;
}

type Suffix = { ending: string; replacement: string };

function parseSuffixes(list: string): Suffix[] {
  return list.split(/\s+/).map((entry) => {
    const [ending = "", replacement = ""] = entry.split(":");
    return { ending, replacement };
  });
}

/** Replaces the first ending of the list that the word has, if the rest measures enough. */
function replaceSuffix(word: string, suffixes: readonly Suffix[], measure: RegExp): string {
  const suffix = suffixes.find(({ ending }) => word.endsWith(ending));
  if (suffix === undefined) return word;
  const { ending, replacement } = suffix;
  const base = word.slice(0, -ending.length);
  return measure.test(base + (replacement.length === 1 ? replacement : "")) ? base + replacement : word;
}
