// Scans the words of a statement into content tokens, and collects the function words that change their meaning:
// negations, bounds and directions, modality, tense, voice, persons.
import { detectInflection, type Inflection } from "../words/stem";
import { isQuantity } from "./quantities";
import {
  getSynonymGroup,
  MODALITIES,
  OPTIONAL_WORDS,
  PERSONS,
  QUALIFIERS,
  resolveAlias,
  STOP_WORDS,
} from "./synonyms";
import type { TypeFamily, Word } from "./tokenise-statement";

/** "undergoing" is the passive of "progressive": "is being built". */
export type VerbForm = "base" | "past" | "passive" | "undergoing" | "progressive" | "ing";

export type Token = {
  text: string;
  /** Shared by a word, its inflections and its synonyms; a name has its alias. */
  key: string;
  /** The synonym group of any token, names included: equal tokens have equal roots. */
  root: string;
  kind: "word" | "name" | "quantity";
  form: VerbForm;
  initial: boolean;
  verbatim: boolean;
  /** May be missing from the other statement. */
  optional: boolean;
  /** The last function word before the token, or an empty string. */
  link: string;
  pause: boolean;
  /** Stands after "then", "so" or a colon, so that its clause cannot come first. */
  follows: boolean;
};

export type ScannedWords = {
  tokens: Token[];
  /** Each with the key of the word it applies to: "before:push", "not:use". */
  qualifiers: string[];
  modalities: Set<string>;
  persons: Set<string>;
  /** "was", "were", "did", "had". */
  past: boolean;
  /** "is", "are", "has". */
  present: boolean;
  /** "has a dog". */
  possession: boolean;
  /** "the user's dog", "my dog". */
  possessive: boolean;
  /** An event that has happened: "was sent", "have sent", "is sent". */
  completed: boolean;
};

type Scanner = Omit<ScannedWords, "completed"> & {
  family: TypeFamily;
  words: readonly Word[];
  is: boolean;
  was: boolean;
  perfect: boolean;
  /** A verb of choice came before: "prefer Svelte over React". */
  chosen: boolean;
  /** Qualifiers that wait for the word they apply to. */
  pending: string[];
  /** The nearest auxiliary counts: "has been stored" is passive. */
  auxiliary: string;
  link: string;
  pause: boolean;
  follows: boolean;
};

export function scanWords(words: readonly Word[], family: TypeFamily): ScannedWords {
  const scanner: Scanner = {
    family,
    words,
    tokens: [],
    qualifiers: [],
    modalities: new Set(),
    persons: new Set(),
    past: false,
    present: false,
    possession: false,
    possessive: false,
    is: false,
    was: false,
    perfect: false,
    chosen: false,
    pending: [],
    auxiliary: "",
    link: "",
    pause: false,
    follows: false,
  };
  for (const [at, word] of words.entries()) {
    scanner.pause ||= word.pause;
    scanner.follows ||= word.colon || (!word.name && SEQUENCE.test(word.text));
    if (word.owner) scanner.possessive = true;
    if (word.name || !scanFunctionWord(scanner, word.text, at)) pushToken(scanner, word, words[at - 1]);
  }
  for (const qualifier of scanner.pending) scanner.qualifiers.push(`${qualifier}:`);
  const { tokens, qualifiers, modalities, persons, is, was, perfect, possession, possessive } = scanner;
  return {
    tokens,
    qualifiers,
    modalities,
    persons,
    past: scanner.past || was,
    present: scanner.present || is,
    possession,
    possessive,
    completed: was || perfect || (is && tokens.some(({ form }) => form === "passive")),
  };
}

const USER = "user";
const ARTICLE = /^(?:a|an|the)$/;
const POINTER = /^(?:it|its|itself|this|that|these|those|there|here)$/;
const BE = /^(?:is|are|am|be|been|being|was|were|get|gets|got)$/;
const HAVE = /^(?:have|has|had)$/;
const CHOICE = /^(?:prefer|choos|choose)$/;
const SEQUENCE = /^(?:then|so|thus)$/;

/** Records a function word; returns false for a word of content, which becomes a token. */
function scanFunctionWord(scanner: Scanner, text: string, at: number): boolean {
  return (
    scanAuxiliary(scanner, text, at) ||
    scanPerson(scanner, text) ||
    scanModality(scanner, text) ||
    scanQualifier(scanner, text, scanner.words[at + 1]?.text ?? "") ||
    scanStopWord(scanner, text)
  );
}

function scanAuxiliary(scanner: Scanner, text: string, at: number): boolean {
  if (/^(?:was|were|did)$/.test(text)) scanner.was = true;
  if (/^(?:is|are|am)$/.test(text)) scanner.is = true;
  if (!BE.test(text) && !HAVE.test(text) && text !== "did") return false;
  if (HAVE.test(text)) {
    scanner[text === "had" ? "past" : "present"] = true;
    if (isPerfect(scanner.words, at + 1)) scanner.perfect = true;
    else scanner.possession = true;
  }
  scanner.auxiliary = text;
  scanner.link = text;
  return true;
}

/** Records pronouns. Those of the user become tokens, since "I" and "the user" are the same person in a memory. */
function scanPerson(scanner: Scanner, text: string): boolean {
  const person = PERSONS.get(text);
  if (person === undefined) return false;
  scanner.persons.add(person);
  if (/^(?:my|our|his|her|their)$/.test(text)) scanner.possessive = true;
  return person !== USER;
}

