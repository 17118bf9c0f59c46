// The functions on strings (SPARQL 1.1, section 17.4.3).
import type { Literal } from "n3";
import { isSimple, isStringLiteral, literal, makeBoolean, makeInteger } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import { raiseTypeError, refuseLongText } from "./expression-error";
import { requireNumber, roundNumber, toDouble } from "./numbers";
import { compileRegex } from "./regular-expressions";

function requireString(term: RdfTerm): Literal {
  return isStringLiteral(term) ? term : raiseTypeError("An operand is not a string");
}

/** Returns the text of an `xsd:string`. */
export function requireText(term: RdfTerm): string {
  return isSimple(term) ? term.value : raiseTypeError("An operand is not a simple string");
}

/** Makes a string with the language of another. */
function makeLike({ language }: Literal, value: string): Literal {
  return language === "" ? literal(value) : literal(value, language);
}

/** The rule of argument compatibility: the second has no language, or that of the first. */
function requireCompatible(a: RdfTerm, b: RdfTerm): { whole: Literal; part: string } {
  const [whole, part] = [requireString(a), requireString(b)];
  if (part.language !== "" && part.language !== whole.language) raiseTypeError("The languages differ");
  return { whole, part: part.value };
}

export function measureString(term: RdfTerm): Literal {
  return makeInteger([...requireString(term).value].length);
}

export function takeSubstring(term: RdfTerm, start: RdfTerm, length?: RdfTerm): Literal {
  const whole = requireString(term);
  const from = roundToNumber(start);
  const to = length === undefined ? Number.POSITIVE_INFINITY : from + roundToNumber(length);
  return makeLike(whole, [...whole.value].filter((_, i) => i + 1 >= from && i + 1 < to).join(""));
}

function roundToNumber(term: RdfTerm): number {
  return toDouble(roundNumber(requireNumber(term), "round"));
}

export function toUpperCase(term: RdfTerm): Literal {
  return makeLike(requireString(term), term.value.toUpperCase());
}

export function toLowerCase(term: RdfTerm): Literal {
  return makeLike(requireString(term), term.value.toLowerCase());
}

export function concatenate(...terms: RdfTerm[]): Literal {
  const strings = terms.map(requireString);
  refuseLongText(strings.reduce((length, { value }) => length + value.length, 0));
  const text = strings.map(({ value }) => value).join("");
  const [first] = strings;
  const isOneLanguage = first !== undefined && strings.every(({ language }) => language === first.language);
  return isOneLanguage ? makeLike(first, text) : literal(text);
}

export function containsText(a: RdfTerm, b: RdfTerm): Literal {
  const { whole, part } = requireCompatible(a, b);
  return makeBoolean(whole.value.includes(part));
}

export function startsWithText(a: RdfTerm, b: RdfTerm): Literal {
  const { whole, part } = requireCompatible(a, b);
  return makeBoolean(whole.value.startsWith(part));
}

export function endsWithText(a: RdfTerm, b: RdfTerm): Literal {
  const { whole, part } = requireCompatible(a, b);
  return makeBoolean(whole.value.endsWith(part));
}

export function takeBefore(a: RdfTerm, b: RdfTerm): Literal {
  const { whole, part } = requireCompatible(a, b);
  const at = whole.value.indexOf(part);
  return at < 0 ? literal("") : makeLike(whole, whole.value.slice(0, at));
}

export function takeAfter(a: RdfTerm, b: RdfTerm): Literal {
  const { whole, part } = requireCompatible(a, b);
  const at = whole.value.indexOf(part);
  return at < 0 ? literal("") : makeLike(whole, whole.value.slice(at + part.length));
}

export function encodeForUri(term: RdfTerm): Literal {
  const encoded = encodeURIComponent(requireString(term).value);
  const rest = encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return literal(rest);
}

/** The basic filtering of RFC 4647: a range matches its own tag and those that begin with it. */
export function matchLanguage(tag: RdfTerm, range: RdfTerm): Literal {
  const [language, wanted] = [requireText(tag).toLowerCase(), requireText(range).toLowerCase()];
  if (wanted === "*") return makeBoolean(language !== "");
  return makeBoolean(language === wanted || language.startsWith(`${wanted}-`));
}

export function matchRegex(text: RdfTerm, pattern: RdfTerm, flags?: RdfTerm): Literal {
  const value = requireString(text).value;
  return makeBoolean(compileRegex(pattern, flags, value.length).test(value));
}

export function replaceMatches(
  text: RdfTerm,
  pattern: RdfTerm,
  replacement: RdfTerm,
  flags?: RdfTerm,
): Literal {
  const whole = requireString(text);
  const regex = compileRegex(pattern, flags, whole.value.length);
  if (regex.test("")) return raiseTypeError("The pattern of REPLACE matches the empty string");
  const template = requireText(replacement);
  let length = 0;
  const replaced = whole.value.replace(new RegExp(regex.source, `${regex.flags}g`), (...match: unknown[]) => {
    const text = fillTemplate(template, match);
    length += text.length;
    refuseLongText(length);
    return text;
  });
  return makeLike(whole, replaced);
}

/** Fills in a replacement of XPath: $1 is the first group, $0 the whole match, \\$ a dollar and \\\\ a backslash. */
function fillTemplate(template: string, match: readonly unknown[]): string {
  return template.replace(/\\([\\$])|\$(\d)/g, (_, escaped: string | undefined, group: string) => {
    if (escaped !== undefined) return escaped;
    // The arguments after the groups are the position, a number, and the whole text.
    const groups = match.slice(
      0,
      match.findIndex((part) => typeof part === "number"),
    );
    const text = groups[Number(group)];
    return typeof text === "string" ? text : "";
  });
}
