// What the goals of a cluster have in common, as a phrase: "Implement POST /api/… endpoint".

import { STOP_WORDS } from "../../../text/near-duplicate/synonyms";
import { clip, collapseWhitespace } from "../../../text/normalise-text";
import { splitSentences, stripEndPunctuation } from "../../../text/sentences";
import { stem } from "../../../text/stem";
import { countNearlyAll, findConsensus } from "./consensus";

/** A theme is the name of a kind of task, in characters; and a goal's words that are compared. */
const THEME_CHARS = 160;
const COMPARED_WORDS = 40;

/** `glued` to what stands before it: the parts of a path, and the characters of scripts that write no spaces. */
type Word = { text: string; key: string; glued: boolean };

/** Of goals in the order of time. */
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
 * Whether the goals have a telling word in common, or half of their characters where words are not written apart. An
 * embedder finds texts alike whose language it does not know; then they are not of one kind.
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

/** The first sentence of a goal: what follows is detail. */
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

/** Without the punctuation around it, in its base form. */
function toWordKey(text: string): string {
  const bare = text.toLowerCase().replace(/^[^\p{L}\p{N}/]+|[^\p{L}\p{N}]+$/gu, "");
  return bare === "" ? text : stem(bare);
}

function isContentWord({ text, key }: Word): boolean {
  return /[\p{L}\p{N}]/u.test(text) && !STOP_WORDS.has(key);
}

/** The words that are kept, and an ellipsis for others after the first of them; a lone "the" is no such gap. */
function renderPhrase(words: readonly Word[], kept: readonly boolean[]): string {
  let text = "";
  let gap: Word[] = [];
  for (const [at, word] of words.entries()) {
    // A phrase does not begin with "the" of something else.
    if (!kept[at] || (text === "" && gap.length > 0 && !isContentWord(word))) gap.push(word);
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
