// The constructor functions of XML Schema datatypes (SPARQL 1.1, section 17.5).
import type { Literal } from "n3";
import { getDatatype, isSimple, literal, makeBoolean, makeTyped, XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import { computeEffectiveBoolean, readBoolean } from "./comparison";
import { parseDate, readDate } from "./dates";
import { raiseTypeError } from "./expression-error";
import {
  formatExact,
  makeExact,
  type NumericValue,
  parseDecimal,
  parseNumber,
  readNumericValue,
  toDouble,
  toNumericLiteral,
} from "./numbers";

type Cast = (term: RdfTerm) => Literal;

/** The casts, by the IRI of their datatype. */
export const CASTS: ReadonlyMap<string, Cast> = new Map<string, Cast>([
  [XSD.string, castToString],
  [XSD.boolean, castToBoolean],
  [XSD.integer, castToInteger],
  [XSD.decimal, castToDecimal],
  [XSD.float, (term) => castToApproximate(term, "float")],
  [XSD.double, (term) => castToApproximate(term, "double")],
  [XSD.dateTime, castToDateTime],
  [XSD.date, castToDate],
]);

function refuseCast(): never {
  return raiseTypeError("The term cannot be cast");
}

function castToString(term: RdfTerm): Literal {
  if (term.termType === "BlankNode") return refuseCast();
  if (getDatatype(term) === XSD.boolean) return literal(String(readBoolean(term) ?? refuseCast()));
  const number = readNumericValue(term);
  if (number === null) return literal(term.value);
  if ("exact" in number) return literal(formatExact(number.exact));
  const size = Math.abs(number.approximate);
  const isPlain = size >= 1e-6 && size < 1e6;
  if (size === 0) return literal("0");
  if (!isPlain) return literal(toNumericLiteral(number).value);
  return literal(
    String(number.type === "float" ? Number(number.approximate.toPrecision(7)) : number.approximate),
  );
}

function castToBoolean(term: RdfTerm): Literal {
  if (readNumericValue(term) !== null) return makeBoolean(computeEffectiveBoolean(term));
  const typed = isSimple(term) ? makeTyped(term.value, XSD.boolean) : term;
  return makeBoolean(readBoolean(typed) ?? refuseCast());
}

/** Returns the number of a numeric, a boolean or a string that is written like a number of this type. */
function readCastable(term: RdfTerm, type: NumericValue["type"]): NumericValue {
  const number = readNumericValue(term);
  if (number !== null) return number;
  const boolean = readBoolean(term);
  if (boolean !== null) return makeExact(boolean ? 1n : 0n);
  return (isSimple(term) ? parseNumber(term.value, type) : null) ?? refuseCast();
}

function castToInteger(term: RdfTerm): Literal {
  const number = readCastable(term, "integer");
  if ("exact" in number) {
    const { digits, scale } = number.exact;
    return toNumericLiteral(makeExact(digits / 10n ** BigInt(scale)));
  }
  if (!Number.isFinite(number.approximate)) return refuseCast();
  return toNumericLiteral(makeExact(BigInt(Math.trunc(number.approximate))));
}

function castToDecimal(term: RdfTerm): Literal {
  const number = readCastable(term, "decimal");
  if ("exact" in number) return toNumericLiteral({ type: "decimal", exact: number.exact });
  if (!Number.isFinite(number.approximate)) return refuseCast();
  const exact = parseDecimal(writeWithoutExponent(number.approximate)) ?? refuseCast();
  return toNumericLiteral({ type: "decimal", exact });
}

const MAX_PLACES = 100;

function writeWithoutExponent(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return Math.abs(value) >= 1 ? BigInt(value).toString() : value.toFixed(MAX_PLACES);
}

function castToApproximate(term: RdfTerm, type: "float" | "double"): Literal {
  const value = toDouble(readCastable(term, "double"));
  return toNumericLiteral({ type, approximate: type === "float" ? Math.fround(value) : value });
}

function castToDateTime(term: RdfTerm): Literal {
  const datatype = getDatatype(term);
  if (datatype !== XSD.dateTime && datatype !== XSD.date && !isSimple(term)) return refuseCast();
  const text =
    datatype === XSD.date ? term.value.replace(/^(-?\d+-\d\d-\d\d)/, "$1T00:00:00") : term.value.trim();
  return parseDate(text, true) === null ? refuseCast() : makeTyped(text, XSD.dateTime);
}

function castToDate(term: RdfTerm): Literal {
  const datatype = getDatatype(term);
  const parts = datatype === XSD.dateTime ? readDate(term) : null;
  const text =
    parts === null
      ? term.value.trim()
      : `${term.value.slice(0, term.value.indexOf("T"))}${parts.timezone ?? ""}`;
  const isDate =
    (datatype === XSD.dateTime || datatype === XSD.date || isSimple(term)) && parseDate(text, false) !== null;
  return isDate ? makeTyped(text, XSD.date) : refuseCast();
}
