// A statement as it is compared: its content words in order, and beside them what turns their meaning:
// negations, bounds and directions, modality, tense, voice, who is spoken of.
import type { MemoryType } from "../../schemas/session";
import { type Inflection, inflectionOf } from "../stem";
import { PHRASES, withPhrases } from "./phrases";
import { isQuantity, withQuantities } from "./quantities";
import { aliasOf, EMPTY, groupOf, MARKS, MODES, PERSONS, WEAK } from "./synonyms";
import { type Family, familyOf, opened, plain, split, type Word } from "./tokenize-statement";

/** "undergoing" is the passive of "progressive": "is being built". */
export type Form = "base" | "past" | "passive" | "undergoing" | "progressive" | "ing";

export type Token = {
  text: string;
  /** What the word has in common with its inflections and synonyms. */
  key: string;
  /** The same for names too, as if they were words: tokens that are the same share it. */
  root: string;
  kind: "word" | "name" | "quantity";
  form: Form;
  initial: boolean;
  verbatim: boolean;
  weak: boolean;
  /** The last function word before it, if any. */
  link: string;
  pause: boolean;
  /** It comes after "then", "so" or a colon, and so after what is said before. */
  follows: boolean;
};

export type Statement = { type: MemoryType; content: string };

/** All that comparing needs of a statement, so that it is read once for any number of comparisons. */
export type Reading = Statement & {
  words: readonly Word[];
  /** What two words in a row would be as one. */
  compounds: ReadonlySet<string>;
  /** Every word but the articles, in order: two statements of equal wording are the same statement. */
  wording: string;
  /** The same without spaces. */
  letters: string;
  question: boolean;
  /** The words of the content that count, and how often each root occurs; the user counts once. */
  strong: readonly Token[];
  counts: ReadonlyMap<string, number>;
  /** The keys of the words that do not count, and of all. */
  weak: readonly string[];
  keys: ReadonlySet<string>;
  /** Each with the word it bears on, in alphabetical order: "before:push", "not:use". */
  marks: string;
  modes: ReadonlySet<string>;
  persons: ReadonlySet<string>;
  /** "was", "were", "did", "had"; "is", "are", "has". */
  past: boolean;
  present: boolean;
  /** Of a task or a plan: told as something that has happened. */
  done: boolean;
  /** "has a dog", and "the user's dog". */
  has: boolean;
  possessive: boolean;
};

export function readStatement({ type, content }: Statement): Reading {
  return reading({ type, content }, split(opened(plain(content), familyOf(type))));
}

/** Both in view of each other: what one writes in two words, the other may write in one. */
export function readTogether(a: Reading, b: Reading): [Reading, Reading] {
  return [reading(a, joined(a.words, b.words)), reading(b, joined(b.words, a.words))];
}

/** "check up" as "checkup" where the other statement has it so. */
function joined(words: readonly Word[], other: readonly Word[]): Word[] {
  const known = new Set(other.map(({ text }) => text));
  const found: Word[] = [];
  for (const word of words) {
    const together = compound(found.at(-1), word);
    const before = together !== null && known.has(together) ? found.pop() : undefined;
    found.push(before === undefined || together === null ? word : { ...before, text: together });
  }
  return found;
}

function compound(before: Word | undefined, word: Word): string | null {
  if (before === undefined || before.verbatim || word.verbatim || isFunctionWord(before.text)) return null;
  const together = `${before.text}${word.text}`;
  // "now here" is not "nowhere".
  return PHRASES.has(together) || isFunctionWord(together) ? null : together;
}

function isFunctionWord(text: string): boolean {
  return EMPTY.has(text) || MARKS.has(text) || MODES.has(text) || PERSONS.has(text) || /\d/.test(text);
}

const USER = "user";
const ARTICLE = /^(?:a|an|the)$/;
const POINTER = /^(?:it|its|itself|this|that|these|those|there|here)$/;
const BE = /^(?:is|are|am|be|been|being|was|were|get|gets|got)$/;
const CHOICE = /^(?:prefer|choos|choose)$/;
const FOLLOWS = /^(?:then|so|thus)$/;
const HAVE = /^(?:have|has|had)$/;

