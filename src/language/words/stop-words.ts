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
