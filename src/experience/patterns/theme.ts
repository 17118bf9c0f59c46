// The common theme of the goals of a cluster, as a phrase: "Implement POST /api/… endpoint".

import { STOP_WORDS } from "../../language/near-duplicates/synonyms";
import { clip, collapseWhitespace } from "../../language/normalise-text";
import { splitSentences, stripEndPunctuation } from "../../language/sentences";
import { stem } from "../../language/words/stem";
import { countNearlyAll, findConsensus } from "./consensus";

/** Characters of a theme, which names a kind of task; and words of a goal that are compared. */
const THEME_CHARS = 160;
const COMPARED_WORDS = 40;

/** `glued`: no space precedes it, as in a path or in a script without spaces. */
type Word = { text: string; key: string; glued: boolean };

/** Extracts the theme of goals sorted by time. */
export function extractTheme(goals: readonly string[]): string {
  const { typical, common } = findCommonWords(goals);
  const shared = typical.filter((_, at) => common[at]);
  const enough = shared.filter(isContentWord).length >= 2 && shared.length * 2 >= typical.length;
  return clip(
    stripEndPunctuation(renderPhrase(typical, enough ? common : typical.map(() => true))),
    THEME_CHARS,
  );
}

/**
 * Returns whether the goals share a content word, or half of their characters in a script without spaces. An embedder
 * puts texts close together whose language it does not know: such a cluster has no theme.
 */
export function haveCommonTheme(goals: readonly string[]): boolean {
  const { typical, common } = findCommonWords(goals);
  const shared = typical.filter((_, at) => common[at]);
  if (typical.filter(({ glued }) => glued).length * 2 > typical.length)
    return shared.length * 2 >= typical.length;
  return shared.some(isContentWord);
}

function findCommonWords(goals: readonly string[]) {
  const headlines = goals.map((goal) => splitWords(readHeadline(goal)));
  const { typical, alignedItems } = findConsensus(headlines, ({ key }) => key);
  return {
    typical,
    common: typical.map((_, at) => (alignedItems[at]?.length ?? 0) >= countNearlyAll(goals.length)),
  };
}

/** Returns the first sentence of a goal: the rest is detail. */
function readHeadline(goal: string): string {
  return collapseWhitespace(splitSentences(goal)[0]?.text ?? goal);
}

const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|\/?[^\s/\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|\//gu;

function splitWords(headline: string): Word[] {
  const words = [...headline.matchAll(WORD)].slice(0, COMPARED_WORDS);
  return words.map(({ 0: text, index }) => ({
    text,
    key: toWordKey(text),
    glued: index > 0 && headline.charAt(index - 1) !== " ",
  }));
}

/** Returns the stem of a word without surrounding punctuation. */
function toWordKey(text: string): string {
  const bare = text.toLowerCase().replace(/^[^\p{L}\p{N}/]+|[^\p{L}\p{N}]+$/gu, "");
  return bare === "" ? text : stem(bare);
}

function isContentWord({ text, key }: Word): boolean {
  return /[\p{L}\p{N}]/u.test(text) && !STOP_WORDS.has(key);
}

/** Renders the selected words, with an ellipsis for each gap after the first; a gap of stop words alone stays. */
function renderPhrase(words: readonly Word[], selected: readonly boolean[]): string {
  let text = "";
  let gap: Word[] = [];
  for (const [at, word] of words.entries()) {
    // A phrase does not begin with a stop word that belongs to an omitted word.
    if (!selected[at] || (text === "" && gap.length > 0 && !isContentWord(word))) gap.push(word);
    else {
      if (text !== "") text += renderGap(gap);
      text += text === "" || word.glued ? word.text : ` ${word.text}`;
      gap = [];
    }
  }
  return text + renderGap(gap);
}

function renderGap(gap: readonly Word[]): string {
  const [first] = gap;
  if (first === undefined) return "";
  if (!gap.some(isContentWord)) return gap.map(({ text, glued }) => (glued ? text : ` ${text}`)).join("");
  if (!first.glued) return " …";
  return first.text.startsWith("/") ? "/…" : "…";
}
