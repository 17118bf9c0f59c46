// The error of an expression (SPARQL 1.1, section 17.2): an unbound variable or a type error.
import { QueryTooExpensive } from "../sparql-answer";

/** FILTER takes it as false, BIND and aggregates leave their variable unbound. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

/** Errors by their messages: one is thrown for each solution, and a stack trace takes longer than the expression. */
const errors = new Map<string, ExpressionError>();
const MAX_ERRORS = 100;

export function raiseTypeError(message = "An operand has the wrong type"): never {
  const error = errors.get(message) ?? new ExpressionError(message);
  if (errors.size >= MAX_ERRORS) errors.clear();
  errors.set(message, error);
  throw error;
}

// Bounds of computed values. Nothing interrupts a function, and time does not advance while it runs.

/** The characters of a computed text. */
export const MAX_TEXT_CHARS = 100_000;
/** The digits of a computed number, whose arithmetic takes time that grows with their square. */
export const MAX_DIGITS = 1_000;
const LARGEST = 10n ** BigInt(MAX_DIGITS);

export function refuseLongText(length: number): void {
  if (length > MAX_TEXT_CHARS)
    throw new QueryTooExpensive(
      `An expression makes a text of more than ${MAX_TEXT_CHARS} characters. Combine fewer or shorter texts.`,
    );
}

/** `digits` is a number without its decimal point, of which `scale` digits are behind that point. */
export function refuseLongNumber({ digits, scale }: { digits: bigint; scale: number }): void {
  if (digits > LARGEST || digits < -LARGEST || scale > MAX_DIGITS)
    throw new QueryTooExpensive(
      `An expression makes a number of more than ${MAX_DIGITS} digits. Use xsd:double for such numbers.`,
    );
}
