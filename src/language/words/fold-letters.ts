// Folds letters that people write in several ways: accents, ß, full-width and half-width forms, Arabic vowel signs and
// forms of alef, ё. The text index and queries fold alike. Keeps the case. Pure.

const ASCII_ONLY = /^\p{ASCII}*$/u;

/** Combining accents, except that of й: и and й are two letters. */
const ACCENTS = /[\u0300-\u0305\u0307-\u036f]|(?<![иИ])\u0306/gu;

/** Compatibility normalisation splits the Thai and Lao vowel "am", which the index has as one character. */
const SPLIT_AM = /\u0e4d\u0e32|\u0ecd\u0eb2/g;

/** Arabic vowel signs, the superscript alef and the letter that only lengthens a line. */
const ARABIC_MARKS = /[\u064b-\u065f\u0670\u0640]/g;

const SAME_LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", ẞ: "SS" },
  ...{ أ: "ا", إ: "ا", آ: "ا", ٱ: "ا", ى: "ي", ة: "ه", ی: "ي", ک: "ك" },
};
const FOLDED_LETTER = new RegExp(`[${Object.keys(SAME_LETTERS).join("")}]`, "g");

/** Arabic-Indic, Persian and Thai digits. */
const DIGIT = /[\u0660-\u0669\u06f0-\u06f9\u0e50-\u0e59]/g;

export function foldLetters(text: string): string {
  if (ASCII_ONLY.test(text)) return text;
  return foldDigits(text)
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .normalize("NFKC")
    .replace(SPLIT_AM, (am) => (am.startsWith("\u0e4d") ? "\u0e33" : "\u0eb3"))
    .replace(ARABIC_MARKS, "")
    .replace(FOLDED_LETTER, (letter) => SAME_LETTERS[letter] ?? letter);
}

/** Returns the text with ASCII digits, each in the place of the digit that it stands for. */
export function foldDigits(text: string): string {
  return text.replace(DIGIT, (digit) => String(digit.charCodeAt(0) & 0xf));
}
