// The inflected forms of German words. The text index stems English only, so a German query searches for all forms.

const ENDINGS = ["ern", "em", "en", "er", "es", "et", "e", "n", "s", "t"];
const MIN_STEM = 3;

/** Words that are German and not English: a query with more of them than of English stop words is German. */
const MARKERS = new Set(
  `aber alle als auch auf aus bei beim dass dein deine dem der des dich diese dieser dir doch du ein eine einem einen
  einer er es euer eure für gegen habe haben heißt heisst ich ihm ihn ihr ihre im ist ja kann kein keine können mein meine
  meinem meinen meiner mich mir mit muss nach nicht noch nur oder ohne sein seine seit sich sie sind soll über um und uns
  unser unsere vom von vor wann warum weil welche welchem welchen welcher welches wem wen wer werden wie wieviel wir wird wo
  woher wohin wurde zu zum zur`.split(/\s+/),
);

/** Stop words that are words of English, too: they count only in a German query. */
const AMBIGUOUS = new Set("am an bin das den die hat hatte in man so war was wollen".split(" "));

/** Whether a query, given as words in lower case, is German. */
export function isGerman(words: readonly string[], isEnglish: (word: string) => boolean): boolean {
  const german = words.filter((word) => MARKERS.has(word) && !isEnglish(word)).length;
  const english = words.filter((word) => isEnglish(word) && !MARKERS.has(word) && !AMBIGUOUS.has(word)).length;
  return german > english || (english === 0 && words.some((word) => /[äöüß]/.test(word)));
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
