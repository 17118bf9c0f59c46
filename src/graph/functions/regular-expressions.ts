// The patterns of REGEX and REPLACE. Those that can take very long are refused: nothing interrupts a match.
import { isSimple } from "../rdf-terms";
import { QueryRefused, type RdfTerm } from "../sparql-answer";
import { raiseTypeError } from "./expression-error";

/** Longer patterns are refused. */
const PATTERN_CHARS = 1_000;
/** The characters of a text, by the number of its pattern's repetitions: each may start at every character. */
const TEXT_CHARS: readonly number[] = [1_000_000, 50_000, 5_000];
/** The ways to match the optional parts and the alternatives of groups, all of which may be tried. */
const MAX_CHOICES = 4_096;

type TranslatedRegex = { readonly regex: RegExp; readonly textChars: number };

const compiled = new Map<string, TranslatedRegex>();
const COMPILED_PATTERNS = 100;

/** Returns the regular expression for a text of a length. */
export function compileRegex(pattern: RdfTerm, flags: RdfTerm | undefined, length: number): RegExp {
  const [source, letters] = [requirePlain(pattern), flags === undefined ? "" : requirePlain(flags)];
  const key = `${letters}/${source}`;
  const known = compiled.get(key) ?? translateRegex(source, letters);
  if (compiled.size >= COMPILED_PATTERNS) compiled.clear();
  compiled.set(key, known);
  if (length > known.textChars)
    throw new QueryRefused(
      `A regular expression with repetitions is matched with a text of more than ${known.textChars} characters. Use CONTAINS, or fewer of *, + and {}.`,
    );
  return known.regex;
}

function requirePlain(term: RdfTerm): string {
  return isSimple(term) ? term.value : raiseTypeError("An operand is not a simple string");
}

function translateRegex(source: string, letters: string): TranslatedRegex {
  if (!/^[imsxq]*$/.test(letters)) return raiseTypeError("REGEX knows the flags i, m, s, x and q");
  if (source.length > PATTERN_CHARS)
    throw new QueryRefused(`A regular expression has more than ${PATTERN_CHARS} characters: shorten it.`);
  const plain = letters.includes("x") ? source.replace(/\s+/g, "") : source;
  const text = letters.includes("q") ? plain.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : plain;
  const kept = [...new Set(letters)].filter((letter) => "ims".includes(letter)).join("");
  const repetitions = countRepetitions(text);
  try {
    return { regex: new RegExp(text, `${kept}u`), textChars: TEXT_CHARS[repetitions] ?? 0 };
  } catch {
    return raiseTypeError("The pattern is not a regular expression");
  }
}

/** An escape, a class of characters, the beginning of a group, a repetition with its modifier, or any other character. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|(?:[*+?]|\{[\d,]*\})\??|./gsu;

/** Returns the number of repetitions of different lengths. Refuses patterns of exponential time. */
function countRepetitions(source: string): number {
  const open: { alternatives: number; isChoice: boolean }[] = [];
  let [repetitions, choices] = [0, 1];
  let isAfterChoice = false;
  for (const [token] of source.matchAll(TOKEN)) {
    const isRepetition = /^([*+?]|\{\d)/.test(token);
    if (isRepetition && isAfterChoice && !token.startsWith("?")) refuseNested();
    if (isRepetition || token === "|") for (const group of open) group.isChoice = true;
    if (/^([*+]|\{\d+,)/.test(token)) repetitions += 1;
    if (token.startsWith("?")) choices *= 2;
    const inner = open.at(-1);
    if (token === "|" && inner !== undefined) inner.alternatives += 1;
    if (token.startsWith("(")) open.push({ alternatives: 1, isChoice: false });
    const group = token === ")" ? open.pop() : undefined;
    choices *= group?.alternatives ?? 1;
    isAfterChoice = group?.isChoice ?? false;
  }
  if (repetitions >= TEXT_CHARS.length)
    throw new QueryRefused(
      `A regular expression has more than ${TEXT_CHARS.length - 1} repetitions: use several FILTERs, with fewer of *, + and {} each.`,
    );
  if (choices > MAX_CHOICES)
    throw new QueryRefused(
      "A regular expression has many optional parts or groups of alternatives: use several FILTERs, with fewer of ? and | each.",
    );
  return repetitions;
}

function refuseNested(): never {
  throw new QueryRefused(
    "A regular expression repeats a group that itself has a repetition or alternatives: write it without the outer *, + or {}.",
  );
}
