// JSON as text in which the order of members makes no difference: two values that say the same are the same text.
import { COGNITION } from "../limits";
import type { Json } from "../platform/json";
import { clip } from "./normalise-text";

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    member !== null && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
/** A value as a reader sees it: a string as it is, anything else as compact JSON. */

export function formatValue(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Members that say what an object is about: they come first, and their names say nothing. */
const LEADING_MEMBERS = ["text", "content"];

/** The value's strings and numbers, with the names of members, and the key's words; the key itself if that is nothing. */
export function toItemText(key: string, value: Json): string {
  const parts = [...collectWords(value), splitName(key)].filter((part) => part.trim() !== "");
  return clip(parts.length === 0 ? key : parts.join(" "), COGNITION.itemBytes);
}

/** Without recursion: JSON may be nested deeper than calls can be. */
function collectWords(value: Json): string[] {
  const words: string[] = [];
  const rest: Json[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string" || typeof next === "number") words.push(String(next));
    else if (Array.isArray(next)) rest.push(...next.toReversed());
    else if (next !== null && typeof next === "object") rest.push(...orderMembers(next).toReversed());
  }
  return words;
}

function orderMembers(object: { [name: string]: Json }): Json[] {
  const names = Object.keys(object).sort((a, b) => rankMember(a) - rankMember(b));
  return names.flatMap((name) => {
    const value = object[name] ?? null;
    return LEADING_MEMBERS.includes(name) ? [value] : [splitName(name), value];
  });
}

function rankMember(name: string): number {
  return LEADING_MEMBERS.includes(name) ? LEADING_MEMBERS.indexOf(name) : LEADING_MEMBERS.length;
}

/** "door_open" and "doorOpen" as "door open". What has a digit in it is a number or an id, not a word. */
function splitName(name: string): string {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => !/\p{N}/u.test(word))
    .join(" ")
    .trim();
}
