// Finds the consensus of several episodes: the typical one of their sequences, and the file paths that they share.
import { STOP_WORDS } from "../../language/near-duplicates/synonyms";
import { clip, collapseWhitespace } from "../../language/normalise-text";
import { splitSentences, stripEndPunctuation } from "../../language/sentences";
import { stem } from "../../language/words/stem";

/** Returns how many of `count` are nearly all: one in four may differ. */
export function countNearlyAll(count: number): number {
  return Math.ceil((count * 3) / 4);
}

/** Returns how many of `count` are most: one in three may differ. */
export function countMost(count: number): number {
  return Math.ceil((count * 2) / 3);
}

/** Returns half of `count`, but at least two of two or more. */
export function countHalf(count: number): number {
  return Math.max(Math.min(2, count), Math.ceil(count / 2));
}

type Consensus<T> = {
  /** The sequence with the most items in common with the others; the first of equals. */
  typical: readonly T[];
  /** For each item of `typical`, the aligned items of all sequences that have one. */
  alignedItems: T[][];
};

/** Aligns sequences with the most typical of them. Items with the same key are equal. */
export function findConsensus<T>(
  sequences: readonly (readonly T[])[],
  toKey: (item: T) => string,
): Consensus<T> {
  const numbers = new Map<string, number>();
  const toNumber = (item: T) => {
    const key = toKey(item);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  const keyed = sequences.map((items) => ({ items, keys: items.map(toNumber) }));
  const counts = new Map<number, number>();
  for (const { keys } of keyed) {
    for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  // An item of more than half of the sequences counts for a sequence, any other against it.
  const scores = keyed.map(({ keys }) =>
    [...new Set(keys)].reduce((sum, key) => sum + 2 * (counts.get(key) ?? 0) - sequences.length, 0),
  );
  const chosen = keyed[scores.indexOf(Math.max(...scores))];
  if (chosen === undefined) return { typical: [], alignedItems: [] };
  const alignedItems: T[][] = chosen.items.map(() => []);
  for (const { items, keys } of keyed) {
    for (const [at, other] of findCommonSubsequence(chosen.keys, keys)) {
      alignedItems[at]?.push(...items.slice(other, other + 1));
    }
  }
  return { typical: chosen.items, alignedItems };
}

/** Returns the pairs of indices of the longest common subsequence. */
function findCommonSubsequence(a: readonly number[], b: readonly number[]): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const length = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i] === b[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (length(i + 1, j) >= length(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** Finds the paths that nearly all of the lists share, or else half of them. */
export function findCommonPaths(lists: readonly (readonly string[])[]): string[] {
  const common = findSharedPaths(lists, countNearlyAll(lists.length));
  return common.length > 0 ? common : findSharedPaths(lists, countHalf(lists.length));
}

/**
 * Finds the paths that at least `least` of the lists share: files, then patterns such as `src/routes/*.ts` for files
 * that differ, narrowest first.
 */
export function findSharedPaths(lists: readonly (readonly string[])[], least: number): string[] {
  const found: string[] = [];
  let remaining = lists.map((paths) => [...new Set(paths)].map(listPathPatterns));
  for (let level = 0; level < LEVELS; level += 1) {
    const counts = new Map<string, number>();
    for (const paths of remaining) {
      for (const pattern of new Set(paths.flatMap((patterns) => patterns[level] ?? [])))
        counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
    }
    const shared = [...counts].filter(([, count]) => count >= least);
    shared.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const covered = new Set(shared.map(([pattern]) => pattern));
    found.push(...covered);
    remaining = remaining.map((paths) => paths.filter((patterns) => !covered.has(patterns[level] ?? "")));
  }
  return found;
}

/** Returns whether a target is a path, or a file name with an extension. */
export function isFilePath(target: string): boolean {
  return /^[^\s]*(?:\/[^\s]*|\w\.[a-z]\w*)$/i.test(target);
}

const LEVELS = 4;
const PATH = /^(?!\w+:\/\/)[^\s]+\/[^\s/]+$/;
const EXTENSION = /(?:\.(?:test|spec|stories|config|generated|d))?\.\w+$/;

/** Lists the patterns that cover a path, from the narrowest to the widest; any other text covers only itself. */
function listPathPatterns(path: string): string[] {
  if (!PATH.test(path)) return [path];
  const [folder, name] = splitPath(path);
  const [parent] = splitPath(folder.slice(0, -1));
  const [extension = ""] = EXTENSION.exec(name) ?? [];
  const wide = parent === "" ? [] : [`${parent}**/*${extension}`];
  return [path, `${folder}*${extension}`, `${parent}*/${name}`, ...wide];
}

/** Splits a path into its folder, with the slash, and its name. */
function splitPath(path: string): [string, string] {
  const end = path.lastIndexOf("/") + 1;
  return [path.slice(0, end), path.slice(end)];
}

// The common theme of the goals of a cluster, as a phrase: "Implement POST /api/… endpoint".

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
