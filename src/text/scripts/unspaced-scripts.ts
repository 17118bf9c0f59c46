// Scripts that are written without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese. The text index has their
// characters one by one; a query searches for phrases of two neighbouring characters. Pure.

const SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"];
const SCRIPT_CHARACTERS = SCRIPTS.map((script) => `\\p{Script=${script}}`).join("");
const CHARACTER = new RegExp(`[${SCRIPT_CHARACTERS}]`, "gu");
/** The mark that lengthens a vowel of Katakana belongs to several scripts. */
const RUN = new RegExp(`[${SCRIPT_CHARACTERS}ー]+`, "gu");
const RUN_ONLY = new RegExp(`^${RUN.source}$`, "u");

/** Separates the characters of scripts without spaces: the FTS5 tokenizer would index a whole text as one word. */
export function separateCharacters(text: string): string {
  return text.replace(CHARACTER, " $& ");
}

export function hasUnspacedScript(text: string): boolean {
  return text.search(CHARACTER) >= 0;
}

/** Whether a word is a character of such a script, as `separateCharacters` leaves them. */
export function isUnspaced(word: string): boolean {
  return RUN_ONLY.test(word);
}

/** Counts the characters of such scripts, without the marks above and below them. */
export function countUnspacedCharacters(text: string): number {
  return listRuns(text).reduce((sum, run) => sum + run.length, 0);
}

/** Returns the runs of characters. The tokenizer of the text index drops marks such as Thai tones and vowel signs. */
function listRuns(text: string): string[][] {
  return (text.match(RUN) ?? []).map((run) => [...run.replace(/\p{M}/gu, "")]);
}

/** Returns each two neighbouring characters as an FTS5 phrase: 東京都 → "東 京", "京 都". */
export function listPairs(text: string): string[] {
  return listRuns(text).flatMap((run) => run.slice(1).map((character, i) => `${run[i] ?? ""} ${character}`));
}

/** Returns the phrases that a query searches for: pairs, characters that stand alone, and each Chinese character. */
export function listUnspacedTerms(query: string): string[] {
  const content = maskFunctionWords(query);
  const text = hasUnspacedScript(content) ? content : query;
  const runs = listRuns(text);
  const alone = runs.flatMap((run) => (run.length === 1 ? run : []));
  const chinese = text.match(/\p{Script=Han}/gu) ?? [];
  return [...new Set([...listPairs(text), ...alone, ...chinese])];
}

/** Words that stand in any question or statement, whatever it is about. */
const FUNCTION_WORDS = new Set(
  `です でし でした ます まし ました ません ですか ますか した して する しま いる ある あり なる なっ ない から まで より
  など こと もの それ これ あれ この その あの どれ どこ どの どう どんな なに なぜ だれ いつ いくつ いくら ください について
  という ため よう とき さん たち 何 誰 私 僕 君 彼 彼女
  什么 怎么 怎样 怎么样 哪里 哪儿 哪个 哪些 哪天 多少 几 谁 为什么 什么时候 时候 请问 告诉 一个 这个 那个 我们 你们 他们 我的
  你的 他的 她的 可以 需要
  ครับ ค่ะ คะ นะ ไหม มั้ย หรือ หรือไม่ ที่ ซึ่ง ของ คือ อะไร ใคร ไหน ที่ไหน เมื่อไหร่ เมื่อไร อย่างไร ยังไง ทำไม เท่าไหร่ เท่าไร กี่
  และ กับ ใน มี เป็น อยู่ ได้ ให้ ว่า จะ ไป มา ไม่ ก็ แล้ว ด้วย ต้อง ฉัน ผม เรา คุณ เขา เธอ นี้ นั้น จาก โดย บ้าง การ ความ`.split(
    /\s+/,
  ),
);
const FUNCTION_CHARACTERS = /^[\p{Script=Hiragana}的了吗呢吧啊我你他她它们是在有和跟与就也都很不没要会能这那个之几]$/u;
const CHINESE_FUNCTION_WORD = /^[的了吗呢吧啊我你他她它们是在有和跟与就也都很不没要会能这那个之几]+$/u;

let segmenter: Intl.Segmenter | undefined;

/** Replaces function words by spaces, so that no phrase includes them. */
function maskFunctionWords(text: string): string {
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" });
  const isFunctionWord = (word: string) =>
    FUNCTION_WORDS.has(word) || FUNCTION_CHARACTERS.test(word) || CHINESE_FUNCTION_WORD.test(word);
  return Array.from(segmenter.segment(text), ({ segment }) => (isFunctionWord(segment) ? " " : segment)).join(
    "",
  );
}
