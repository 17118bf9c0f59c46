// Removes the texts of erased memories from stored JSON: as they are, masked by a stricter policy, and, if they are
// masked themselves, as they were before the privacy gate.
import { findLongestLiteral, hasMask, maskAll, replaceUnmasked } from "../../domain/privacy/replace-unmasked";
import { isJsonObject, type Json, parseJson } from "../../platform/json";
import { ERASED, isDistinctive, listEncodings, listStoredForms, redactJson } from "../../text/redact-text";

export type TextRedactor = {
  /** Strings one of which is in every JSON that may hold a text. */
  hints: readonly string[];
  /** Returns the JSON without the texts. */
  redact: (json: string) => string;
  /** Returns whether a text is one of those to remove. */
  matches: (text: string) => boolean;
};

export function createTextRedactor(texts: ReadonlySet<string>): TextRedactor {
  const masked = [...new Set([...texts].filter(hasMask).map(maskAll))];
  const forms = [...new Set([...texts, ...[...texts].map(maskAll)])].flatMap(listStoredForms);
  const literals = masked.map(findLongestLiteral).flatMap(listEncodings);
  return {
    hints: [...new Set([...forms, ...literals])],
    redact(json) {
      const redacted = redactJson(json, forms);
      return masked.length === 0 ? redacted : redactMembers(redacted, masked);
    },
    matches: (text) => texts.has(text) || (masked.length > 0 && masked.includes(maskAll(text))),
  };
}

function redactMembers(json: string, masked: readonly string[]): string {
  const value = parseJson<Json>(json);
  const redacted = redactUnmasked(value, masked);
  return redacted === value ? json : JSON.stringify(redacted);
}

/** Returns the same value if it holds none of the texts. */
function redactUnmasked(value: Json, masked: readonly string[]): Json {
  if (typeof value === "string") return redactString(value, masked);
  if (Array.isArray(value)) {
    const items = value.map((item) => redactUnmasked(item, masked));
    return items.some((item, n) => item !== value[n]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, item]) => [name, redactUnmasked(item, masked)] as const);
  return members.some(([name, item]) => item !== value[name]) ? Object.fromEntries(members) : value;
}

function redactString(text: string, masked: readonly string[]): string {
  const inner = parseContainer(text);
  if (inner !== null) {
    const redacted = redactUnmasked(inner, masked);
    return redacted === inner ? text : JSON.stringify(redacted);
  }
  return masked.reduce((rest, target) => {
    if (!isDistinctive(target)) return rest !== ERASED && maskAll(rest) === target ? ERASED : rest;
    // A text that is clipped JSON holds it encoded.
    return [target, ...listEncodings(target)].reduce(
      (left, form) => replaceUnmasked(left, form, ERASED),
      rest,
    );
  }, text);
}

/** Parses a text that is a JSON object or array. */
function parseContainer(text: string): Json | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Text that begins like JSON, or JSON that was clipped.
    return null;
  }
}
