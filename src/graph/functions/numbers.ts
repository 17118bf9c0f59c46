// Numeric literals: their values, the type promotion of operators, and their lexical forms.
import type { Literal } from "n3";
import { getDatatype, makeTyped, XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import { raiseTypeError, refuseLongNumber } from "./expression-error";

// Exact decimals: `digits` divided by ten to the power of `scale`.

export type Decimal = { readonly digits: bigint; readonly scale: number };

/** The decimal places of a quotient that has more. */
const QUOTIENT_SCALE = 24;

function raiseTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

function normalise({ digits, scale }: Decimal): Decimal {
  let [rest, places] = [digits, scale];
  while (places > 0 && rest % 10n === 0n) {
    rest /= 10n;
    places -= 1;
  }
  return { digits: rest, scale: places };
}

function align(a: Decimal, b: Decimal): { x: bigint; y: bigint; scale: number } {
  const scale = Math.max(a.scale, b.scale);
  return { x: a.digits * raiseTen(scale - a.scale), y: b.digits * raiseTen(scale - b.scale), scale };
}

/** Returns null for a text that is not an `xsd:decimal`. */
export function parseDecimal(text: string): Decimal | null {
  const match = /^\s*([+-]?)(\d*)(?:\.(\d*))?\s*$/.exec(text);
  if (match === null) return null;
  const [, sign = "", whole = "", fraction = ""] = match;
  if (whole === "" && fraction === "") return null;
  const digits = BigInt(whole + fraction);
  return normalise({ digits: sign === "-" ? -digits : digits, scale: fraction.length });
}

export function fromBigInt(digits: bigint): Decimal {
  return { digits, scale: 0 };
}

export function formatExact(decimal: Decimal): string {
  const { digits, scale } = normalise(decimal);
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const sign = digits < 0n ? "-" : "";
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const { x, y, scale } = align(a, b);
  return normalise({ digits: x + y, scale });
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return normalise({ digits: a.digits * b.digits, scale: a.scale + b.scale });
}

/** The divisor is not zero. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  const { x, y } = align(a, b);
  return normalise({ digits: (x * raiseTen(QUOTIENT_SCALE)) / y, scale: QUOTIENT_SCALE });
}

export function negateDecimal({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale };
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const { x, y } = align(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Rounds down. */
export function floorDecimal({ digits, scale }: Decimal): bigint {
  const unit = raiseTen(scale);
  const quotient = digits / unit;
  return digits % unit < 0n ? quotient - 1n : quotient;
}

/** Rounds to the nearest integer, halves up. */
export function roundDecimal({ digits, scale }: Decimal): bigint {
  return floorDecimal({ digits: digits * 10n + 5n * raiseTen(scale), scale: scale + 1 });
}

/** A value in the type that operators promote it to. */
export type NumericValue =
  | { readonly type: "integer" | "decimal"; readonly exact: Decimal }
  | { readonly type: "float" | "double"; readonly approximate: number };

type NumericType = NumericValue["type"];

/** In the order of promotion. */
const PROMOTION: readonly NumericType[] = ["integer", "decimal", "float", "double"];

const DERIVED_INTEGERS = [
  "nonPositiveInteger",
  "negativeInteger",
  "long",
  "int",
  "short",
  "byte",
  "nonNegativeInteger",
  "unsignedLong",
  "unsignedInt",
  "unsignedShort",
  "unsignedByte",
  "positiveInteger",
].map((name) => XSD.namespace + name);

const TYPES: ReadonlyMap<string, NumericType> = new Map<string, NumericType>([
  [XSD.integer, "integer"],
  ...DERIVED_INTEGERS.map((datatype) => [datatype, "integer"] as const),
  [XSD.decimal, "decimal"],
  [XSD.float, "float"],
  [XSD.double, "double"],
]);

export function isNumericDatatype(datatype: string | null): boolean {
  return datatype !== null && TYPES.has(datatype);
}

/** Returns the value of a numeric literal; null if it is ill-typed or not numeric. */
export function readNumericValue(term: RdfTerm): NumericValue | null {
  const datatype = getDatatype(term);
  const type = datatype === null ? undefined : TYPES.get(datatype);
  return type === undefined ? null : parseNumber(term.value, type);
}

export function parseNumber(text: string, type: NumericType): NumericValue | null {
  if (type === "float" || type === "double") {
    const value = parseDouble(text);
    return value === null ? null : { type, approximate: type === "float" ? Math.fround(value) : value };
  }
  if (type === "integer" && !/^\s*[+-]?\d+\s*$/.test(text)) return null;
  const exact = parseDecimal(text);
  return exact === null ? null : { type, exact };
}

function parseDouble(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === "INF" || trimmed === "+INF") return Number.POSITIVE_INFINITY;
  if (trimmed === "-INF") return Number.NEGATIVE_INFINITY;
  if (trimmed === "NaN") return Number.NaN;
  return /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : null;
}

