// The functions and operators of SPARQL 1.1 that take the values of their arguments, by their names in the algebra.
import { createHash } from "node:crypto";
import type { Literal, NamedNode } from "n3";
import {
  getDatatype,
  isLiteral,
  literal,
  makeBoolean,
  makeInteger,
  makeTyped,
  namedNode,
} from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import { areEqual, compareTerms, computeEffectiveBoolean } from "./comparison";
import { requireDate, toTimezoneDuration, writeTimezone } from "./dates";
import { raiseTypeError } from "./expression-error";
import {
  type ArithmeticOperator,
  calculate,
  negateNumber,
  parseNumber,
  type Rounding,
  readNumericValue,
  requireNumber,
  roundNumber,
  takeAbsolute,
  toNumericLiteral,
} from "./numbers";
import {
  concatenate,
  containsText,
  encodeForUri,
  endsWithText,
  matchLanguage,
  matchRegex,
  measureString,
  replaceMatches,
  requireText,
  startsWithText,
  takeAfter,
  takeBefore,
  takeSubstring,
  toLowerCase,
  toUpperCase,
} from "./strings";

/** A function of a fixed number of arguments, which the parser checks. */
type Builtin = (...args: RdfTerm[]) => RdfTerm;

function calculateTerms(operator: ArithmeticOperator) {
  return (a: RdfTerm, b: RdfTerm) =>
    toNumericLiteral(calculate(operator, requireNumber(a), requireNumber(b)));
}

function compareWith(holds: (order: number) => boolean) {
  return (a: RdfTerm, b: RdfTerm) => makeBoolean(holds(compareTerms(a, b)));
}

function roundTerm(rounding: Rounding) {
  return (term: RdfTerm) => toNumericLiteral(roundNumber(requireNumber(term), rounding));
}

function hashText(algorithm: string) {
  return (term: RdfTerm) => literal(createHash(algorithm).update(requireText(term)).digest("hex"));
}

function negateTerm(term: RdfTerm): Literal {
  return toNumericLiteral(negateNumber(requireNumber(term)));
}

function toText(term: RdfTerm): Literal {
  return term.termType === "BlankNode" ? raiseTypeError("A blank node has no text") : literal(term.value);
}

function readLanguage(term: RdfTerm): Literal {
  return isLiteral(term) ? literal(term.language) : raiseTypeError("Only literals have a language");
}

function readDatatype(term: RdfTerm): NamedNode {
  return namedNode(getDatatype(term) ?? raiseTypeError("Only literals have a datatype"));
}

function makeWithDatatype(text: RdfTerm, datatype: RdfTerm): Literal {
  if (datatype.termType !== "NamedNode") return raiseTypeError("A datatype is an IRI");
  return makeTyped(requireText(text), datatype.value);
}

function makeWithLanguage(text: RdfTerm, language: RdfTerm): Literal {
  const tag = requireText(language);
  return tag === "" ? raiseTypeError("A language tag is not empty") : literal(requireText(text), tag);
}

function readSeconds(term: RdfTerm): Literal {
  const value = parseNumber(requireDate(term).seconds, "decimal");
  return value === null ? raiseTypeError() : toNumericLiteral(value);
}

const isIri = (term: RdfTerm) => makeBoolean(term.termType === "NamedNode");

export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ["+", calculateTerms("+")],
  ["-", calculateTerms("-")],
  ["*", calculateTerms("*")],
  ["/", calculateTerms("/")],
  ["uplus", (term: RdfTerm) => toNumericLiteral(requireNumber(term))],
  ["uminus", negateTerm],
  ["!", (term: RdfTerm) => makeBoolean(!computeEffectiveBoolean(term))],
  ["=", (a: RdfTerm, b: RdfTerm) => makeBoolean(areEqual(a, b))],
  ["!=", (a: RdfTerm, b: RdfTerm) => makeBoolean(!areEqual(a, b))],
  ["<", compareWith((order) => order < 0)],
  [">", compareWith((order) => order > 0)],
  ["<=", compareWith((order) => order <= 0)],
  [">=", compareWith((order) => order >= 0)],
  ["sameterm", (a: RdfTerm, b: RdfTerm) => makeBoolean(a.equals(b))],
  ["isiri", isIri],
  ["isuri", isIri],
  ["isblank", (term: RdfTerm) => makeBoolean(term.termType === "BlankNode")],
  ["isliteral", (term: RdfTerm) => makeBoolean(isLiteral(term))],
  ["isnumeric", (term: RdfTerm) => makeBoolean(readNumericValue(term) !== null)],
  ["str", toText],
  ["lang", readLanguage],
  ["datatype", readDatatype],
  ["strdt", makeWithDatatype],
  ["strlang", makeWithLanguage],
  ["abs", (term: RdfTerm) => toNumericLiteral(takeAbsolute(requireNumber(term)))],
  ["ceil", roundTerm("ceil")],
  ["floor", roundTerm("floor")],
  ["round", roundTerm("round")],
  ["strlen", measureString],
  ["substr", takeSubstring],
  ["ucase", toUpperCase],
  ["lcase", toLowerCase],
  ["concat", concatenate],
  ["contains", containsText],
  ["strstarts", startsWithText],
  ["strends", endsWithText],
  ["strbefore", takeBefore],
  ["strafter", takeAfter],
  ["encode_for_uri", encodeForUri],
  ["langmatches", matchLanguage],
  ["regex", matchRegex],
  ["replace", replaceMatches],
  ["year", (term: RdfTerm) => makeInteger(requireDate(term).year)],
  ["month", (term: RdfTerm) => makeInteger(requireDate(term).month)],
  ["day", (term: RdfTerm) => makeInteger(requireDate(term).day)],
  ["hours", (term: RdfTerm) => makeInteger(requireDate(term).hours)],
  ["minutes", (term: RdfTerm) => makeInteger(requireDate(term).minutes)],
  ["seconds", readSeconds],
  ["timezone", toTimezoneDuration],
  ["tz", writeTimezone],
  ["md5", hashText("md5")],
  ["sha1", hashText("sha1")],
  ["sha256", hashText("sha256")],
  ["sha384", hashText("sha384")],
  ["sha512", hashText("sha512")],
]);
