// The comparisons of SPARQL 1.1: effective boolean values (17.2.2), the operators = and < (17.3), and ORDER BY (15.1).

import { getDatatype, isLiteral, RDF_LANG_STRING, XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import { compareDates, readDate } from "./dates";
import { ExpressionError, raiseTypeError } from "./expression-error";
import { compareNumbers, isNumericDatatype, readNumericValue, toDouble } from "./numbers";

export function readBoolean(term: RdfTerm): boolean | null {
  if (getDatatype(term) !== XSD.boolean) return null;
  if (term.value === "true" || term.value === "1") return true;
  return term.value === "false" || term.value === "0" ? false : null;
}

export function computeEffectiveBoolean(term: RdfTerm): boolean {
  const datatype = getDatatype(term);
  if (datatype === XSD.boolean) return readBoolean(term) ?? false;
  if (datatype === XSD.string || datatype === RDF_LANG_STRING) return term.value !== "";
  if (!isNumericDatatype(datatype)) return raiseTypeError("A term has no effective boolean value");
  const number = readNumericValue(term);
  const value = number === null ? 0 : toDouble(number);
  return value !== 0 && !Number.isNaN(value);
}

/** The operator `=`. Raises a type error for literals of unknown datatypes that differ. */
export function areEqual(a: RdfTerm, b: RdfTerm): boolean {
  if (!isLiteral(a) || !isLiteral(b)) return a.equals(b);
  const [x, y] = [getDatatype(a), getDatatype(b)];
  if (isNumericDatatype(x) && isNumericDatatype(y)) {
    const [m, n] = [readNumericValue(a), readNumericValue(b)];
    if (m !== null && n !== null) return compareNumbers(m, n) === 0;
    return a.equals(b) || raiseTypeError("A number is ill-typed");
  }
  if (a.equals(b)) return true;
  if (x === RDF_LANG_STRING || y === RDF_LANG_STRING) return false;
  if (x !== y) return isWellTyped(a) && isWellTyped(b) ? false : raiseTypeError("The datatypes differ");
  switch (x) {
    case XSD.string:
      return false;
    case XSD.boolean:
      return requireValue(readBoolean(a)) === requireValue(readBoolean(b));
    case XSD.dateTime:
    case XSD.date:
      return compareDates(requireValue(readDate(a)), requireValue(readDate(b))) === 0;
    default:
      return raiseTypeError("Literals of an unknown datatype are compared");
  }
}

/** Returns whether a literal is a well-formed value of a datatype whose values are disjoint from the others. */
function isWellTyped(term: RdfTerm): boolean {
  const datatype = getDatatype(term);
  if (isNumericDatatype(datatype)) return readNumericValue(term) !== null;
  if (datatype === XSD.boolean) return readBoolean(term) !== null;
  if (datatype === XSD.dateTime || datatype === XSD.date) return readDate(term) !== null;
  return datatype === XSD.string;
}

function requireValue<T>(value: T | null): T {
  return value ?? raiseTypeError("A literal is ill-typed");
}

/** The operators < and >: returns a negative number, 0, a positive number or NaN, or raises a type error. */
export function compareTerms(a: RdfTerm, b: RdfTerm): number {
  const [x, y] = [getDatatype(a), getDatatype(b)];
  if (isNumericDatatype(x) && isNumericDatatype(y))
    return compareNumbers(requireValue(readNumericValue(a)), requireValue(readNumericValue(b)));
  if (x !== y) return raiseTypeError("The datatypes differ");
  switch (x) {
    case XSD.string:
    case XSD.time:
      return compareCodePoints(a.value, b.value);
    case XSD.boolean:
      return Number(requireValue(readBoolean(a))) - Number(requireValue(readBoolean(b)));
    case XSD.dateTime:
    case XSD.date:
      return compareDates(requireValue(readDate(a)), requireValue(readDate(b)));
    default:
      return raiseTypeError("Terms without an order are compared");
  }
}

/** Compares by code point, as SQLite does; JavaScript compares code units. */
function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
    // Surrogates stand for code points above all others.
    return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

/** The order of ORDER BY: unbound, blank nodes, IRIs, literals. Literals that < does not order have a stable order. */
export function orderTerms(a: RdfTerm | undefined, b: RdfTerm | undefined): number {
  const difference = rankTerm(a) - rankTerm(b);
  if (difference !== 0 || a === undefined || b === undefined) return difference;
  if (!isLiteral(a) || !isLiteral(b)) return compareCodePoints(a.value, b.value);
  try {
    const order = compareTerms(a, b);
    if (!Number.isNaN(order)) return order;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
  }
  return (
    rankLiteral(a) - rankLiteral(b) || compareCodePoints(a.value, b.value) || compareCodePoints(a.id, b.id)
  );
}

function rankTerm(term: RdfTerm | undefined): number {
  if (term === undefined) return 0;
  if (term.termType === "BlankNode") return 1;
  return term.termType === "NamedNode" ? 2 : 3;
}

/** Groups literals whose order < defines, so that the order of all is transitive. */
function rankLiteral(term: RdfTerm): number {
  if (readNumericValue(term) !== null) return 0;
  if (readDate(term) !== null) return getDatatype(term) === XSD.dateTime ? 1 : 2;
  if (readBoolean(term) !== null) return 3;
  return getDatatype(term) === XSD.string ? 4 : 5;
}