/** Returns the value of a numeric operand, or raises a type error. */
export function requireNumber(term: RdfTerm): NumericValue {
  return readNumericValue(term) ?? raiseTypeError("An operand is not a number");
}

export function makeExact(value: bigint): NumericValue {
  return { type: "integer", exact: fromBigInt(value) };
}

export function toDouble(value: NumericValue): number {
  return "exact" in value ? Number(formatExact(value.exact)) : value.approximate;
}

export function toNumericLiteral(value: NumericValue): Literal {
  if ("exact" in value) refuseLongNumber(value.exact);
  return makeTyped(formatNumber(value), XSD[value.type]);
}

function formatNumber(value: NumericValue): string {
  if ("exact" in value) return formatExact(value.exact);
  return value.type === "float" ? formatFloat(value.approximate) : formatDouble(value.approximate);
}

/** Formats in the canonical form of `xsd:double`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "INF" : "-INF";
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  return `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}

/** Formats with the fewest digits that parse to the same `xsd:float`. */
function formatFloat(value: number): string {
  for (let digits = 1; digits <= 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return formatDouble(shorter);
  }
  return formatDouble(value);
}

export type ArithmeticOperator = "+" | "-" | "*" | "/";

export function calculate(operator: ArithmeticOperator, a: NumericValue, b: NumericValue): NumericValue {
  const type = PROMOTION[Math.max(PROMOTION.indexOf(a.type), PROMOTION.indexOf(b.type))] ?? "double";
  if ("exact" in a && "exact" in b) {
    // The quotient of two integers is a decimal.
    if (operator === "/") return { type: "decimal", exact: divide(a.exact, b.exact) };
    const exact = calculateExactly(operator, a.exact, b.exact);
    return { type: type === "integer" ? "integer" : "decimal", exact };
  }
  const result = calculateDouble(operator, toDouble(a), toDouble(b));
  return type === "float"
    ? { type: "float", approximate: Math.fround(result) }
    : { type: "double", approximate: result };
}

function calculateExactly(operator: "+" | "-" | "*", a: Decimal, b: Decimal): Decimal {
  if (operator === "*") return multiplyDecimals(a, b);
  return addDecimals(a, operator === "+" ? b : negateDecimal(b));
}

function divide(a: Decimal, b: Decimal): Decimal {
  return b.digits === 0n ? raiseTypeError("Division by zero") : divideDecimals(a, b);
}

function calculateDouble(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
  }
}

/** Returns a negative number, 0, a positive number, or NaN if one of them is NaN. */
export function compareNumbers(a: NumericValue, b: NumericValue): number {
  if ("exact" in a && "exact" in b) return compareDecimals(a.exact, b.exact);
  const [x, y] = [toDouble(a), toDouble(b)];
  return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN;
}

export function negateNumber(value: NumericValue): NumericValue {
  return "exact" in value
    ? { type: value.type, exact: negateDecimal(value.exact) }
    : { type: value.type, approximate: -value.approximate };
}

export function takeAbsolute(value: NumericValue): NumericValue {
  const isNegative = "exact" in value ? value.exact.digits < 0n : value.approximate < 0;
  return isNegative ? negateNumber(value) : value;
}

export type Rounding = "ceil" | "floor" | "round";

export function roundNumber(value: NumericValue, rounding: Rounding): NumericValue {
  if ("exact" in value) return { type: value.type, exact: fromBigInt(roundExactly(value.exact, rounding)) };
  return { type: value.type, approximate: Math[rounding](value.approximate) };
}

function roundExactly(decimal: Decimal, rounding: Rounding): bigint {
  switch (rounding) {
    case "ceil":
      return -floorDecimal(negateDecimal(decimal));
    case "floor":
      return floorDecimal(decimal);
    case "round":
      return roundDecimal(decimal);
  }
}
