// An item as it reads: what of its value and its key is searched for and embedded.

import { COGNITION } from "../limits";
import type { Json } from "../platform/json";
import { clip } from "./memory-text";

/** Members that say what an object is about: they come first, and their names say nothing. */
const TELLING = ["text", "content"];

/** The value's strings and numbers, with the names of members, and the key's words; the key itself if that is nothing. */
export function itemText(key: string, value: Json): string {
  const parts = [...valueWords(value), nameWords(key)].filter((part) => part.trim() !== "");
  return clip(parts.length === 0 ? key : parts.join(" "), COGNITION.itemBytes);
}

/** Without recursion: JSON may be nested deeper than calls can be. */
function valueWords(value: Json): string[] {
  const words: string[] = [];
  const rest: Json[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string" || typeof next === "number") words.push(String(next));
    else if (Array.isArray(next)) rest.push(...next.toReversed());
    else if (next !== null && typeof next === "object") rest.push(...members(next).toReversed());
  }
  return words;
}

function members(object: { [name: string]: Json }): Json[] {
  const names = Object.keys(object).sort((a, b) => place(a) - place(b));
  return names.flatMap((name) => {
    const value = object[name] ?? null;
    return TELLING.includes(name) ? [value] : [nameWords(name), value];
  });
}

function place(name: string): number {
  return TELLING.includes(name) ? TELLING.indexOf(name) : TELLING.length;
}

/** "door_open" and "doorOpen" as "door open". What has a digit in it is a number or an id, not a word. */
function nameWords(name: string): string {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => !/\p{N}/u.test(word))
    .join(" ")
    .trim();
}
