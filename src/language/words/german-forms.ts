// German: its stop words, and the inflected forms of its words. The text index stems English only, so a German query
// searches for all forms.
import { isEnglishStopWord } from "./stop-words";

const ENDINGS = ["ern", "em", "en", "er", "es", "et", "e", "n", "s", "t"];
const MIN_STEM = 3;

/** Stop words of German alone. */
const MARKERS = new Set(
  `aber als auch auf aus bei beim dass dein deine dich diese dieser dir doch ein eine einem einen einer euer eure für gegen
  habe haben heißt heisst ich ihm ihn ihr ihre ist kann kein keine können mein meine meinem meinen meiner mich mit muss nach
  nicht noch nur oder ohne sein seine seit sich sie sind soll über und uns unser unsere wann warum weil welche welchem welchen
  welcher welches wem wen wer werden wie wieviel wir wird wo woher wohin wurde zum zur`.split(/\s+/),
);

/** Stop words that also occur in English, as words, interjections or parts of names. */
const AMBIGUOUS = new Set(
  "alle am an bin das dem den der des die du er es hat hatte im in ja man mir so um vom von vor war was wollen zu".split(
    " ",
  ),
);

/** Whether a text, given as words in lower case, has more stop words of German than of English. */
export function isGerman(words: readonly string[]): boolean {
  const german = words.filter((word) => MARKERS.has(word)).length;
  return german > words.filter((word) => isEnglishStopWord(word) && !AMBIGUOUS.has(word)).length;
}

/** Whether a query may be German: a name or a noun alone shows it by its letters at most. */
export function mayBeGerman(words: readonly string[]): boolean {
  return isGerman(words) || (words.some((word) => /[äöüß]/.test(word)) && !words.some(isEnglishStopWord));
}

export function isGermanStopWord(word: string): boolean {
  return MARKERS.has(word) || AMBIGUOUS.has(word);
}

/** Returns the forms of a folded word: katze → katze, katz, katzen, …; mueller → muller as well. */
export function listGermanForms(word: string): string[] {
  const spellings = [...new Set([word, word.replace(/(?<=[^q])([aou])e/g, "$1")])];
  return spellings.flatMap((spelling) => {
    const ending = ENDINGS.find((one) => spelling.endsWith(one) && spelling.length - one.length >= MIN_STEM);
    const stem = ending === undefined ? spelling : spelling.slice(0, -ending.length);
    if (stem.length < MIN_STEM || !/^[a-z]+$/.test(stem)) return [spelling];
    return [spelling, stem, ...ENDINGS.map((one) => stem + one)];
  });
}