/** Modalities that the memory type implies, so that stating them adds nothing. */
const IMPLIED_MODALITIES: Readonly<Record<TypeFamily, readonly string[]>> = {
  statement: [],
  rule: ["must", "should", "always", "will"],
  decision: ["will", "must"],
  guess: ["may", "probably", "will"],
  risk: ["may", "will"],
  unknown: [],
  intent: ["must", "should", "will", "plans"],
};

function scanModality({ family, pending, modalities }: Scanner, text: string): boolean {
  const modality = MODALITIES.get(text);
  if (modality === undefined) return false;
  // In a rule, "never" is "do not".
  if (modality === "never" && family === "rule") pending.push("not");
  // "need not" and "not always" are not "must not".
  else if (pending.includes("not") && /^(?:must|always)$/.test(modality)) modalities.add(`not ${modality}`);
  else if (!IMPLIED_MODALITIES[family].includes(modality)) modalities.add(modality);
  return true;
}

function scanQualifier(scanner: Scanner, text: string, next: string): boolean {
  const { family, pending, chosen } = scanner;
  const qualifier = getQualifier(text, family, next, chosen);
  if (qualifier === undefined) return false;
  // A rule about tests holds for all tests, so "all" adds nothing to it; "not all" does.
  if (qualifier !== "all" || family !== "rule" || pending.includes("not")) pending.push(qualifier);
  scanner.link = text;
  return true;
}

function getQualifier(text: string, family: TypeFamily, next: string, chosen: boolean): string | undefined {
  // Before a quantity, "by" and "in" are qualifiers: "by Friday", "by 5 percent", "in two hours".
  if (text === "by" && isQuantity(next)) return "by";
  if (text === "in" && /^=\S+ s$/.test(next)) return "in";
  const qualifier = QUALIFIERS.get(text);
  // "Svelte over React" is a choice, "over 5 euros" a bound.
  if (text === "over" && !isQuantity(next) && chosen) return "instead";
  return qualifier === "if" && family === "unknown" ? text : qualifier;
}

function scanStopWord(scanner: Scanner, text: string): boolean {
  const { auxiliary, tokens, link } = scanner;
  const isLinkingUse = text === "using" && auxiliary === "" && tokens.length > 0;
  if (!STOP_WORDS.has(text) && !isLinkingUse) return false;
  // "as it rained" is linked by "as".
  if (!ARTICLE.test(text) && (link === "" || !POINTER.test(text))) scanner.link = text;
  return true;
}

/** Whether a participle follows "have"; anything else is a possession. */
function isPerfect(words: readonly Word[], from: number): boolean {
  let at = from;
  const canSkip = ({ text }: Word) => QUALIFIERS.get(text) === "not" || OPTIONAL_WORDS.has(text);
  for (let word = words[at]; word !== undefined && canSkip(word); word = words[at]) at += 1;
  return detectInflection(words[at]?.text ?? "") !== "base";
}

function pushToken(scanner: Scanner, word: Word, before: Word | undefined): void {
  const { auxiliary, link, pause, follows } = scanner;
  const token = isUser(word, before)
    ? createToken(word.owner || /^(?:my|mine)$/.test(word.text) ? "user's" : USER)
    : toToken(word, auxiliary);
  const { initial, verbatim } = word;
  scanner.tokens.push({
    ...token,
    root: getSynonymGroup(token.text),
    initial,
    verbatim,
    link,
    pause,
    follows,
  });
  scanner.chosen ||= CHOICE.test(token.key);
  if (!token.optional) {
    for (const qualifier of scanner.pending) scanner.qualifiers.push(`${qualifier}:${token.key}`);
    scanner.pending = [];
  }
  Object.assign(scanner, { auxiliary: "", link: "", pause: false, follows: false });
}

/** "I" and "the user"; "every user" is anybody. */
function isUser({ text, name, verbatim }: Word, before: Word | undefined): boolean {
  if (PERSONS.get(text) === USER) return !name;
  return text === USER && !verbatim && !/^(?:every|each|any|all)$/.test(before?.text ?? "");
}

type TokenCore = Pick<Token, "text" | "key" | "kind" | "form" | "optional">;

function createToken(text: string, more: Partial<TokenCore> = {}): TokenCore {
  return { text, key: text, kind: "word", form: "base", optional: false, ...more };
}

function toToken({ text, name, verbatim }: Word, auxiliary: string): TokenCore {
  if (isQuantity(text)) return createToken(text, { kind: "quantity" });
  if (verbatim) return createToken(text, { kind: "name" });
  // "Users" and "every user" are anybody; "the user" is the person the memory is about.
  if (text === "users" || text === USER) return createToken("users");
  if (name) return createToken(text, { key: resolveAlias(text), kind: "name" });
  const form = getVerbForm(detectInflection(text), auxiliary);
  return createToken(text, { key: getSynonymGroup(text), form, optional: OPTIONAL_WORDS.has(text) });
}

function getVerbForm(inflection: Inflection, auxiliary: string): VerbForm {
  const after = BE.test(auxiliary) ? "be" : HAVE.test(auxiliary) ? "have" : auxiliary;
  if (inflection === "ing") return after === "be" ? "progressive" : "ing";
  if (inflection === "base") return after === "did" ? "past" : "base";
  if (after === "be") return auxiliary === "being" ? "undergoing" : "passive";
  if (after === "have") return "past";
  if (inflection === "same") return after === "did" ? "past" : "base";
  return inflection === "participle" ? "passive" : "past";
}
