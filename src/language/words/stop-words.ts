// Stop words: words that stand in any question, whatever it is about. Those of German are in german-forms.ts, because
// some of them mean something in English; those of scripts without spaces in unspaced-scripts.ts.

const ENGLISH = `a about am an and are as at be been but by can could did do does for from had has have he her him his how i
  if in into is it its me my of on or our she so than that the their them then there these they this those to us was we were
  what when where which who whom why will with would you your`;

const RUSSIAN = `а без был была были было быть в вам вас ваш во вот все вы где да для до его ее если есть еще же за и из или
  им их к как какая какие какое какой каком какую когда кого кому кто куда ли мне мои мой моя моего моей мою моих мы на над
  нас наш не него нее ней нет ни но ну о об он она они оно от откуда по под почему при про с сколько со та так такой там
  твой тебе тебя то тоже той только том ты у уже чего чей чем что чтобы эта эти это этот я`;

const ARABIC = `ما ماذا من متى اين كيف لماذا كم هل اي ايه في على الى عن مع هو هي هم هن انا انت نحن كان كانت يكون تكون هذا هذه
  ذلك تلك التي الذي الذين ان انه انها قد لا لم لن ليس ثم او و يا كل عند عندي لدي لديه لديها بين بعد قبل حتى اذا`;

const EVERY_QUERY = new Set(`${ENGLISH} ${RUSSIAN} ${ARABIC}`.split(/\s+/));
const ENGLISH_WORDS = new Set(ENGLISH.split(/\s+/));

/** Whether a word, folded and in lower case, is a stop word in a query of any language. */
export function isStopWord(word: string): boolean {
  return EVERY_QUERY.has(word);
}

export function isEnglishStopWord(word: string): boolean {
  return ENGLISH_WORDS.has(word);
}

// German: its stop words, and the inflected forms of its words. The text index stems English only, so a German query
// searches for all forms.

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
