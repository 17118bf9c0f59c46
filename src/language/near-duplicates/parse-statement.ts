// Parses a statement for comparison: its content words in order, and the features that change their meaning.
// A statement is parsed once for any number of comparisons.
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { PHRASES, replacePhrases } from "./phrases";
import { replaceQuantities } from "./quantities";
import { type ScannedWords, scanWords, type Token } from "./scan-words";
import { MODALITIES, PERSONS, QUALIFIERS, STOP_WORDS } from "./synonyms";
import { getTypeFamily, normaliseStatement, stripOpening, tokenise, type Word } from "./tokenise-statement";

export type TypedStatement = { type: MemoryType; content: string };

export type ParsedStatement = TypedStatement &
  Readonly<Omit<ScannedWords, "tokens" | "qualifiers">> & {
    words: readonly Word[];
    /** Each two adjacent words written as one. */
    compounds: ReadonlySet<string>;
    /** Every word except articles, in order: statements of equal wording are the same statement. */
    wording: string;
    /** The wording without spaces. */
    letters: string;
    question: boolean;
    /** The words that must match, and how often each root occurs; the user counts once. */
    contentWords: readonly Token[];
    rootCounts: ReadonlyMap<string, number>;
    /** The keys of optional words, and of all words. */
    optionalKeys: readonly string[];
    keys: ReadonlySet<string>;
    /** Negations, bounds and directions with the words they apply to, sorted: "before:push,not:use". */
    qualifiers: string;
  };

export function parseStatement({ type, content }: TypedStatement): ParsedStatement {
  const text = stripOpening(normaliseStatement(content), getTypeFamily(type));
  return parseWords({ type, content }, tokenise(text));
}

/** Parses two statements again with shared compounds: "check up" in one may be "checkup" in the other. */
export function parseTogether(a: ParsedStatement, b: ParsedStatement): [ParsedStatement, ParsedStatement] {
  return [parseWords(a, joinCompounds(a.words, b.words)), parseWords(b, joinCompounds(b.words, a.words))];
}

function joinCompounds(words: readonly Word[], other: readonly Word[]): Word[] {
  const known = new Set(other.map(({ text }) => text));
  const joined: Word[] = [];
  for (const word of words) {
    const compound = toCompound(joined.at(-1), word);
    const before = compound !== null && known.has(compound) ? joined.pop() : undefined;
    joined.push(before === undefined || compound === null ? word : { ...before, text: compound });
  }
  return joined;
}

function toCompound(before: Word | undefined, word: Word): string | null {
  if (before === undefined || before.verbatim || word.verbatim || isFunctionWord(before.text)) return null;
  const compound = `${before.text}${word.text}`;
  // "now here" is not "nowhere".
  return PHRASES.has(compound) || isFunctionWord(compound) ? null : compound;
}

function isFunctionWord(text: string): boolean {
  return [STOP_WORDS, QUALIFIERS, MODALITIES, PERSONS].some((words) => words.has(text)) || /\d/.test(text);
}

const ARTICLE = /^(?:a|an|the)$/;

function parseWords({ type, content }: TypedStatement, tokenised: readonly Word[]): ParsedStatement {
  const family = getTypeFamily(type);
  const line = normaliseStatement(content);
  const words = replaceQuantities(replacePhrases(tokenised));
  const { tokens, qualifiers, completed, ...features } = scanWords(words, family);
  const contentWords = selectContentWords(tokens);
  const worded = words.flatMap(({ text, name }) => (!name && ARTICLE.test(text) ? [] : [text])).join(" ");
  // A statement of punctuation alone equals only itself.
  const wording = worded === "" ? line.toLowerCase() : worded;
  return {
    type,
    content,
    ...features,
    // Only a task or a plan is either open or completed.
    completed: completed && family === "intent",
    words: tokenised,
    compounds: new Set(tokenised.flatMap((word, at) => toCompound(tokenised[at - 1], word) ?? [])),
    wording,
    letters: wording.replaceAll(" ", ""),
    // A memory of type unknown is an open question with or without a question mark.
    question: family !== "unknown" && /\?["')\]]*$/.test(line),
    contentWords,
    rootCounts: countRoots(contentWords),
    optionalKeys: tokens.flatMap(({ optional, key }) => (optional ? [key] : [])),
    keys: new Set(tokens.map(({ key }) => key)),
    qualifiers: qualifiers.sort().join(),
  };
}

/** Drops optional words, and all mentions of the user after the first. */
function selectContentWords(tokens: readonly Token[]): Token[] {
  const users = new Set<string>();
  return tokens.filter(({ optional, key, verbatim }) => {
    if (optional || verbatim || !/^user(?:'s)?$/.test(key)) return !optional;
    return !users.has(key) && users.add(key);
  });
}

function countRoots(tokens: readonly Token[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { root } of tokens) counts.set(root, (counts.get(root) ?? 0) + 1);
  return counts;
}
