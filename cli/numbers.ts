// Parses the text values of options.
import { UsageError } from "./failures";

export function parseNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value))
    throw new UsageError(`--${name} must be a number, is "${text}".`);
  return value;
}

const LEVELS = ["high", "medium", "low"] as const;

export function parseConfidence(text: string | undefined) {
  return LEVELS.find((level) => level === text) ?? parseNumber("confidence", text);
}

/** Parses an option that takes one of several words. */
export function parseChoice<T extends string>(
  name: string,
  words: readonly T[],
  text: string | undefined,
): T | undefined {
  if (text === undefined) return undefined;
  const known = words.find((word) => word === text);
  if (known === undefined) throw new UsageError(`--${name} must be ${words.join(", ")}; is "${text}".`);
  return known;
}
