// Bounds of computed values. Nothing interrupts a function, and time does not advance while it runs.
import { QueryTooExpensive } from "../sparql-errors";

/** The characters of a computed text. */
const TEXT_CHARS = 100_000;
/** The digits of a computed number, whose arithmetic takes time that grows with their square. */
const DIGITS = 1_000;
const LARGEST = 10n ** BigInt(DIGITS);

export function refuseLongText(length: number): void {
  if (length > TEXT_CHARS)
    throw new QueryTooExpensive(
      `An expression makes a text of more than ${TEXT_CHARS} characters. Combine fewer or shorter texts.`,
    );
}

/** `digits` is a number without its decimal point, of which `scale` digits are behind that point. */
export function refuseLongNumber({ digits, scale }: { digits: bigint; scale: number }): void {
  if (digits > LARGEST || digits < -LARGEST || scale > DIGITS)
    throw new QueryTooExpensive(
      `An expression makes a number of more than ${DIGITS} digits. Use xsd:double for such numbers.`,
    );
}