/** Modes that add nothing to what the type says already. */
const IMPLIED: Readonly<Record<Family, readonly string[]>> = {
  statement: [],
  rule: ["must", "should", "always", "will"],
  decision: ["will", "must"],
  guess: ["may", "probably", "will"],
  risk: ["may", "will"],
  unknown: [],
  intent: ["must", "should", "will", "plans"],
};

function reading({ type, content }: Statement, split: readonly Word[]): Reading {
  const family = familyOf(type);
  const line = plain(content);
  const words = withQuantities(withPhrases(split));
  const tokens: Token[] = [];
  const marks: string[] = [];
  const modes = new Set<string>();
  const persons = new Set<string>();
  const seen = { past: false, present: false, has: false, possessive: false };
  let [is, was, perfect, chosen] = [false, false, false, false];
  let pending: string[] = [];
  let auxiliary = "";
  let link = "";
  let [pause, follows] = [false, false];

  for (const [at, word] of words.entries()) {
    const { text, name, owner } = word;
    pause ||= word.pause;
    follows ||= word.colon || (!name && FOLLOWS.test(text));
    if (owner) seen.possessive = true;
    if (!name && /^(?:was|were|did)$/.test(text)) was = true;
    if (!name && /^(?:is|are|am)$/.test(text)) is = true;
    if (!name && (BE.test(text) || HAVE.test(text) || text === "did")) {
      if (HAVE.test(text)) {
        seen[text === "had" ? "past" : "present"] = true;
        if (isPerfect(words, at + 1)) perfect = true;
        else seen.has = true;
      }
      // "has been stored" is passive: the nearest auxiliary counts.
      auxiliary = text;
      link = text;
      continue;
    }
    const person = PERSONS.get(text);
    if (person !== undefined && !name) {
      persons.add(person);
      if (/^(?:my|our|his|her|their)$/.test(text)) seen.possessive = true;
      if (person !== USER) continue;
    }
    const mode = modeOf(text, family);
    if (mode !== undefined && !name) {
      if (mode === "not") pending.push(mode);
      // "need not" and "not always" are not "must not".
      else if (pending.includes("not") && /^(?:must|always)$/.test(mode)) modes.add(`not ${mode}`);
      else if (!IMPLIED[family].includes(mode)) modes.add(mode);
      continue;
    }
    const mark = name ? undefined : markOf(text, family, words[at + 1]?.text ?? "", chosen);
    if (mark !== undefined) {
      // What holds for tests holds for all tests, in a rule; unless it does not hold for all.
      if (mark !== "all" || family !== "rule" || pending.includes("not")) pending.push(mark);
      link = text;
      continue;
    }
    if (!name && (EMPTY.has(text) || (text === "using" && auxiliary === "" && tokens.length > 0))) {
      // "as it rained" is linked by "as".
      if (!ARTICLE.test(text) && (link === "" || !POINTER.test(text))) link = text;
      continue;
    }
    const token = isUser(word, words[at - 1])
      ? wordToken(owner || /^(?:my|mine)$/.test(text) ? "user's" : USER)
      : tokenOf(word, auxiliary);
    tokens.push({
      text: token.text,
      key: token.key,
      root: groupOf(token.text),
      kind: token.kind,
      form: token.form,
      initial: word.initial,
      verbatim: word.verbatim,
      weak: token.weak,
      link,
      pause,
      follows,
    });
    chosen ||= CHOICE.test(token.key);
    if (!token.weak) {
      for (const each of pending) marks.push(`${each}:${token.key}`);
      pending = [];
    }
    auxiliary = "";
    link = "";
    [pause, follows] = [false, false];
  }
  for (const each of pending) marks.push(`${each}:`);
  const strong = strongOf(tokens);
  const worded = words.flatMap(({ text, name }) => (!name && ARTICLE.test(text) ? [] : [text])).join(" ");
  // A statement without words is what it is.
  const wording = worded === "" ? line.toLowerCase() : worded;
  return {
    type,
    content,
    words: split,
    compounds: new Set(split.flatMap((word, at) => compound(split[at - 1], word) ?? [])),
    wording,
    letters: wording.replaceAll(" ", ""),
    // An open question is one whether or not it is put as a question.
    question: family !== "unknown" && /\?["')\]]*$/.test(line),
    strong,
    counts: countsOf(strong),
    weak: tokens.flatMap(({ weak, key }) => (weak ? [key] : [])),
    keys: new Set(tokens.map(({ key }) => key)),
    marks: marks.sort().join(),
    modes,
    persons,
    ...seen,
    past: seen.past || was,
    present: seen.present || is,
    done: family === "intent" && (was || perfect || (is && tokens.some(({ form }) => form === "passive"))),
  };
}

/** The user counts once, however often "I" and "my" are said. */
function strongOf(tokens: readonly Token[]): Token[] {
  const users = new Set<string>();
  return tokens.filter(({ weak, key, verbatim }) => {
    if (weak || verbatim || !/^user(?:'s)?$/.test(key)) return !weak;
    return !users.has(key) && users.add(key);
  });
}

function countsOf(tokens: readonly Token[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { root } of tokens) counts.set(root, (counts.get(root) ?? 0) + 1);
  return counts;
}

/** What follows "have": a participle, or what is had. */
function isPerfect(words: readonly Word[], from: number): boolean {
  let at = from;
  const skipped = ({ text }: Word) => MARKS.get(text) === "not" || WEAK.has(text);
  for (let word = words[at]; word !== undefined && skipped(word); word = words[at]) at += 1;
  return inflectionOf(words[at]?.text ?? "") !== "base";
}

/** In a rule, "never" is "do not". */
function modeOf(text: string, family: Family): string | undefined {
  const mode = MODES.get(text);
  return mode === "never" && family === "rule" ? "not" : mode;
}

function markOf(text: string, family: Family, next: string, chosen: boolean): string | undefined {
  // "by Friday", "by 5 percent", "in two hours": before a quantity, these two are not like the others.
  if (text === "by" && isQuantity(next)) return "by";
  if (text === "in" && /^=\S+ s$/.test(next)) return "in";
  const mark = MARKS.get(text);
  // "Svelte over React" is a choice, "over 5 euros" a bound.
  if (text === "over" && !isQuantity(next) && chosen) return "instead";
  return mark === "if" && family === "unknown" ? text : mark;
}

/** "I" and "the user"; "every user" is anybody. */
function isUser({ text, name, verbatim }: Word, before: Word | undefined): boolean {
  if (PERSONS.get(text) === USER) return !name;
  return text === USER && !verbatim && !/^(?:every|each|any|all)$/.test(before?.text ?? "");
}

function wordToken(text: string) {
  return { text, key: text, kind: "word", form: "base", weak: false } as const;
}

function tokenOf({ text, name, verbatim }: Word, auxiliary: string) {
  if (isQuantity(text)) return { text, key: text, kind: "quantity", form: "base", weak: false } as const;
  if (verbatim) return { text, key: text, kind: "name", form: "base", weak: false } as const;
  // "Users", and "every user", are anybody; "the user" is the one remembered.
  if (text === "users" || text === USER) return wordToken("users");
  if (name) return { text, key: aliasOf(text), kind: "name", form: "base", weak: false } as const;
  const form = formOf(inflectionOf(text), auxiliary);
  return { text, key: groupOf(text), kind: "word", form, weak: WEAK.has(text) } as const;
}

function formOf(inflection: Inflection, auxiliary: string): Form {
  const after = BE.test(auxiliary) ? "be" : HAVE.test(auxiliary) ? "have" : auxiliary;
  if (inflection === "ing") return after === "be" ? "progressive" : "ing";
  if (inflection === "base") return after === "did" ? "past" : "base";
  if (after === "be") return auxiliary === "being" ? "undergoing" : "passive";
  if (after === "have") return "past";
  if (inflection === "same") return after === "did" ? "past" : "base";
  return inflection === "participle" ? "passive" : "past";
}
