// JSON values as text: canonical JSON, values in prompts, and the searchable text of provider items.

import { isJsonObject, type Json, type JsonObject } from "../kernel/json";
import { COGNITION } from "../kernel/limits";
import { clip } from "./normalise-text";

/** Serialises a value with sorted members, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** Returns a string as it is, any other value as compact JSON. */
export function formatValue(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Members that hold an object's main text: they come first, without their names. */
const LEADING_MEMBERS = ["text", "content"];

/** Returns the strings, numbers and member names of a value and the words of its key; the key alone if that is empty. */
export function toItemText(key: string, value: Json): string {
  const parts = [...collectWords(value), splitName(key)].filter((part) => part.trim() !== "");
  return clip(parts.length === 0 ? key : parts.join(" "), COGNITION.itemBytes);
}

/** Iterative, since JSON may be nested deeper than the call stack. */
function collectWords(value: Json): string[] {
  const words: string[] = [];
  const rest: Json[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string" || typeof next === "number") words.push(String(next));
    else if (Array.isArray(next)) rest.push(...next.toReversed());
    else if (isJsonObject(next)) rest.push(...orderMembers(next).toReversed());
  }
  return words;
}

function orderMembers(object: JsonObject): Json[] {
  const names = Object.keys(object).sort((a, b) => rankMember(a) - rankMember(b));
  return names.flatMap((name) => {
    const value = object[name] ?? null;
    return LEADING_MEMBERS.includes(name) ? [value] : [splitName(name), value];
  });
}

function rankMember(name: string): number {
  return LEADING_MEMBERS.includes(name) ? LEADING_MEMBERS.indexOf(name) : LEADING_MEMBERS.length;
}

/** Splits "door_open" and "doorOpen" into "door open". Parts with a digit are numbers or ids and are dropped. */
function splitName(name: string): string {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => !/\p{N}/u.test(word))
    .join(" ")
    .trim();
}
