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
