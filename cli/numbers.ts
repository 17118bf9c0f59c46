// Numbers in options, which come as text.
import { UsageError } from "./failures";

export function numberIn(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value))
    throw new UsageError(`--${name} must be a number, is "${text}".`);
  return value;
}

const LEVELS = ["high", "medium", "low"] as const;

export function confidenceIn(text: string | undefined) {
  return LEVELS.find((level) => level === text) ?? numberIn("confidence", text);
}

/** One of the words that an option takes. */
export function oneOf<T extends string>(
  name: string,
  words: readonly T[],
  text: string | undefined,
): T | undefined {
  if (text === undefined) return undefined;
  const known = words.find((word) => word === text);
  if (known === undefined) throw new UsageError(`--${name} must be ${words.join(", ")}; is "${text}".`);
  return known;
}
