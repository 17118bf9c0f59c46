// Bounds of computed values. Nothing interrupts a function, and time does not advance while it runs.
import { QueryTooExpensive } from "../sparql-errors";

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
