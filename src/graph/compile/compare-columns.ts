// Comparisons of terms in SQL. SPARQL's error is SQL's NULL. A comparison that SQL cannot decide exactly fails the
// statement, and the query is answered in JavaScript: numbers beyond the precision of REAL, dates with other than three
// fractional digits or another time zone than Z, and literals of other datatypes.
import { PREFIXES } from "../../ontology/triples";
import { type Column, conjoin } from "./select-block";

/** The error message of a statement that meets a comparison which SQL cannot decide. */
export const UNDECIDED = /malformed JSON/;

/** Fails if it is evaluated. It depends on a column, so that SQLite does not evaluate it ahead. */
export function failUndecided(value: string): string {
  return `json('undecided' || ${value})`;
}

/** The datatypes whose values the column `number` has, without the rounding of xsd:float. */
const EXACT_NUMBERS = "('xsd:integer', 'xsd:decimal', 'xsd:double')";
/** Lexical forms of at most this length are REALs exactly, up to the last bit that a comparison tells apart. */
const EXACT_CHARS = 15;
/** Longer ones are decided by REAL if they differ by more than this part. */
const CLOSE = "1e-9";

export type ComparisonOperator = "=" | "<" | ">" | "<=" | ">=";

/** Returns whether a column is a date in the form in which the store writes dates. */
function isExactDate({ value, kind, number }: Column): string {
  return `(${kind} = 'xsd:dateTime' AND ${value} GLOB '*Z' AND length(${value}) <= 24 AND ${number} IS NOT NULL)`;
}

function isNumber({ kind, number }: Column): string {
  return `(${kind} IN ${EXACT_NUMBERS} AND ${number} IS NOT NULL)`;
}

function compareNumbers(operator: ComparisonOperator, a: Column, b: Column): string {
  const isLong = `(length(${a.value}) > ${EXACT_CHARS} OR length(${b.value}) > ${EXACT_CHARS})`;
  const isClose = `abs(${a.number} - ${b.number}) <= ${CLOSE} * abs(${b.number})`;
  return `CASE WHEN ${isLong} AND ${isClose} AND ${a.value} <> ${b.value} THEN ${failUndecided(a.value)}
    ELSE ${a.number} ${operator} ${b.number} END`;
}

function isText({ kind }: Column): string {
  return `(${kind} = 'xsd:string' OR ${kind} GLOB '@*')`;
}

/** The operator `=`: 1, 0 or NULL. */
export function compareEqual(a: Column, b: Column): string {
  const isSame = `(${a.value} = ${b.value} AND ${a.kind} = ${b.kind})`;
  if (a.isIri && b.isIri) return `(${a.value} = ${b.value})`;
  return `CASE WHEN ${a.value} IS NULL OR ${b.value} IS NULL THEN NULL
    WHEN ${a.kind} = '' OR ${b.kind} = '' THEN ${isSame}
    WHEN ${isText(a)} AND ${isText(b)} THEN ${isSame}
    WHEN ${isNumber(a)} AND ${isNumber(b)} THEN ${compareNumbers("=", a, b)}
    WHEN ${isExactDate(a)} AND ${isExactDate(b)} THEN ${a.number} = ${b.number}
    ELSE ${failUndecided(a.value)} END`;
}

/** The operators < and >: 1, 0 or NULL. */
export function compareOrder(operator: ComparisonOperator, a: Column, b: Column): string {
  if (a.isIri || b.isIri) return "NULL";
  return `CASE WHEN ${a.value} IS NULL OR ${b.value} IS NULL OR ${a.kind} = '' OR ${b.kind} = '' THEN NULL
    WHEN ${isNumber(a)} AND ${isNumber(b)} THEN ${compareNumbers(operator, a, b)}
    WHEN ${a.kind} = 'xsd:string' AND ${b.kind} = 'xsd:string' THEN ${a.value} ${operator} ${b.value}
    WHEN ${isExactDate(a)} AND ${isExactDate(b)} THEN ${a.number} ${operator} ${b.number}
    WHEN ${isText(a)} OR ${isText(b)} THEN NULL
    ELSE ${failUndecided(a.value)} END`;
}

/** Returns whether two columns have the same term; an unbound one makes it NULL. */
export function compareSameTerm(a: Column, b: Column): string {
  return conjoin([`${a.value} = ${b.value}`, `${a.kind} = ${b.kind}`]);
}

/** Longer numbers may be different although they are the same REAL. */
const ORDERED_CHARS = 19;

/** Returns the keys of ORDER BY, in the order of `orderTerms` (src/graph/functions/comparison.ts). */
export function orderColumn(column: Column, isDescending: boolean): string[] {
  const { value, kind, number, isIri } = column;
  const direction = isDescending ? " DESC" : "";
  const text = writeText(column);
  if (isIri) {
    const rank = `CASE WHEN ${value} IS NULL THEN 0 WHEN ${value} GLOB '_:*' THEN 1 ELSE 2 END`;
    return [rank + direction, text + direction];
  }
  const isLong = `(length(${value}) > ${ORDERED_CHARS} OR (length(${value}) > ${EXACT_CHARS} AND instr(${value}, '.') = 0))`;
  const rank = `CASE WHEN ${value} IS NULL THEN 0 WHEN ${kind} = '' THEN iif(${value} GLOB '_:*', 1, 2)
    WHEN ${kind} = 'xsd:string' THEN 5 WHEN ${isExactDate(column)} THEN 4
    WHEN ${isNumber(column)} AND NOT ${isLong} THEN 3 ELSE ${failUndecided(value)} END`;
  return [rank, number, `iif(${number} IS NULL, ${text}, NULL)`].map((key) => key + direction);
}

/** Returns the text of a term: the full IRI or the lexical form; NULL for a blank node. */
export function writeText({ value, kind, isIri }: Column): string {
  return isIri ? writeFullIri(value) : `iif(${kind} = '', ${writeFullIri(value)}, ${value})`;
}

/** Expands a compact IRI (src/graph/stored-terms.ts). */
function writeFullIri(value: string): string {
  const prefixes = Object.entries(PREFIXES).map(
    ([label, namespace]) =>
      `WHEN ${value} GLOB '${label}:*' THEN '${namespace}' || substr(${value}, ${label.length + 2})`,
  );
  return `CASE ${prefixes.join(" ")} WHEN ${value} GLOB '<*' THEN substr(${value}, 2) WHEN ${value} GLOB '_:*' THEN NULL ELSE ${value} END`;
}
