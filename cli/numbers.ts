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
  const level = LEVELS.find((name) => name === text);
  if (level !== undefined) return level;
  const value = parseNumber("confidence", text);
  if (value !== undefined && !(value >= 0 && value <= 1))
    throw new UsageError(`--confidence must be 0 to 1, or ${LEVELS.join(", ")}; is "${text}".`);
  return value;
}
