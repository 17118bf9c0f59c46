// A statement as it is compared: its content words in order, and beside them what turns their meaning:
// negations, bounds and directions, modality, tense, voice, who is spoken of.
import type { MemoryType } from "../schemas/session";
import { PHRASES } from "./near-duplicate-phrases";
import { isQuantity, withQuantities } from "./near-duplicate-quantities";
import { type Family, familyOf, opened, split, type Word } from "./near-duplicate-split";
import { type Inflection, inflectionOf } from "./near-duplicate-stem";
import { aliasOf, EMPTY, groupOf, MARKS, MODES, PERSONS, WEAK } from "./near-duplicate-words";

/** "undergoing" is the passive of "progressive": "is being built". */
export type Form = "base" | "past" | "passive" | "undergoing" | "progressive" | "ing";

export type Token = {
  text: string;
  /** What the word has in common with its inflections and synonyms. */
  key: string;
  kind: "word" | "name" | "quantity";
  form: Form;
  initial: boolean;
  weak: boolean;
  /** The last function word before it, if any. */
  link: string;
  pause: boolean;
};

export type Reading = {
  family: Family;
  /** Every word but the articles, in order: two statements of equal wording are the same statement. */
  wording: string;
  question: boolean;
  tokens: Token[];
  /** Each with the word it bears on, in alphabetical order: "before:push", "not:use". */
  marks: readonly string[];
  modes: ReadonlySet<string>;
  persons: ReadonlySet<string>;
  /** "was", "were", "did"; "is", "are"; "has been", "have moved". */
  was: boolean;
  is: boolean;
  perfect: boolean;
  /** "has a dog", and "the user's dog". */
  has: boolean;
  possessive: boolean;
};

/** Both statements, read in view of each other: what one writes in two words, the other may write in one. */
export function readBoth(type: MemoryType, a: string, b: string): [Reading, Reading] {
  const family = familyOf(type);
  const [wordsA, wordsB] = [split(opened(a, family)), split(opened(b, family))];
  return [reading(a, family, joined(wordsA, wordsB)), reading(b, family, joined(wordsB, wordsA))];
}

/** "check up" as "checkup" where the other statement has it so. */
function joined(words: readonly Word[], other: readonly Word[]): Word[] {
  const known = new Set(other.map(({ text }) => text));
  const found: Word[] = [];
  for (const word of words) {
    const before = found.at(-1);
    const together = `${before?.text}${word.text}`;
    if (before !== undefined && known.has(together) && !isFunctionWord(before.text)) {
      found[found.length - 1] = { ...before, text: together };
    } else found.push(word);
  }
  return found;
}

function isFunctionWord(text: string): boolean {
  return EMPTY.has(text) || MARKS.has(text) || MODES.has(text) || PERSONS.has(text) || /\d/.test(text);
}

const LONGEST_PHRASE = 4;

function withPhrases(words: readonly Word[]): Word[] {
  const found: Word[] = [];
  for (let at = 0; at < words.length; ) {
    let length = Math.min(LONGEST_PHRASE, words.length - at);
    let read: string | undefined;
    for (; length > 0; length -= 1) {
      const phrase = words.slice(at, at + length);
      read = PHRASES.get(phrase.map(({ text }) => text).join(" "));
      if (read !== undefined && !phrase.slice(1).some(({ pause }) => pause)) break;
    }
    const word = words[at];
    if (word === undefined) break;
    if (read === undefined || length === 0) {
      found.push(word);
      at += 1;
    } else {
      for (const text of read.split(" ").filter(Boolean))
        found.push({ ...word, text, name: false, owner: false });
      at += length;
    }
  }
  return found;
}

const USER = "user";
const ARTICLE = /^(?:a|an|the)$/;
const BE = /^(?:is|are|am|be|been|being|was|were|get|gets|got)$/;
const CHOICE = /^(?:prefer|choos|choose)$/;
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

function reading(content: string, family: Family, split: readonly Word[]): Reading {
  const words = withQuantities(withPhrases(split));
  const tokens: Token[] = [];
  const marks: string[] = [];
  const modes = new Set<string>();
  const persons = new Set<string>();
  const seen = { was: false, is: false, perfect: false, has: false, possessive: false };
  let pending: string[] = [];
  let auxiliary = "";
  let link = "";
  let pause = false;

  for (const [at, { text, name, initial, owner, pause: paused }] of words.entries()) {
    pause ||= paused;
    if (owner) seen.possessive = true;
    if (!name && /^(?:was|were|did)$/.test(text)) seen.was = true;
    if (!name && /^(?:is|are|am)$/.test(text)) seen.is = true;
    if (!name && (BE.test(text) || HAVE.test(text) || text === "did")) {
      if (HAVE.test(text)) seen[isPerfect(words.slice(at + 1)) ? "perfect" : "has"] = true;
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
    const mark = name ? undefined : markOf(text, family, words[at + 1]?.text ?? "", tokens);
    if (mark !== undefined) {
      // What holds for tests holds for all tests, in a rule; unless it does not hold for all.
      if (mark !== "all" || family !== "rule" || pending.includes("not")) pending.push(mark);
      link = text;
      continue;
    }
    if (!name && (EMPTY.has(text) || (text === "using" && auxiliary === "" && tokens.length > 0))) {
      if (!ARTICLE.test(text)) link = text;
      continue;
    }
    const token =
      person === USER || (text === USER && !/^(?:every|each|any|all)$/.test(words[at - 1]?.text ?? ""))
        ? wordToken(owner || /^(?:my|mine)$/.test(text) ? "user's" : USER)
        : tokenOf(text, name, auxiliary);
    tokens.push({ ...token, initial, link, pause });
    if (!token.weak) {
      for (const each of pending) marks.push(`${each}:${token.key}`);
      pending = [];
    }
    auxiliary = "";
    link = "";
    pause = false;
  }
  for (const each of pending) marks.push(`${each}:`);
  return {
    family,
    wording: words.flatMap(({ text, name }) => (!name && ARTICLE.test(text) ? [] : [text])).join(" "),
    // An open question is one whether or not it is put as a question.
    question: family !== "unknown" && /\?["')\]]*$/.test(content.trim()),
    tokens,
    marks: marks.sort(),
    modes,
    persons,
    ...seen,
  };
}

/** What follows "have": a participle, or what is had. */
function isPerfect(words: readonly Word[]): boolean {
  const next = words.find(({ text }) => MARKS.get(text) !== "not" && !WEAK.has(text));
  return inflectionOf(next?.text ?? "") !== "base";
}

/** In a rule, "never" is "do not". */
function modeOf(text: string, family: Family): string | undefined {
  const mode = MODES.get(text);
  return mode === "never" && family === "rule" ? "not" : mode;
}

function markOf(text: string, family: Family, next: string, before: readonly Token[]): string | undefined {
  // "by Friday", "by 5 percent", "in two hours": before a quantity, these two are not like the others.
  if (text === "by" && isQuantity(next)) return "by";
  if (text === "in" && /^=\S+ s$/.test(next)) return "in";
  const mark = MARKS.get(text);
  // "Svelte over React" is a choice, "over 5 euros" a bound.
  if (text === "over" && !isQuantity(next) && before.some(({ key }) => CHOICE.test(key))) return "instead";
  return mark === "if" && family === "unknown" ? text : mark;
}

function wordToken(text: string) {
  return { text, key: text, kind: "word", form: "base", weak: false } as const;
}

function tokenOf(text: string, name: boolean, auxiliary: string) {
  if (isQuantity(text)) return { text, key: text, kind: "quantity", form: "base", weak: false } as const;
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
